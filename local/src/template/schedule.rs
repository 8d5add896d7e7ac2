//! The schedules of the templates that start functions: events of the type
//! [Schedule](https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-function-schedule.html).

use std::time::Duration;

use anyhow::Result;
use serde::Deserialize;

use crate::template::cloudformation::{Document, Node, get};

/// A schedule that starts a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The time between two events.
    pub period: Duration,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct Event {
    schedule: String,
}

impl Schedule {
    /// Reads the schedule of an event. Of the [rate
    /// expressions](https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rate-expressions.html),
    /// it takes those in minutes.
    pub(super) fn read(document: &Document, event: &Node) -> Result<Self> {
        let node = get(event, "Properties").unwrap_or(event);
        let event: Option<Event> = document.deserialize(node)?;
        let period = event.and_then(|event| {
            let (number, unit) = event.schedule.strip_prefix("rate(")?.strip_suffix(')')?.split_once(' ')?;
            let minutes: u64 = number.parse().ok().filter(|minutes| *minutes > 0)?;
            (unit == if minutes == 1 { "minute" } else { "minutes" }).then(|| Duration::from_mins(minutes))
        });
        let message = "the local stack supports only schedules like rate(1 minute) or rate(5 minutes)";
        period.map(|period| Self { period }).ok_or_else(|| document.error(node, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Template;

    fn read(schedule: &str) -> Result<Vec<Schedule>, String> {
        let event = format!("{{Type: Schedule, Properties: {{{schedule}}}}}");
        let text = format!(
            "Resources:\n  RankFunction:\n    Type: AWS::Serverless::Function\n    Properties:\n      CodeUri: rank/\n      Events:\n        Minute: {event}\n"
        );
        let template = Template::parse("t.yaml", &text).map_err(|error| format!("{error:#}"))?;
        Ok(template.functions[0].schedules.clone())
    }

    #[test]
    fn reads_a_rate_in_minutes() {
        for (rate, minutes) in [("rate(1 minute)", 1), ("rate(15 minutes)", 15)] {
            let period = Duration::from_mins(minutes);
            assert_eq!(read(&format!("Schedule: {rate}")), Ok(vec![Schedule { period }]));
        }
    }

    #[test]
    fn rejects_what_it_does_not_support_with_the_place() {
        for rate in ["rate(0 minutes)", "rate(1 minutes)", "rate(2 minute)", "rate(1 hour)", "cron(0 12 * * ? *)", "1"]
        {
            let error = read(&format!("Schedule: {rate:?}")).unwrap_err();
            assert!(error.starts_with("t.yaml:7: the local stack supports only schedules like"), "{error}");
        }
        let error = read("Schedule: rate(1 minute), Enabled: false").unwrap_err();
        assert!(error.starts_with("t.yaml:7: unknown field `Enabled`"), "{error}");
    }
}
