//! Counts of instructions, by which a change that slows functions down is found on any machine:
//! `measure --instructions`.
//!
//! Times on a busy machine are noisy; the number of instructions that a program executes is not.
//! [Valgrind's cachegrind](https://valgrind.org/docs/manual/cg-manual.html) counts it. A function
//! under it serves its sample event on the sample data. `docs/results/instructions.csv` has the
//! counts that are compared with.
//!
//! There is no TLS: under Valgrind a handshake takes about as long as the timeout of an attempt.
//! On a busy machine the first request itself takes longer than that and is repeated. A process
//! that has repeated a request is not counted.
//!
//! The binaries are those of `cargo build`, which are there whenever tests have run. Without
//! optimizations the counts are several times as large, and code that is added shows as well.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use local::lambda::build;
use local::recorder::{self, Request, Sink};
use local::template::Template;
use scale::csv_file;
use serde::{Deserialize, Serialize};
use terminal::println;
use testing::harness::Harness;

use crate::functions::select;
use crate::subject::{Subject, WarmProcess};

/// The functions that are counted: a read of one item, a Query with signed URLs, a transaction, a
/// write of several requests, a page of a feed, and a function of a stream.
const FUNCTIONS: [&str; 6] =
    ["get-user", "fetch-user-and-photos", "follow-user", "unclip-favorite", "list-feed", "index-favorite"];
/// The number of warm requests, over which the count of one is averaged.
const WARM_REQUESTS: u64 = 10;
/// The number of processes that are started for each count. The smallest count is taken: a larger
/// one includes more polls of a socket.
const RUNS: u32 = 2;
/// The number of processes after which a count that has grown is believed, and after which a
/// machine on which each repeats a request is too busy to count.
const MAX_RUNS: u32 = 8;
/// The growth of a count, in percent, above which the command fails.
const MAX_GROWTH_PERCENT: u64 = 2;
/// The time in which Valgrind has to write the counts of a function that was told to end.
const END_TIMEOUT: Duration = Duration::from_secs(20);

/// The instructions of one function: a row of the file.
#[derive(Deserialize, Serialize)]
struct Counts {
    function: String,
    /// Those of a process from its start to the answer of its first event.
    cold_start: u64,
    /// Those of one more event.
    warm_request: u64,
}

impl Counts {
    /// Tells whether a count is more than [`MAX_GROWTH_PERCENT`] larger than in `then`.
    fn have_grown(&self, then: &Self) -> bool {
        let has_grown = |now: u64, then: u64| now * 100 > then * (100 + MAX_GROWTH_PERCENT);
        has_grown(self.cold_start, then.cold_start) || has_grown(self.warm_request, then.warm_request)
    }
}

/// Counts the instructions and compares them with the committed counts, or replaces those if
/// `renew` is set.
pub(crate) async fn run(template: &Template, root: &Path, renew: bool) -> Result<()> {
    ensure!(cfg!(debug_assertions), "the committed counts are those of a build without --release");
    let functions = select(template, &FUNCTIONS.map(str::to_owned))?;
    build::functions(root).await?;
    let harness = Harness::new(build::directory()?)?;
    let file = root.join("docs/results/instructions.csv");
    let committed: Vec<Counts> = csv_file::read(&file)?;
    let mut counts = vec![];
    for function in &functions {
        let retries = Retries::default();
        let dynamodb = recorder::start(harness.dynamodb(), retries.clone())?;
        let mut subject = Subject::new(&harness, function, harness.event(&function.name)?, dynamodb.url());
        // The roots of this machine, if it has others than Amazon's, take most of the start to
        // parse.
        subject.environment.remove("SSL_CERT_FILE");
        // Counts that will be compared with are the smallest of all processes.
        let then = if renew { None } else { Some(find(&committed, &function.name)?) };
        counts.push((count(&harness, subject, &retries, then).await?, then));
    }
    if renew {
        csv_file::write(&file, counts.iter().map(|(counts, _)| counts))?;
        println!("{}", file.display());
        return Ok(());
    }
    compare(&counts)
}

/// Notes whether a function has repeated a request to DynamoDB.
#[derive(Clone, Default)]
struct Retries(Arc<AtomicBool>);

impl Sink for Retries {
    fn answered(&self, request: Request) {
        self.0.fetch_or(request.is_retry, Ordering::Relaxed);
    }
}

/// Counts the instructions of a function, until the counts have not grown beyond the committed
/// counts `then`, or [`MAX_RUNS`] processes have run. Fails if all of them have repeated
/// a request.
async fn count(harness: &Harness, mut subject: Subject, retries: &Retries, then: Option<&Counts>) -> Result<Counts> {
    let directory = tempfile::tempdir()?;
    let report = directory.path().join("counts");
    let binary = subject.program.display().to_string();
    subject.program = PathBuf::from("/usr/bin/valgrind");
    subject.arguments = vec![
        "--tool=cachegrind".to_owned(),
        "--cache-sim=no".to_owned(),
        "--log-file=/dev/null".to_owned(),
        format!("--cachegrind-out-file={}", report.display()),
        binary,
    ];
    let (mut cold_start, mut all): (Option<u64>, Option<u64>) = (None, None);
    for run in 1..=MAX_RUNS {
        for (smallest, warm_requests) in [(&mut cold_start, 0), (&mut all, WARM_REQUESTS)] {
            let count = instructions(harness, &subject, warm_requests, &report).await?;
            if !retries.0.swap(false, Ordering::Relaxed) {
                *smallest = Some(smallest.map_or(count, |smallest| smallest.min(count)));
            }
        }
        let counts = counts(&subject.name, cold_start, all);
        let are_final = counts.zip(then).is_some_and(|(counts, then)| !counts.have_grown(then));
        if run >= RUNS && are_final {
            break;
        }
    }
    counts(&subject.name, cold_start, all)
        .with_context(|| format!("{} repeated a request in each process: this machine is too busy", subject.name))
}

/// Returns the counts of a function from those of a process that served one event, and of one that
/// served [`WARM_REQUESTS`] more.
fn counts(function: &str, cold_start: Option<u64>, all: Option<u64>) -> Option<Counts> {
    let (cold_start, all) = cold_start.zip(all)?;
    let warm_request = all.saturating_sub(cold_start) / WARM_REQUESTS;
    Some(Counts { function: function.to_owned(), cold_start, warm_request })
}

/// Returns the instructions of a process that serves its first event and then some warm requests.
async fn instructions(harness: &Harness, subject: &Subject, warm_requests: u64, report: &Path) -> Result<u64> {
    let mut process = WarmProcess::start_on_sample_data(harness, subject, None).await?;
    for _ in 0..warm_requests {
        process.invoke_on_sample_data().await?;
    }
    process.terminate(END_TIMEOUT).await?;
    let text = fs::read_to_string(report).context("valgrind has written no counts")?;
    let summary = text.lines().find_map(|line| line.strip_prefix("summary: "));
    summary.and_then(|count| count.trim().parse().ok()).context("the counts of valgrind have no summary")
}

/// Prints each count beside the committed one. Fails if one has grown by more than
/// [`MAX_GROWTH_PERCENT`].
fn compare(counts: &[(Counts, Option<&Counts>)]) -> Result<()> {
    let mut grown = vec![];
    println!("{:24}{:>30}{:>30}", "instructions (committed)", "cold start", "warm request");
    for (now, then) in counts {
        let then = then.unwrap_or(now);
        let column = |now, then| format!("{now} ({then})");
        println!(
            "{:24}{:>30}{:>30}",
            now.function,
            column(now.cold_start, then.cold_start),
            column(now.warm_request, then.warm_request)
        );
        if now.have_grown(then) {
            grown.push(now.function.as_str());
        }
    }
    ensure!(
        grown.is_empty(),
        "{} executes more than {MAX_GROWTH_PERCENT} % more instructions than before. Find out why. If the growth is \
         worth it, run `cargo run --bin measure -- --instructions --renew`, and give the reason in the commit.",
        grown.join(", ")
    );
    Ok(())
}

/// Returns the committed counts of a function.
fn find<'a>(committed: &'a [Counts], function: &str) -> Result<&'a Counts> {
    let counts = committed.iter().find(|counts| counts.function == function);
    counts.with_context(|| format!("instructions.csv has no counts of {function}"))
}
