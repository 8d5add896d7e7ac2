//! What was found, as tables.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::thread::available_parallelism;
use std::time::Duration;

use super::Stage;
use crate::figures::milliseconds;

/// The stack serves so many requests a second on two CPUs.
const GOAL: u32 = 1000;

/// Prints the tables and writes them. Fails if there were errors, or if a route had no traffic.
pub(crate) fn write(stages: &[Stage], streams: Duration, routes: &BTreeSet<String>, out: &Path) -> Result<(), String> {
    let mut text = String::new();
    table(&mut text, stages);
    let most = stages.iter().map(Stage::rate).fold(0.0, f64::max);
    let cpus = available_parallelism().map_err(|error| error.to_string())?;
    let _ = writeln!(text, "- requests/s: {most:.0} at best, on {cpus} CPUs; goal ≥ {GOAL} on two");
    let _ = writeln!(text, "- the streams came to rest {:.1} s after the last request\n", streams.as_secs_f64());
    if let Some(last) = stages.last() {
        each_route(&mut text, last);
    }
    print!("{text}");
    let file = out.join("load.md");
    fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    println!("\n{}", file.display());

    let served: BTreeSet<_> = stages.iter().flat_map(|stage| stage.tally.routes.keys().cloned()).collect();
    let forgotten: Vec<_> = routes.difference(&served).map(String::as_str).collect();
    if !forgotten.is_empty() {
        return Err(format!("no traffic on {}", forgotten.join(", ")));
    }
    let errors = stages.iter().flat_map(|stage| &stage.tally.errors);
    let errors: Vec<_> = errors.map(|(error, times)| format!("{times} × {error}")).collect();
    if errors.is_empty() { Ok(()) } else { Err(format!("errors among the answers:\n{}", errors.join("\n"))) }
}

fn table(text: &mut String, stages: &[Stage]) {
    *text += "| clients | requests/s | p50 | p99 | errors | CPUs busy | stack | functions | client |\n";
    *text += "|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
    for stage in stages {
        let Stage { clients, took, tally, cpu } = stage;
        let (all, rate, seconds) = (tally.all(), stage.rate(), took.as_secs_f64());
        let (p50, p99) = (milliseconds(all.quantile(0.5)), milliseconds(all.quantile(0.99)));
        let busy = cpu.sum().as_secs_f64();
        let part = |part: Duration| {
            let each = milliseconds(part) / (rate * seconds);
            format!("{each:.2} ({:.0} %)", 100.0 * part.as_secs_f64() / busy)
        };
        let _ = writeln!(
            text,
            "| {clients} | {rate:.0} | {p50:.1} | {p99:.1} | {} | {:.1} | {} | {} | {} |",
            tally.errors.values().sum::<u64>(),
            busy / seconds,
            part(cpu.stack),
            part(cpu.functions),
            part(cpu.client),
        );
    }
    *text += "
Times in ms, as a client sees them. On the right, the CPU time of one request, by who used it: the stack is the gateway,
the Runtime API, the engine and the readers of its streams; the functions are also those on streams.

";
}

fn each_route(text: &mut String, Stage { clients, tally, .. }: &Stage) {
    let _ = writeln!(text, "With {clients} clients:\n\n| route | requests | p50 | p99 |\n|---|---:|---:|---:|");
    for (route, latencies) in &tally.routes {
        let (p50, p99) = (milliseconds(latencies.quantile(0.5)), milliseconds(latencies.quantile(0.99)));
        let _ = writeln!(text, "| {route} | {} | {p50:.1} | {p99:.1} |", latencies.count());
    }
}
