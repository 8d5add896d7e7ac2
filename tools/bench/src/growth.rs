//! `measure --growth`: every pattern on tables that grow, in both ways. There are more people in them, and those whom
//! the events name have more of everything, so that the page that is asked for is one of hundreds.

use std::path::Path;
use std::time::{Duration, Instant};

use ::load;
use indicatif::ProgressBar;
use local::template::Function;
use serde_json::Value;
use testing::harness::Workbench;
use testing::recorder::{Recorder, Request};

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

    /// What a function asks of DynamoDB.
    async fn asked(&mut self, function: &Function, event: &Value) -> Result<Vec<Request>, String> {
        let recorder = Recorder::start(self.bench.dynamodb()).map_err(|error| error.to_string())?;
        let subject = Subject::of(&self.bench, function, event.to_string().into(), recorder.url());
        self.undo.prepare(&self.bench, function, event)?;
        Warm::start(&self.bench, &subject, None).await?.down().await;
        Ok(recorder.take())
    }
}

/// Looks what a function asks of DynamoDB at each size, then how long it takes with nothing between the two. The sizes
/// take turns, so that what else the machine does befalls all alike.
async fn find(sizes: &mut [Tables], function: &Function) -> Result<Finding, String> {
    let event = event(&sizes[0].bench, function)?;
    let mut figures = vec![];
    for tables in &mut *sizes {
        figures.push(Figures { requests: tables.asked(function, &event).await?, warm: vec![] });
    }

    let subject = |bench: &Workbench| Subject::of(bench, function, event.to_string().into(), bench.dynamodb());
    let subjects: Vec<Subject> = sizes.iter().map(|size| subject(&size.bench)).collect();
    let mut processes = vec![];
    for (Tables { bench, undo, .. }, subject) in sizes.iter_mut().zip(&subjects) {
        undo.prepare(bench, function, &event)?;
        processes.push((Warm::start(bench, subject, None).await?, &*bench, undo));
    }
    let begin = Instant::now();
    for round in 0..REQUESTS {
        if round >= FEWEST_REQUESTS && begin.elapsed() > TIME {
            break;
        }
        for ((process, bench, undo), figures) in processes.iter_mut().zip(&mut figures) {
            undo.prepare(bench, function, &event)?;
            figures.warm.push(process.ask().await?);
        }
    }
    for (process, _, undo) in processes {
        process.down().await;
        undo.put_back()?;
    }
    Ok(Finding { name: function.name.clone(), at: figures })
}

/// The function's event of `events/`; if it asks for a list, for a page of [`PAGE`] entries. What isn't a list takes no
/// notice of a limit.
fn event(bench: &Workbench, function: &Function) -> Result<Value, String> {
    let event = serde_json::from_slice(&bench.event(&function.name)?);
    let mut event: Value = event.map_err(|error| format!("the event of {}: {error}", function.name))?;
    if event["requestContext"]["http"]["method"] == "GET" {
        event["rawQueryString"] = with_page(event["rawQueryString"].as_str().unwrap_or_default()).into();
    }
    Ok(event)
}

fn with_page(query: &str) -> String {
    let others = query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("limit="));
    others.map(str::to_owned).chain([format!("limit={PAGE}")]).collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use local::lambda::build;
    use local::template::Template;

    use super::*;

    /// Of tables ten times as large, every page and every write takes the same.
    #[tokio::test(flavor = "multi_thread")]
    async fn requests_and_capacity_do_not_grow() {
        let template = Template::find().expect("template.yaml");
        build::functions(template.parent().expect("a directory")).await.expect("the functions build");
        let binaries = build::directory().expect("a directory");
        let mut small = Tables::of(1_000, &binaries).await.expect("tables");
        let mut large = Tables::of(10_000, &binaries).await.expect("tables");
        for function in small.bench.template().functions.clone() {
            let event = event(&small.bench, &function).expect("an event");
            let of_small = small.asked(&function, &event).await.expect("an answer");
            let of_large = large.asked(&function, &event).await.expect("an answer");
            // Those that are sent at once arrive in any order.
            let took = |requests: &[Request]| -> BTreeSet<_> {
                requests.iter().map(|request| format!("{} {:?}", request.operation, request.units)).collect()
            };
            assert_eq!(of_small.len(), of_large.len(), "{}", function.name);
            assert_eq!(took(&of_small), took(&of_large), "{}", function.name);
        }
    }

    #[test]
    fn a_list_is_asked_for_a_page_and_keeps_what_else_it_asks_for() {
        assert_eq!(with_page(""), "limit=20");
        assert_eq!(with_page("sort=name&limit=3&order=asc"), "sort=name&order=asc&limit=20");
    }
}
