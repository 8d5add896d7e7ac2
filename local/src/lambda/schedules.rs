//! The schedules that start functions, as EventBridge has them: one event at the start, and one after
//! each period.

use axum::body::Bytes;
use serde_json::json;
use shared::values::{EpochMillis, Time};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::lambda::event_queue::EventQueue;
use crate::template::Template;

/// Starts the schedules of a template. They stop when the tasks are dropped.
pub(crate) fn start(template: &Template, events: &EventQueue) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    for function in &template.functions {
        for schedule in &function.schedules {
            let (name, events, period) = (function.name.clone(), events.clone(), schedule.period);
            events.send(&name, event(EpochMillis::now()));
            tasks.spawn(async move {
                loop {
                    sleep(period).await;
                    events.send(&name, event(EpochMillis::now()));
                }
            });
        }
    }
    tasks
}

/// Returns a [scheduled
/// event](https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-run-lambda-schedule.html) of this time, with the fields that functions read.
fn event(now: EpochMillis) -> Bytes {
    let time = Time::from_epoch_seconds(now.seconds());
    json!({"detail-type": "Scheduled Event", "source": "aws.events", "time": time, "detail": {}}).to_string().into()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use futures_util::FutureExt as _;
    use serde_json::Value;
    use tokio::sync::mpsc;
    use tokio::time::Instant;

    use super::*;
    use crate::lambda::runtime::Invocation;

    const TEMPLATE: &str = r#"
Resources:
  RankFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: rank/
      Events: {Often: {Type: Schedule, Properties: {Schedule: rate(5 minutes)}}}
  PlainFunction: {Type: "AWS::Serverless::Function", Properties: {CodeUri: plain/}}
"#;

    #[tokio::test(start_paused = true)]
    async fn a_function_gets_an_event_at_the_start_and_after_each_period() {
        let (send, mut calls) = mpsc::unbounded_channel();
        let invoke = move |function: &str, _: &str, event: Bytes| {
            send.send((function.to_owned(), Instant::now(), event)).unwrap();
            async { Ok(Invocation { payload: "null".into(), function_error: false }) }.boxed()
        };
        let template = Template::parse("t.yaml", TEMPLATE).unwrap();
        let events = EventQueue::new(&template, Arc::new(invoke), Arc::default());
        let begin = Instant::now();
        let mut schedules = start(&template, &events);
        for number in 0..3 {
            let (function, at, event) = calls.recv().await.unwrap();
            let event: Value = serde_json::from_slice(&event).unwrap();
            assert_eq!((&*function, at - begin), ("rank", number * Duration::from_mins(5)));
            assert!(event["time"].as_str().unwrap().parse::<Time>().is_ok(), "{event}");
        }
        schedules.shutdown().await;
        tokio::time::sleep(Duration::from_hours(1)).await;
        assert!(calls.try_recv().is_err());
    }
}
