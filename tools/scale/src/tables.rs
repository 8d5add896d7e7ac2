//! The generated tables: rules of units, partitions, highest rates, streams, and the results of the simulation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::Result;
use local::costs::Rule;
use local::template::Function;
use serde_json::{Value, json};

use crate::assumptions::Assumptions;
use crate::batches::{self, Batch, Batches};
use crate::costs;
use crate::durations::Durations;
use crate::partitions::Load;
use crate::prices::Prices;
use crate::recording::Recording;
use crate::simulation::Month;
use crate::text::{number, rounded};

/// The records of a burst in one shard, for which the table of streams states the lag.
const BURST: f64 = 10_000.0;

/// Returns the highest rate to one partition, in requests a second.
fn rate(load: &Load, assumptions: &Assumptions) -> f64 {
    let writes = assumptions.value("partition_writes") / load.writes;
    writes.min(assumptions.value("partition_reads") / load.reads)
}

/// Returns the name of a table or an index in Markdown, with the parameter `Stage` in place of its
/// default.
pub(crate) fn place(name: &str) -> String {
    format!("`{}`", name.replace("dev.", "<stage>."))
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

/// Returns the table of all partitions that each function touches.
pub(crate) fn partitions(recordings: &[Recording], assumptions: &Assumptions) -> String {
    let mut text = "| function | table or index | partition | how many | reads of one | writes of one | requests/s |\n\
                    |---|---|---|--:|--:|--:|--:|\n"
        .to_owned();
    for Recording { function, loads, .. } in recordings {
        for load in loads {
            let units = |units: f64| if units == 0.0 { String::new() } else { number(units) };
            let _ = writeln!(
                text,
                "| {} | {} | `{}` | {} | {} | {} | {} |",
                function.name,
                place(&load.place),
                load.partition,
                load.partitions,
                units(load.reads),
                units(load.writes),
                number(rate(load, assumptions)),
            );
        }
    }
    text
}

/// Returns the partitions that each function touches as JSON, one function to a line. Requests at the
/// same time are answered in any order, so the last digits of their sums may differ.
pub(crate) fn partitions_of_page(recordings: &[Recording]) -> String {
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

/// Returns the table of the highest rate of each function when all callers name the same user,
/// photo or other subject.
pub(crate) fn rates(recordings: &[Recording], assumptions: &Assumptions) -> String {
    let mut text = "| function | requests/s | gives way first | then |\n|---|--:|---|---|\n".to_owned();
    for Recording { function, loads, .. } in recordings {
        // Each caller has a partition of their own.
        let shared =
            loads.iter().filter(|load| !["<caller>", "<follower>"].iter().any(|own| load.partition.contains(own)));
        let lowest = shared.min_by(|one, other| rate(one, assumptions).total_cmp(&rate(other, assumptions)));
        let Some(load) = lowest else { continue };
        let then = match function {
            function if !function.routes.is_empty() => "503",
            function if !function.mappings.is_empty() => "the stream waits",
            function if function.reads_records() => "the messages wait",
            function if !function.triggers.is_empty() => "the sign-up fails",
            _ => "Lambda repeats the event",
        };
        let rate = number(rate(load, assumptions));
        let _ =
            writeln!(text, "| {} | {rate} | `{}` in {} | {then} |", function.name, load.partition, place(&load.place));
    }
    text
}

/// Returns the table of the stream functions: full batches where they were measured, and the sample
/// event with its one record for the others.
pub(crate) fn streams(
    recordings: &[Recording],
    durations: &Durations,
    batches: &Batches,
    prices: &Prices,
    assumptions: &Assumptions,
) -> Result<String> {
    let mut text = "| function | stream | batches at once | records of a batch | ms | left to the queue | \
                    records/s of a shard | lag behind 10,000 records in a shard, s | \
                    $ for a million records |\n|---|---|--:|---|--:|--:|--:|--:|--:|\n"
        .to_owned();
    for recording in recordings {
        let Function { name, mappings, memory_mb, .. } = &recording.function;
        for mapping in mappings {
            let mut row = |kind: &str, batch: Batch| {
                let rate = batch.rate(mapping.parallelization);
                #[expect(clippy::cast_precision_loss, reason = "a batch has at most 10,000 records")]
                let dollars = prices.marginal(&costs::of_batch(&batch, *memory_mb))? * 1e6 / batch.records as f64;
                let Batch { records, ms, handed_over, .. } = batch;
                let _ = writeln!(
                    text,
                    "| {name} | {} | {} | {records} {kind} | {} | {handed_over} | {} | {} | {dollars:.2} |",
                    place(&mapping.table),
                    mapping.parallelization,
                    rounded(ms),
                    rounded(rate),
                    rounded(BURST / rate),
                );
                anyhow::Ok(())
            };
            if name == batches::FUNCTION {
                for kind in [batches::COUNTS, batches::NOTIFICATIONS, batches::FEEDS, batches::BURST_OF_FEEDS] {
                    row(kind, batches.get(kind, *memory_mb)?)?;
                }
            } else {
                let ms = costs::duration_ms(recording, durations, assumptions);
                row("of the sample event", Batch { records: 1, ms, cpu_ms: ms, handed_over: 0 })?;
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
    row("requests, millions", &|month| rounded(month.requests / 1e6));
    row("requests/s, in the busiest minute", &|month| rounded(month.peak_requests));
    row("concurrent executions, in the busiest minute", &|month| rounded(month.peak_concurrency));
    for (at, name) in ["photos: write units/s", "photos: read units/s", "feeds: write units/s", "feeds: read units/s"]
        .into_iter()
        .enumerate()
    {
        row(&format!("table of {name}, in the busiest minute"), &move |month| rounded(month.peak_units[at]));
    }
    row("shards of the stream of the photos", &|month| rounded(month.shards));
    row("authors who are pulled", &|month| rounded(month.pulled_authors));
    row("authors whom a mean reader pulls", &|month| rounded(month.pulled_by_reader));
    row("entries pushed into feeds, millions", &|month| rounded(month.pushed / 1e6));
    for (at, name) in
        ["mean", "mean of the worst minute", "of an author at the limit, worst minute"].into_iter().enumerate()
    {
        row(&format!("lag of feeds, s: {name}"), &move |month| rounded(month.lag[at]));
    }
    row("reactions uncounted at first, thousands", &|month| rounded(month.uncounted / 1e3));
    let causes = [
        "reactions to one photo, which its partition of InvertedIndex does not take",
        "pages of feeds, because of the item with the newest photos of the most followed author",
        "pages of feeds, because of these photos themselves",
        "views of the viral photo, because of its partition of InvertedIndex",
    ];
    for (at, cause) in causes.into_iter().enumerate() {
        row(&format!("throttled, % of all requests: {cause}"), &move |month| {
            rounded(100.0 * month.throttled[at] / month.requests)
        });
    }
    row("answered 429 with the default quota of API Gateway, % of all requests", &|month| {
        rounded(100.0 * month.above_quota / month.requests)
    });
    text
}

/// Returns the table of the dollars by service, for a million users and a month.
pub(crate) fn dollars(months: &[Month], prices: &Prices) -> Result<String> {
    let bills: Vec<BTreeMap<String, f64>> =
        months.iter().map(|month| prices.of_month(&month.usage)).collect::<Result<_>>()?;
    let services: BTreeSet<&String> = bills.iter().flat_map(BTreeMap::keys).collect();
    let mut text = head(months);
    let mut row = |name: &str, dollars: &dyn Fn(&BTreeMap<String, f64>) -> f64| {
        let millions = months.iter().map(|month| month.users / 1e6);
        let cells: Vec<String> =
            bills.iter().zip(millions).map(|(bill, millions)| rounded(dollars(bill) / millions)).collect();
        let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
    };
    for service in services {
        row(&prices.label(service), &|bill| bill.get(service).copied().unwrap_or_default());
    }
    row("all", &|bill| bill.values().sum());
    Ok(text)
}

/// Returns the table of the dollars of a month by service.
pub(crate) fn bill(month: &Month, prices: &Prices) -> Result<String> {
    let bill = prices.of_month(&month.usage)?;
    let mut text = format!("| | {} users |\n|---|--:|\n", number(month.users));
    let mut row = |name: &str, dollars: f64| {
        let _ = writeln!(text, "| {name} | {dollars:.2} |");
    };
    for (service, dollars) in bill.iter().filter(|(_, dollars)| **dollars >= 0.005) {
        row(&prices.label(service), *dollars);
    }
    row("all", bill.values().sum());
    Ok(text)
}

fn head(months: &[Month]) -> String {
    let users: Vec<String> =
        months.iter().map(|month| format!("{} million users", number(month.users / 1e6))).collect();
    format!("| | {} |\n|---|{}\n", users.join(" | "), "--:|".repeat(months.len()))
}
