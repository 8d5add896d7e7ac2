//! Measures a burst of reactions to one photo, of follows of one user, and of feeds with a photo of one
//! author: `cargo run --release --bin measure-hot-items`.
//!
//! The real handlers run in this process, on the embedded engine, behind a [limiter] that imitates
//! what DynamoDB limits: the throughput of a partition, and transactions that meet on an item. Time
//! is virtual, so the figures do not depend on the machine. All times have a resolution of 1 ms,
//! that of the clock of tokio.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Parser;

mod burst;
mod count;
mod dynamodb;
mod lambda;
mod limiter;
mod partition;
mod queues;
mod request;
mod streams;

use burst::{Outcome, Plan, Subject};
use dynamodb::ServiceTimes;
use request::Division;
use terminal::{print, println};

/// The unused units that a partition can save: those of one second, or with burst capacity those of
/// [300
/// seconds](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/burst-adaptive-capacity.html).
const NO_BURST: Duration = Duration::from_secs(1);
const BURST: Duration = Duration::from_mins(5);

/// Sends reactions to one photo, follows of one user, and then requests for feeds with a photo of one
/// author, at a constant rate through the real handlers in virtual time. Prints what callers got, and writes it to a file.
#[derive(Parser)]
#[command(name = "measure-hot-items", version, verbatim_doc_comment)]
struct Arguments {
    /// The requests per second, several rates separated by commas
    #[arg(long, value_delimiter = ',', default_values_t = [50, 200, 1000, 5000])]
    rate: Vec<u32>,
    /// The length of a burst in seconds
    #[arg(long, default_value_t = 30)]
    seconds: u32,
    /// Sends only reactions, only follows, or only requests for feeds
    #[arg(long, value_parser = ["reactions", "follows", "feeds"])]
    only: Option<String>,
    /// The time that DynamoDB takes for a transaction on average, in ms
    #[arg(long, default_value_t = 8)]
    transaction_time: u64,
    /// The time that DynamoDB takes for any other request on average, in ms
    #[arg(long, default_value_t = 4)]
    request_time: u64,
    /// Gives each partition the unused units of the last 300 seconds, as DynamoDB does as long as
    /// it needs them for nothing else
    #[arg(long)]
    burst_capacity: bool,
    /// Keeps all items with one partition key in one partition, and all entries of an index with
    /// one partition key, as before DynamoDB has split them for their heat
    #[arg(long)]
    unsplit: bool,
    /// Takes no units from a partition for a transaction that is cancelled because of a conflict
    #[arg(long)]
    free_conflicts: bool,
    /// The number of shards of each stream, which is that of its table's partitions
    #[arg(long, default_value_t = 10)]
    shards: usize,
    /// The seed of the service times and of the pauses before retries
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The directory for the table; an existing file is replaced
    #[arg(long, value_name = "DIR", default_value = "target/measure")]
    out: PathBuf,
}

fn main() -> ExitCode {
    terminal::exit_code("measure-hot-items", run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<()> {
    let out = &arguments.out;
    fs::create_dir_all(out).with_context(|| format!("cannot create the directory {}", out.display()))?;
    let mut text = format!(
        "Bursts of {} s. A transaction takes {} ms on average, any other request {} ms; {} burst capacity; conflicts take {} \
         units; {}; {} shards.\n\n\
         | requests | per s | 200, 201 | 503 | others | p50, ms | p99, ms | longest, ms | requests to DynamoDB for one | conflicts | \
         throttled | exact after, s | largest lag, s | largest difference | environments |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        arguments.seconds,
        arguments.transaction_time,
        arguments.request_time,
        if arguments.burst_capacity { "300 s of" } else { "no" },
        if arguments.free_conflicts { "no" } else { "all" },
        if arguments.unsplit { "unsplit collections" } else { "each item in a partition of its own" },
        arguments.shards,
    );
    print!("{text}");
    for (name, subject) in [("reactions", Subject::Reactions), ("follows", Subject::Follows), ("feeds", Subject::Feeds)]
    {
        if arguments.only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        for &requests_per_second in &arguments.rate {
            let outcome = burst::run(&Plan {
                subject,
                requests_per_second,
                seconds: arguments.seconds,
                division: if arguments.unsplit { Division::Collections } else { Division::Items },
                free_conflicts: arguments.free_conflicts,
                burst_capacity: if arguments.burst_capacity { BURST } else { NO_BURST },
                times: ServiceTimes {
                    transaction: Duration::from_millis(arguments.transaction_time),
                    other: Duration::from_millis(arguments.request_time),
                },
                shards: arguments.shards,
                seed: arguments.seed,
            })?;
            let row = row(name, requests_per_second, &outcome);
            print!("{row}");
            text.push_str(&row);
        }
    }
    let file = out.join("hot-items.md");
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    println!("\n{}", file.display());
    Ok(())
}

/// Returns the row of a burst.
fn row(name: &str, rate: u32, outcome: &Outcome) -> String {
    let mut latencies = outcome.latencies.clone();
    latencies.sort_unstable();
    let latency =
        |per_mille: usize| latencies.get((latencies.len() - 1) * per_mille / 1000).map_or(0, Duration::as_millis);
    let calls = outcome.latencies.len();
    let answers = |status: u16| outcome.answers.get(&status).copied().unwrap_or_default();
    let exact = match outcome.exact_after {
        Some(after) if (outcome.count, outcome.marked) == (outcome.written, 0) => format!("{:.1}", after.as_secs_f64()),
        _ => format!("never: {} of {}, {} marked", outcome.count, outcome.written, outcome.marked),
    };
    let statistics = &outcome.statistics;
    let (done, busy) = (answers(200) + answers(201), answers(503));
    let mut row = format!("| {name} | {rate} | {done} | {busy} | {} |", calls - done - busy);
    let _ = write!(row, " {} | {} | {} |", latency(500), latency(990), latency(1000));
    #[expect(clippy::cast_precision_loss, reason = "the numbers are below 2^52")]
    let _ = write!(row, " {:.2} |", statistics.requests as f64 / calls as f64);
    let _ = write!(row, " {} | {} | {exact} |", statistics.conflicts, statistics.throttled);
    let _ = write!(row, " {:.1} | {} |", outcome.largest_lag.as_secs_f64(), outcome.largest_difference);
    let _ = writeln!(row, " {} |", outcome.environments);
    row
}
