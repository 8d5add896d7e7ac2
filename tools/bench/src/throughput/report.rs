//! The tables of throughput and latency.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::step::Step;
use crate::statistics::milliseconds;

/// The minimum throughput of the stack on two CPUs, in requests per second.
const MIN_THROUGHPUT: u32 = 1000;

/// The explanation of the columns of the first table.
const LEGEND: &str = "
- clients: the number of concurrent clients. Each sends its next request after the answer to the previous one.
- requests/s: successful requests per second.
- p50, p99: the median and the 99th percentile of the latency that the clients observe.
- errors: the number of requests that failed, including the warm-up.
- CPUs busy: the CPU time of all processes divided by the wall time.
- stack, functions, clients: the CPU time per request, and its share of the total. The stack is the gateway, the Runtime
  API, the DynamoDB engine and the stream pollers. The functions include those that process stream records.
";

/// Prints the tables and writes them to the directory `out`. Fails if a request failed or a route had no traffic.
pub(super) fn write(steps: &[Step], stream_lag: Duration, routes: &BTreeSet<String>, out: &Path) -> Result<()> {
    let mut text = "Mixed traffic on all routes of the local stack, in steps of increasing concurrency:\n\n".to_owned();
    steps_table(&mut text, steps);
    text += LEGEND;
    text += "\nSummary:\n\n";
    let max = steps.iter().map(Step::throughput).fold(0.0, f64::max);
    let cpus = available_parallelism().context("cannot read the number of CPUs")?;
    let _ =
        writeln!(text, "- maximum throughput on {cpus} CPUs: {max:.0} requests/s; goal ≥ {MIN_THROUGHPUT} on 2 CPUs");
    let _ = writeln!(
        text,
        "- time from the end of the traffic until the functions had processed all stream records: {:.1} s\n",
        stream_lag.as_secs_f64()
    );
    if let Some(last) = steps.last() {
        routes_table(&mut text, last);
    }
    print!("{text}");
    let file = out.join("load.md");
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    println!("\n{}", file.display());

    let served: BTreeSet<_> = steps.iter().flat_map(|step| step.counts.by_route.keys().cloned()).collect();
    let not_served: Vec<_> = routes.difference(&served).map(String::as_str).collect();
    ensure!(not_served.is_empty(), "the traffic lacks these routes: {}", not_served.join(", "));
    let errors = steps.iter().flat_map(|step| &step.counts.errors);
    let errors: Vec<_> = errors.map(|(error, number)| format!("{number} × {error}")).collect();
    ensure!(errors.is_empty(), "requests failed:\n{}", errors.join("\n"));
    Ok(())
}

fn steps_table(text: &mut String, steps: &[Step]) {
    *text +=
        "| clients | requests/s | p50, ms | p99, ms | errors | CPUs busy | stack, ms | functions, ms | clients, ms |\n";
    *text += "|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
    for step in steps {
        let Step { clients, duration, counts, cpu } = step;
        let (latencies, throughput, seconds) = (counts.latencies(), step.throughput(), duration.as_secs_f64());
        let (p50, p99) = (milliseconds(latencies.quantile(0.5)), milliseconds(latencies.quantile(0.99)));
        let total = cpu.sum().as_secs_f64();
        let per_request = |time: Duration| {
            let per_request = milliseconds(time) / (throughput * seconds);
            format!("{per_request:.2} ({:.0} %)", 100.0 * time.as_secs_f64() / total)
        };
        let _ = writeln!(
            text,
            "| {clients} | {throughput:.0} | {p50:.1} | {p99:.1} | {} | {:.1} | {} | {} | {} |",
            counts.errors.values().sum::<u64>(),
            total / seconds,
            per_request(cpu.stack),
            per_request(cpu.functions),
            per_request(cpu.clients),
        );
    }
}

fn routes_table(text: &mut String, Step { clients, counts, .. }: &Step) {
    let _ = writeln!(
        text,
        "Each route with {clients} clients:\n\n| route | requests | p50, ms | p99, ms |\n|---|---:|---:|---:|"
    );
    for (route, latencies) in &counts.by_route {
        let (p50, p99) = (milliseconds(latencies.quantile(0.5)), milliseconds(latencies.quantile(0.99)));
        let _ = writeln!(text, "| {route} | {} | {p50:.1} | {p99:.1} |", latencies.count());
    }
}
