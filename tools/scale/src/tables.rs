//! The generated tables: rules of units, partitions, highest rates, streams, and the results of the
//! simulation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::Result;
use local::costs::{Callers, Pattern, Rule};
use local::template::Function;
use serde_json::{Value, json};

use crate::batches::{self, Batch};
use crate::costs;
use crate::inputs::Inputs;
use crate::partitions::Load;
use crate::prices::Prices;
use crate::recording::Recording;
use crate::simulation::Month;
use crate::text::{number, rounded};

/// Returns the highest rate to one partition, in requests a second.
fn rate(load: &Load, inputs: &Inputs) -> f64 {
    let writes = inputs.value("partition_writes") / load.writes;
    writes.min(inputs.value("partition_reads") / load.reads)
}

/// Returns the table of the rules by which the units of the operations grow. Operations with the
/// same rule share a row.
pub(crate) fn rules() -> Result<String> {
    let mut text = "| operation | units | what counts |\n|---|---|---|\n".to_owned();
    let rules = local::costs::rules()?;
    for group in rules.chunk_by(|one, other| (&one.units, &one.counts) == (&other.units, &other.counts)) {
        let operations: Vec<&str> = group.iter().map(|rule| rule.operation.as_str()).collect();
        let Some(Rule { units, counts, .. }) = group.first() else { continue };
        let _ = writeln!(text, "| {} | {units} | {counts} |", operations.join(", "));
    }
    Ok(text)
}

/// Returns the partitions that each function touches as JSON, one function to a line. Requests at the
/// same time are answered in any order, so the last digits of their sums may differ.
pub(crate) fn partitions(recordings: &[Recording]) -> String {
    let short = |units: f64| (units * 100.0).round() / 100.0;
    let partition = |load: &Load| {
        let Load { place, partition, reads, writes, .. } = load;
        json!({"place": place, "key": partition, "read": short(*reads), "write": short(*writes)})
    };
    let line = |Recording { function, loads, .. }: &Recording| {
        let partitions: Value = loads.iter().map(partition).collect();
        format!("  {:?}: {partitions}", function.name)
    };
    format!("{{\n{}\n}}\n", recordings.iter().map(line).collect::<Vec<_>>().join(",\n"))
}

/// The rate of a route that takes one read unit. The table of rates has only lower ones.
const OF_READS: u64 = 3000;

/// Returns the table of the highest rates at which different callers can name the same user, photo
/// or other subject, with the routes that have them.
pub(crate) fn rates(inputs: &Inputs) -> String {
    let mut rates = BTreeMap::<u64, Vec<&str>>::new();
    for Recording { function, pattern, loads, .. } in inputs.functions {
        let own = own_names(pattern);
        let shared = loads.iter().filter(|load| !own.iter().any(|own| load.partition.contains(own)));
        let lowest = shared.map(|load| rate(load, inputs)).min_by(f64::total_cmp);
        if let Some(rate) = lowest.filter(|_| pattern.who.is_some()) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "thousands at most")]
            rates.entry(rate.round() as u64).or_default().push(&function.name);
        }
    }
    let mut text = "| requests/s | routes |\n|--:|---|\n".to_owned();
    for (rate, functions) in rates.range(..OF_READS) {
        #[expect(clippy::cast_precision_loss, reason = "thousands at most")]
        let _ = writeln!(text, "| {} | {} |", number(*rate as f64), functions.join(", "));
    }
    text
}

/// Returns the names that stand for the caller in the partitions of a pattern. Each caller has
/// partitions of their own.
fn own_names(pattern: &Pattern) -> Vec<String> {
    let owner = match &pattern.who {
        Some(Callers::Owner(name)) => name.trim_start_matches("body."),
        Some(Callers::Either([name, _])) => name,
        _ => "caller",
    };
    ["caller", owner].map(|name| format!("<{name}>")).to_vec()
}

/// Returns the table of the stream functions: full batches where they were measured, and the sample
/// event with its one record for the others.
pub(crate) fn streams(inputs: &Inputs) -> Result<String> {
    let mut text = "| function | batches at once | records of a batch | ms | left to the queue | \
                    records/s of a shard | $ per million |\n|---|--:|---|--:|--:|--:|--:|\n"
        .to_owned();
    for recording in inputs.functions {
        let Function { name, mappings, memory_mb, .. } = &recording.function;
        for mapping in mappings {
            let mut row = |batch: &Batch| {
                let rate = batch.rate(mapping.parallelization);
                #[expect(clippy::cast_precision_loss, reason = "a batch has at most 10,000 records")]
                let dollars = inputs.prices.marginal(&costs::of_batch(batch))? * 1e6 / batch.records as f64;
                let Batch { batch: kind, records, ms, handed_over, .. } = batch;
                let _ = writeln!(
                    text,
                    "| {name} | {} | {records} {kind} | {} | {handed_over} | {} | {dollars:.2} |",
                    mapping.parallelization,
                    rounded(*ms),
                    rounded(rate),
                );
                anyhow::Ok(())
            };
            if name == batches::FUNCTION {
                for kind in [batches::COUNTS, batches::NOTIFICATIONS, batches::FEEDS, batches::BURST_OF_FEEDS] {
                    row(inputs.batches.get(kind, *memory_mb)?)?;
                }
            } else {
                let ms = costs::duration_ms(recording, inputs);
                let batch = "of the sample event".to_owned();
                row(&Batch { batch, memory_mb: *memory_mb, records: 1, ms, cpu_ms: ms, handed_over: 0 })?;
            }
        }
    }
    Ok(text)
}

/// Returns the table of what happens in the months.
pub(crate) fn months(months: &[Month]) -> String {
    let mut text = head(months);
    let mut row = |name: &str, value: &dyn Fn(&Month) -> String| {
        let cells: Vec<String> = months.iter().map(value).collect();
        let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
    };
    let both = |[writes, reads]: [f64; 2]| format!("{}; {}", rounded(writes), rounded(reads));
    row("requests/s", &|month| rounded(month.peak_requests));
    row("concurrent executions", &|month| rounded(month.peak_concurrency));
    row("table of photos: write units/s; read units/s", &|month| both(month.peak_photos));
    row("table of feeds: write units/s; read units/s", &|month| both(month.peak_feeds));
    row("shards of the stream of the photos", &|month| rounded(month.shards));
    row("authors who are pulled; by a mean reader", &|month| both([month.pulled_authors, month.pulled_by_reader]));
    row("entries pushed into feeds, millions", &|month| rounded(month.pushed / 1e6));
    row("lag of feeds, s: mean; of an author at the limit", &|month| both(month.lag));
    row("reactions uncounted at first, thousands", &|month| rounded(month.uncounted / 1e3));
    row("throttled at one partition, %", &|month| rounded(100.0 * month.throttled / month.requests));
    row("429 with API Gateway's default quota, %", &|month| rounded(100.0 * month.above_quota / month.requests));
    text
}

/// Returns the table of the dollars of the months by service, without services that never cost half
/// a dollar.
pub(crate) fn dollars(months: &[Month], prices: &Prices) -> Result<String> {
    let bills: Vec<BTreeMap<String, f64>> =
        months.iter().map(|month| prices.of_month(&month.usage)).collect::<Result<_>>()?;
    let all = bills.iter().flatten();
    let services: BTreeSet<&String> = all.filter(|(_, dollars)| **dollars >= 0.5).map(|(service, _)| service).collect();
    let mut text = head(months);
    let mut row = |name: &str, dollars: &dyn Fn(&BTreeMap<String, f64>) -> f64| {
        let cells = bills.iter().map(|bill| match dollars(bill) {
            less_than_a_cent if less_than_a_cent < 0.005 => "0".to_owned(),
            dollars => rounded(dollars),
        });
        let _ = writeln!(text, "| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
    };
    for service in services {
        row(&prices.label(service), &|bill| bill.get(service).copied().unwrap_or_default());
    }
    row("all", &|bill| bill.values().sum());
    Ok(text)
}

fn head(months: &[Month]) -> String {
    let users = months.iter().map(|month| match month.users {
        few if few < 1e6 => format!("{} users", number(few)),
        many => format!("{} million users", number(many / 1e6)),
    });
    format!("| | {} |\n|---|{}\n", users.collect::<Vec<_>>().join(" | "), "--:|".repeat(months.len()))
}
