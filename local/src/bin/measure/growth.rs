//! `measure --growth`: every pattern on tables that grow, in both ways. There are more people in them, and those whom
//! the events name have more of everything, so that the page that is asked for is one of hundreds.

use std::path::Path;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use indicatif::ProgressBar;
use local::load;
use local::recorder::{Recorder, Request};
use local::template::Function;
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
/// How often a warm function is asked at each size, if that doesn't take longer than its time.
const REQUESTS: usize = 200;
const TIME: Duration = Duration::from_secs(6);
/// How often it is asked however long that takes.
const FEWEST_REQUESTS: usize = 3;

/// Tables of one size.
struct Tables {
    items: usize,
    bench: Workbench,
    undo: Undo,
    /// How long the loader took to fill them.
    loading: Duration,
}

/// What a function took, at each size.
struct Finding {
    name: String,
    at: Vec<Figures>,
}

struct Figures {
    /// What it asked of DynamoDB.
    requests: Vec<Request>,
    warm: Vec<Duration>,
}

/// Measures all patterns at each size, and writes what it found.
pub(crate) async fn run(binaries: &Path, out: &Path) -> Result<(), String> {
    let mut sizes = vec![];
    for items in SIZES {
        sizes.push(Tables::of(items, binaries).await?);
    }
    let functions = sizes[0].bench.template().functions.clone();
    let progress = ProgressBar::new(functions.len() as u64);
    let mut findings = vec![];
    for function in &functions {
        findings.push(find(&mut sizes, function).await?);
        progress.inc(1);
    }
    progress.finish_and_clear();
    report::write(&sizes, &findings, out)
}

impl Tables {
    /// Has the project's own loader fill them.
    async fn of(items: usize, binaries: &Path) -> Result<Self, String> {
        let bench = Workbench::empty(binaries.to_owned())?;
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
        let loading = begin.elapsed();
        progress.finish_and_clear();
        let undo = Undo::watch(&bench)?;
        Ok(Self { items, bench, undo, loading })
    }
}

/// Looks what a function asks of DynamoDB at each size, then how long it takes with nothing between the two. The sizes
/// take turns, so that what else the machine does befalls all alike.
async fn find(sizes: &mut [Tables], function: &Function) -> Result<Finding, String> {
    let event = with_page(&sizes[0].bench.event(&function.name)?);
    let event = event.map_err(|error| format!("the event of {}: {error}", function.name))?;
    let subject = |bench: &Workbench, dynamodb: &str| Subject::of(bench, function, event.clone(), dynamodb);
    let mut figures = vec![];
    for Tables { bench, undo, .. } in &mut *sizes {
        let recorder = Recorder::start(bench.dynamodb()).map_err(|error| error.to_string())?;
        let seen = subject(bench, recorder.url());
        undo.prepare(&event)?;
        Warm::start(bench, &seen, None).await?.down().await;
        figures.push(Figures { requests: recorder.take(), warm: vec![] });
        undo.prepare(&event)?;
    }

    let subjects: Vec<Subject> = sizes.iter().map(|size| subject(&size.bench, size.bench.dynamodb())).collect();
    let mut processes = vec![];
    for (Tables { bench, undo, .. }, subject) in sizes.iter_mut().zip(&subjects) {
        processes.push((Warm::start(bench, subject, None).await?, undo));
    }
    let begin = Instant::now();
    for round in 0..REQUESTS {
        if round >= FEWEST_REQUESTS && begin.elapsed() > TIME {
            break;
        }
        for ((process, undo), figures) in processes.iter_mut().zip(&mut figures) {
            undo.prepare(&event)?;
            figures.warm.push(process.ask().await?);
        }
    }
    for (process, undo) in processes {
        process.down().await;
        undo.put_back()?;
    }
    Ok(Finding { name: function.name.clone(), at: figures })
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
