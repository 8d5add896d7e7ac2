//! `measure --growth`: every pattern on tables that grow, in both ways. There are more people in them, and those whom
//! the events name have more of everything, so that the page that is asked for is one of hundreds.

use std::path::Path;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use indicatif::ProgressBar;
use local::load;
use local::recorder::{Recorder, Request};
use local::workbench::Workbench;
use serde_json::Value;

use crate::run::{Subject, Warm};

mod chart;
mod report;
mod undo;
mod world;

use undo::Undo;
use world::PAGE;

/// So many items are in the tables together.
const SIZES: [usize; 3] = [1_000, 100_000, 1_000_000];
/// How often a warm function is asked, if that doesn't take longer than its time.
const REQUESTS: usize = 200;
const TIME: Duration = Duration::from_secs(3);
/// How often it is asked however long that takes.
const FEWEST_REQUESTS: usize = 3;

/// Tables of one size.
struct Size {
    items: usize,
    /// How long the loader took to fill the tables.
    loading: Duration,
    /// Of each function, in the order of template.yaml.
    findings: Vec<Finding>,
}

/// What a function took.
struct Finding {
    name: String,
    /// What it asked of DynamoDB.
    requests: Vec<Request>,
    warm: Vec<Duration>,
}

/// Measures all patterns at each size, and writes what it found.
pub(crate) async fn run(binaries: &Path, out: &Path) -> Result<(), String> {
    let mut sizes = vec![];
    for items in SIZES {
        sizes.push(at(items, binaries).await?);
    }
    report::write(&sizes, out)
}

async fn at(items: usize, binaries: &Path) -> Result<Size, String> {
    let bench = Workbench::empty(binaries.to_owned())?;
    let loading = fill(&bench, items).await?;
    let undo = Undo::watch(&bench)?;
    let functions = &bench.template().functions;
    let progress = ProgressBar::new(functions.len() as u64);
    let mut findings = vec![];
    for function in functions {
        let event = with_page(&bench.event(&function.name)?).map_err(|error| format!("{}: {error}", function.name))?;
        let subject = |dynamodb: &str| Subject::new(&function.name, event.clone(), &bench.command(function, dynamodb));
        findings.push(find(&bench, undo.clone(), subject).await?);
        progress.inc(1);
    }
    progress.finish_and_clear();
    Ok(Size { items, loading, findings })
}

/// Has the project's own loader fill the tables, and returns how long it took.
async fn fill(bench: &Workbench, items: usize) -> Result<Duration, String> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let files = world::write(items, directory.path())?;
    let progress = ProgressBar::new(items as u64);
    let begin = Instant::now();
    let mut loaded = 0;
    for (logical_id, file) in files {
        let table = &bench.template().table(logical_id)?.name;
        let mut fault = None;
        let watch = |event: load::Event| match event {
            load::Event::Progress { loaded: of_this, .. } => progress.set_position(loaded + of_this),
            load::Event::BadLine { line, reason } => fault = Some(format!("{table}: item {line}: {reason}")),
        };
        let report = load::file(&bench.client(), table, &file, watch).await.map_err(|error| error.to_string())?;
        fault.map_or(Ok(()), Err)?;
        loaded += report.loaded;
    }
    let took = begin.elapsed();
    progress.finish_and_clear();
    Ok(took)
}

/// The event; if it asks for a list, for a page of [`PAGE`] entries. What isn't a list takes no notice of a limit.
fn with_page(event: &Bytes) -> Result<Bytes, serde_json::Error> {
    let mut event: Value = serde_json::from_slice(event)?;
    if event["requestContext"]["http"]["method"] == "GET" {
        let query = event["rawQueryString"].as_str().unwrap_or_default();
        let others = query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("limit="));
        let query: Vec<String> = others.map(str::to_owned).chain([format!("limit={PAGE}")]).collect();
        event["rawQueryString"] = query.join("&").into();
    }
    serde_json::to_vec(&event).map(Bytes::from)
}

/// Looks what it asks of DynamoDB, then how long it takes with nothing between the two.
async fn find(bench: &Workbench, mut undo: Undo, subject: impl Fn(&str) -> Subject) -> Result<Finding, String> {
    let recorder = Recorder::start(bench.dynamodb()).map_err(|error| error.to_string())?;
    let seen = subject(recorder.url());
    undo.prepare(&seen.event)?;
    Warm::start(bench, &seen, None).await?.down().await;
    let requests = recorder.take();

    let subject = subject(bench.dynamodb());
    undo.prepare(&subject.event)?;
    let mut process = Warm::start(bench, &subject, None).await?;
    let mut warm = vec![];
    let begin = Instant::now();
    while warm.len() < FEWEST_REQUESTS || (warm.len() < REQUESTS && begin.elapsed() < TIME) {
        undo.prepare(&subject.event)?;
        warm.push(process.ask().await?);
    }
    process.down().await;
    undo.put_back()?;
    Ok(Finding { name: subject.name, requests, warm })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_asked_for_a_page_and_keeps_what_else_it_asks_for() {
        let query = |method: &str, query: &str| {
            let event = serde_json::json!({"requestContext": {"http": {"method": method}}, "rawQueryString": query});
            let event = with_page(&event.to_string().into()).expect("an event");
            let event: Value = serde_json::from_slice(&event).expect("an event");
            event["rawQueryString"].as_str().map(str::to_owned)
        };
        assert_eq!(query("GET", "").as_deref(), Some("limit=20"));
        assert_eq!(query("GET", "sort=name&limit=3&order=asc").as_deref(), Some("sort=name&order=asc&limit=20"));
        assert_eq!(query("PUT", "format=json").as_deref(), Some("format=json"));
    }
}
