//! `measure --growth`: functions on tables of increasing size.
//!
//! The tables grow in two ways: they have more users, and the users that the events name have longer lists. So
//! a list has up to 500 pages.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use local::template::Function;
use serde_json::Value;
use testing::harness::Harness;

use crate::subject::{Subject, WarmProcess};

mod chart;
mod data_set;
mod measurement;
mod report;
mod rollback;
mod tables;

use data_set::PAGE_SIZE;
use measurement::{Measurement, Samples};
use tables::Tables;

/// The numbers of items in all tables together.
const SIZES: [usize; 3] = [1_000, 100_000, 1_000_000];
/// The maximum number of warm requests to a function at each size.
const MAX_REQUESTS: usize = 200;
/// The number of warm requests at each size that are sent even when the time budget is exhausted.
const MIN_REQUESTS: usize = 3;
/// The time budget for the warm requests to a function at all sizes.
const TIME_BUDGET: Duration = Duration::from_secs(6);

/// Measures functions at each size. Prints the table, and writes it and a chart to the directory `out`.
pub(crate) async fn run(functions: &[Function], binaries: &Path, out: &Path) -> Result<()> {
    let mut sizes = vec![];
    for items in SIZES {
        sizes.push(Tables::load(items, binaries).await?);
    }
    let progress = ProgressBar::new(functions.len() as u64);
    let mut measurements = vec![];
    for function in functions {
        measurements.push(measure(&mut sizes, function).await?);
        progress.inc(1);
    }
    progress.finish_and_clear();
    report::write(&sizes, &measurements, out)
}

/// Records the requests of a function at each size, then samples its warm latency without the recorder. The sizes take
/// turns, so that other load on the machine affects all alike.
async fn measure(sizes: &mut [Tables], function: &Function) -> Result<Measurement> {
    let event = event(&sizes[0].harness, function)?;
    let mut by_size = vec![];
    for tables in &mut *sizes {
        by_size.push(Samples { requests: tables.requests(function, &event).await?, warm: vec![] });
    }

    let subject = |harness: &Harness| Subject::new(harness, function, event.to_string().into(), harness.dynamodb());
    let subjects: Vec<Subject> = sizes.iter().map(|tables| subject(&tables.harness)).collect();
    let mut processes = vec![];
    for (Tables { harness, rollback, .. }, subject) in sizes.iter_mut().zip(&subjects) {
        rollback.reset_tables(harness, function, &event)?;
        processes.push((WarmProcess::start(harness, subject, None).await?, &*harness, rollback));
    }
    let begin = Instant::now();
    for round in 0..MAX_REQUESTS {
        if round >= MIN_REQUESTS && begin.elapsed() > TIME_BUDGET {
            break;
        }
        for ((process, harness, rollback), samples) in processes.iter_mut().zip(&mut by_size) {
            rollback.reset_tables(harness, function, &event)?;
            samples.warm.push(process.invoke().await?);
        }
    }
    for (process, _, rollback) in processes {
        process.stop().await;
        rollback.roll_back()?;
    }
    Ok(Measurement { name: function.name.clone(), by_size })
}

/// Returns the function's event of `events/`. A GET request gets a limit of [`PAGE_SIZE`] entries; functions that
/// return no list ignore it.
fn event(harness: &Harness, function: &Function) -> Result<Value> {
    let event = harness.event(&function.name)?;
    let mut event: Value =
        serde_json::from_slice(&event).with_context(|| format!("the event of {} is not JSON", function.name))?;
    if event["requestContext"]["http"]["method"] == "GET" {
        event["rawQueryString"] = with_limit(event["rawQueryString"].as_str().unwrap_or_default()).into();
    }
    Ok(event)
}

/// Sets the parameter `limit` of a query string to [`PAGE_SIZE`] and keeps the other parameters.
fn with_limit(query: &str) -> String {
    let others = query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("limit="));
    others.map(str::to_owned).chain([format!("limit={PAGE_SIZE}")]).collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use local::lambda::build;
    use local::template::Template;
    use testing::recorder::Request;

    use super::*;

    /// In tables that are ten times as large, every function sends the same requests and consumes the same capacity. The
    /// one exception is the Query of purge-deleted-tag, which reads all favorites of a user.
    #[tokio::test(flavor = "multi_thread")]
    async fn requests_and_capacity_are_the_same_on_small_and_large_tables() {
        let template = Template::find().expect("template.yaml");
        build::functions(template.parent().expect("a directory")).await.expect("the functions build");
        let binaries = build::directory().expect("a directory");
        let mut small = Tables::load(1_000, &binaries).await.expect("tables");
        let mut large = Tables::load(10_000, &binaries).await.expect("tables");
        for function in small.harness.template().functions.clone() {
            let event = event(&small.harness, &function).expect("an event");
            let in_small = small.requests(&function, &event).await.expect("an answer");
            let in_large = large.requests(&function, &event).await.expect("an answer");
            // Requests that a function sends concurrently arrive in any order.
            let grows = |request: &&Request| function.name == "purge-deleted-tag" && request.operation == "Query";
            let distinct = |requests: &[Request]| -> BTreeSet<_> {
                let flat = requests.iter().filter(|request| !grows(request));
                flat.map(|request| format!("{} {:?}", request.operation, request.units)).collect()
            };
            assert_eq!(in_small.len(), in_large.len(), "{}", function.name);
            assert_eq!(distinct(&in_small), distinct(&in_large), "{}", function.name);
        }
    }

    #[test]
    fn sets_the_limit_and_keeps_other_parameters() {
        assert_eq!(with_limit(""), "limit=20");
        assert_eq!(with_limit("sort=name&limit=3&order=asc"), "sort=name&order=asc&limit=20");
    }
}
