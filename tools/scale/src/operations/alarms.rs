//! The table of the alarms.

use std::fmt::Write as _;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

/// The endings of alarms that share the entry of another one, with that entry.
const SHARED: [(&str, &str); 5] = [
    ("FailedDirectoryAlarm", "failedcountsalarm"),
    ("FailedFeedsAlarm", "failedcountsalarm"),
    ("FailedHashtagsAlarm", "failedcountsalarm"),
    ("ReadThrottlesAlarm", "tablethrottlesalarm"),
    ("WriteThrottlesAlarm", "tablethrottlesalarm"),
];

/// Returns the table: what each alarm watches, and the threshold and the time above which it goes
/// off.
pub(crate) fn table(monitoring: &Value) -> Result<String> {
    let mut table = "| alarm | what is wrong | above | for |\n|---|---|--:|--:|\n".to_owned();
    for (id, resource) in monitoring["Resources"].as_object().context("no resources")? {
        if resource["Type"] == "AWS::CloudWatch::Alarm" {
            table += &row(id, &resource["Properties"]).with_context(|| id.clone())?;
        }
    }
    Ok(table)
}

fn row(id: &str, alarm: &Value) -> Result<String> {
    let description = alarm["AlarmDescription"].as_str().context("no AlarmDescription")?;
    let (what, anchor) = description.split_once(". See docs/operating.md#").context("no link to docs/operating.md")?;
    // Somebody who was woken up follows the link.
    let shared = SHARED.iter().find(|(ending, _)| id.ends_with(ending));
    let entry = shared.map_or_else(|| id.to_lowercase(), |(_, entry)| (*entry).to_owned());
    ensure!(anchor == entry, "the link leads to {anchor}, not to {entry}");
    // The account may have several stacks.
    ensure!(alarm["AlarmName"]["Sub"].as_str().is_some_and(|name| name.starts_with("${App}-")), "no name of the stack");
    ensure!(alarm["ComparisonOperator"] == "GreaterThanThreshold", "the table says \"above\"");
    let metrics = alarm["Metrics"].as_array().into_iter().flatten();
    let mut periods = metrics.flat_map(|metric| [&metric["Period"], &metric["MetricStat"]["Period"]]);
    let period = alarm["Period"].as_u64().or_else(|| periods.find_map(Value::as_u64)).context("no Period")?;
    let times = alarm["EvaluationPeriods"].as_u64().context("no EvaluationPeriods")?;
    let times = if times == 1 { String::new() } else { format!("{times} × ") };
    let name = id.strip_suffix("Alarm").context("the name does not end with Alarm")?;
    let mut row = format!("| [{name}](#{anchor}) | {what} | {} | {times}{} min |", alarm["Threshold"], period / 60);
    writeln!(row)?;
    Ok(row)
}
