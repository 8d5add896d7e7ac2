//! The table of the functions, as the terminal shows it.

use std::fmt::Write;

use super::measurement::{Alternative, Measurement};
use super::peers::Language;

/// The maximum ratio of a function's cold start to that of the empty function.
const MAX_COLD_START_RATIO: f64 = 3.5;

/// The maximum ratio of a warm request to the bare Query, for functions whose only request is a
/// Query.
const MAX_WARM_RATIO: f64 = 1.5;

/// The maximum size of a binary.
const MAX_BINARY_BYTES: u64 = 4_000_000;

/// The peak memory that every process has to stay below.
const MAX_MEMORY_BYTES: u64 = 10_000_000;

/// The minimum ratio of a peer's cold start to that of the function.
const MIN_PEER_RATIOS: [(Language, f64); 2] = [(Language::Python, 40.0), (Language::Node, 25.0)];

/// The columns of the table after the function's name, before those of the alternatives, with their
/// alignment.
const COLUMNS: [(&str, &str); 15] = [
    ("binary, MB", "---:"),
    ("start-up, ms", "---:"),
    ("first request, ms", "---:"),
    ("cold start p50, ms", "---:"),
    ("cold start p90, ms", "---:"),
    ("÷ empty function", "---:"),
    ("warm p50, ms", "---:"),
    ("warm p99, ms", "---:"),
    ("÷ bare Query", "---:"),
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
- ÷ bare Query: the warm p50 divided by the median latency of the same Query, sent by the same SDK client without a
  function around it. Only functions whose single request is a Query have this figure.
- CPU: the CPU time of the process, as the median of a cold start and the mean of a warm request.
- peak memory: the largest resident set of any cold start.
- DynamoDB requests, read units, write units: the requests of one event and the capacity units that they consume.
";

/// The explanation of the columns of peers and other builds.
const ALTERNATIVES_LEGEND: &str = "\
- the last columns: the cold start p50, and after the semicolon the warm p50, of another program that makes the same DynamoDB
  requests, divided by that of the function. The ratios of their CPU times are in parentheses.
";

/// Prints the table. The first measurement is that of the empty function.
pub(super) fn print(measurements: &[Measurement], megabytes: Option<u64>) {
    terminal::print!("{}", table(measurements, megabytes));
}

fn cpu_share(megabytes: Option<u64>) -> String {
    megabytes.map_or_else(|| "a whole CPU".to_owned(), |megabytes| format!("the CPU share of {megabytes} MB"))
}

fn table(measurements: &[Measurement], megabytes: Option<u64>) -> String {
    let empty = measurements[0].cold_starts.median();
    let alternatives: Vec<&str> = measurements
        .last()
        .into_iter()
        .flat_map(|last| &last.alternatives)
        .map(|alternative| alternative.name.as_str())
        .collect();
    let mut text = format!("Each function by itself on the sample data, over TLS, with {}", cpu_share(megabytes));
    text += if megabytes.is_some() { " from the first event on.\n\n| function |" } else { ".\n\n| function |" };
    for (name, _) in COLUMNS {
        let _ = write!(text, " {name} |");
    }
    for name in &alternatives {
        let _ = write!(text, " {name} ÷ function (CPU); warm (CPU) |");
    }
    text += "\n|---|";
    for (_, alignment) in COLUMNS {
        let _ = write!(text, "{alignment}|");
    }
    text += &"---:|".repeat(alternatives.len());
    text += "\n";
    for measurement in measurements {
        row(&mut text, measurement, empty, &alternatives);
    }
    text += LEGEND;
    if !alternatives.is_empty() {
        text += ALTERNATIVES_LEGEND;
    }
    text += "\nThe worst figure for each goal:\n\n";
    goals(&mut text, measurements, empty);
    text
}

fn row(text: &mut String, measurement: &Measurement, empty: f64, alternatives: &[&str]) {
    let Measurement { name, binary_size, requests, cold_starts, .. } = measurement;
    let (cold_start, cold_cpu) = (cold_starts.median(), cold_starts.cpu());
    let ratio_to_bare_query = measurement.ratio_to_bare_query().map_or_else(String::new, |ratio| format!("{ratio:.2}"));
    let _ = write!(
        text,
        "| {name} | {:.2} | {:.2} | {:.2} | {cold_start:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {ratio_to_bare_query} | {cold_cpu:.2} | {:.2} | {:.1} |",
        megabytes(*binary_size),
        cold_starts.start_up(),
        cold_starts.first_request(),
        cold_starts.p90(),
        cold_start / empty,
        measurement.warm.median(),
        measurement.warm.p99(),
        measurement.warm.cpu(),
        megabytes(cold_starts.peak_memory()),
    );
    let operations: Vec<&str> = requests.iter().map(|request| request.operation.as_str()).collect();
    // `sum` would return -0 for no requests.
    let reads = requests.iter().fold(0.0, |sum, request| sum + request.units.read);
    let writes = requests.iter().fold(0.0, |sum, request| sum + request.units.write);
    let _ = write!(text, " {} | {reads} | {writes} |", operations.join(", "));
    for name in alternatives {
        let _ = match measurement.alternatives.iter().find(|alternative| alternative.name == *name) {
            Some(alternative) => {
                let Alternative { cold_starts, warm, .. } = alternative;
                write!(
                    text,
                    " {:.2} ({:.2}); {:.3} ({:.3}) |",
                    cold_starts.median() / cold_start,
                    cold_starts.cpu() / cold_cpu,
                    warm.median() / measurement.warm.median(),
                    warm.cpu() / measurement.warm.cpu(),
                )
            }
            None => write!(text, " |"),
        };
    }
    text.push('\n');
}

/// Writes a line for each goal, with the worst figure of all functions.
fn goals(text: &mut String, measurements: &[Measurement], empty: f64) {
    let functions = || measurements.iter().skip(1);
    let mut line = |figure: &str, worst: Option<(f64, &str)>, goal: String| {
        if let Some((worst, name)) = worst {
            let _ = writeln!(text, "- {figure}: {worst:.2} ({name}); goal {goal}");
        }
    };
    let max = |figure: &dyn Fn(&Measurement) -> Option<f64>| {
        let all = functions().filter_map(|measurement| Some((figure(measurement)?, measurement.name.as_str())));
        all.max_by(|one, other| one.0.total_cmp(&other.0))
    };
    line(
        "cold start ÷ cold start of the empty function",
        max(&|measurement| Some(measurement.cold_starts.median() / empty)),
        format!("≤ {MAX_COLD_START_RATIO}"),
    );
    for (language, goal) in MIN_PEER_RATIOS {
        let ratios = functions().filter_map(|measurement| {
            let peer = measurement.alternatives.iter().find(|alternative| alternative.name == language.name())?;
            Some((peer.cold_starts.median() / measurement.cold_starts.median(), measurement.name.as_str()))
        });
        let min = ratios.min_by(|one, other| one.0.total_cmp(&other.0));
        line(&format!("cold start of {} ÷ cold start of the function", language.name()), min, format!("≥ {goal}"));
    }
    line(
        "warm p50 of a function with a single Query ÷ the bare Query",
        max(&Measurement::ratio_to_bare_query),
        format!("≤ {MAX_WARM_RATIO}"),
    );
    line(
        "binary in MB",
        max(&|measurement| Some(megabytes(measurement.binary_size))),
        format!("≤ {}", megabytes(MAX_BINARY_BYTES)),
    );
    line(
        "peak memory in MB",
        max(&|measurement| Some(megabytes(measurement.cold_starts.peak_memory()))),
        format!("< {}", megabytes(MAX_MEMORY_BYTES)),
    );
}

/// Converts bytes to megabytes of 1,000,000 bytes.
#[expect(clippy::cast_precision_loss, reason = "the sizes are far below 2^52")]
pub(super) fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
