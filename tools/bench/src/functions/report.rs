//! The table of the functions, as the terminal shows it.

use std::fmt::Write;

use super::measurement::{Benchmark, Program};

/// The columns of the table after the function's name, before those of the other programs, with their
/// alignment.
const COLUMNS: [(&str, &str); 14] = [
    ("binary, MB", "---:"),
    ("start-up, ms", "---:"),
    ("first request, ms", "---:"),
    ("cold start p50, ms", "---:"),
    ("cold start p90, ms", "---:"),
    ("÷ empty function", "---:"),
    ("warm p50, ms", "---:"),
    ("warm p99, ms", "---:"),
    ("cold CPU, ms", "---:"),
    ("warm CPU, ms", "---:"),
    ("peak memory, MB", "---:"),
    ("DynamoDB requests", "---"),
    ("read units", "---:"),
    ("write units", "---:"),
];

/// The explanation of the columns.
const LEGEND: &str = "
- binary: the size of the executable file. One MB is 1,000,000 bytes.
- start-up: the median time from the start of the process until it requests its first event.
- first request: the median time from the delivery of that event until its answer, including the TLS handshake.
- cold start: start-up and first request together, as the median (p50) and the 90th percentile (p90).
- ÷ empty function: the cold start p50 divided by that of a function that does nothing.
- warm: the latency of a later request to the same process, as the median (p50) and the 99th percentile (p99).
- CPU: the CPU time of the process, as the median of a cold start and the mean of a warm request.
- peak memory: the largest resident set of any cold start.
- DynamoDB requests, read units, write units: the requests of one event and the capacity units that they consume.
";

/// The explanation of the columns of peers and other builds.
const OTHERS_LEGEND: &str = "\
- the last columns: the cold start p50, and after the semicolon the warm p50, of another program that makes the same DynamoDB
  requests, divided by that of the function. The ratios of their CPU times are in parentheses.
";

/// Prints the table. The first benchmark is that of the empty function.
pub(super) fn print(benchmarks: &[Benchmark], megabytes: Option<u64>) {
    terminal::print!("{}", table(benchmarks, megabytes));
}

fn cpu_share(megabytes: Option<u64>) -> String {
    megabytes.map_or_else(|| "a whole CPU".to_owned(), |megabytes| format!("the CPU share of {megabytes} MB"))
}

fn table(benchmarks: &[Benchmark], megabytes: Option<u64>) -> String {
    let empty = benchmarks[0].own.cold_starts.median();
    let others = benchmarks.last().into_iter().flat_map(|last| &last.others);
    let others: Vec<&str> = others.map(|program| program.subject.name.as_str()).collect();
    let mut text = format!("Each function by itself on the sample data, over TLS, with {}", cpu_share(megabytes));
    text += if megabytes.is_some() { " from the first event on.\n\n| function |" } else { ".\n\n| function |" };
    for (name, _) in COLUMNS {
        let _ = write!(text, " {name} |");
    }
    for name in &others {
        let _ = write!(text, " {name} ÷ function (CPU); warm (CPU) |");
    }
    text += "\n|---|";
    for (_, alignment) in COLUMNS {
        let _ = write!(text, "{alignment}|");
    }
    text += &"---:|".repeat(others.len());
    text += "\n";
    for benchmark in benchmarks {
        row(&mut text, benchmark, empty, &others);
    }
    text += LEGEND;
    if !others.is_empty() {
        text += OTHERS_LEGEND;
    }
    text
}

fn row(text: &mut String, benchmark: &Benchmark, empty: f64, names: &[&str]) {
    let Benchmark { own: Program { subject, cold_starts, warm }, others, binary_size, requests } = benchmark;
    let (cold_start, cold_cpu) = (cold_starts.median(), cold_starts.cpu());
    let _ = write!(
        text,
        "| {} | {:.2} | {:.2} | {:.2} | {cold_start:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {cold_cpu:.2} | {:.2} | {:.1} |",
        subject.name,
        megabytes(*binary_size),
        cold_starts.start_up(),
        cold_starts.first_request(),
        cold_starts.p90(),
        cold_start / empty,
        warm.median(),
        warm.p99(),
        warm.cpu(),
        megabytes(cold_starts.peak_memory()),
    );
    let operations: Vec<&str> = requests.iter().map(|request| request.operation.as_str()).collect();
    // `sum` would return -0 for no requests.
    let reads = requests.iter().fold(0.0, |sum, request| sum + request.units.read);
    let writes = requests.iter().fold(0.0, |sum, request| sum + request.units.write);
    let _ = write!(text, " {} | {reads} | {writes} |", operations.join(", "));
    for name in names {
        let _ = match others.iter().find(|program| program.subject.name == *name) {
            Some(other) => write!(
                text,
                " {:.2} ({:.2}); {:.3} ({:.3}) |",
                other.cold_starts.median() / cold_start,
                other.cold_starts.cpu() / cold_cpu,
                other.warm.median() / warm.median(),
                other.warm.cpu() / warm.cpu(),
            ),
            None => write!(text, " |"),
        };
    }
    text.push('\n');
}

/// Converts bytes to megabytes of 1,000,000 bytes.
#[expect(clippy::cast_precision_loss, reason = "the sizes are far below 2^52")]
pub(super) fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
