//! What was found, as a table and a chart.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::chart::{self, Bar};
use crate::each::Finding;
use crate::figures::{median, milliseconds, quantile};
use crate::peers::Language;
use crate::run::Cold;

/// A cold start may take so many times that of the empty function.
const COLD_GOAL: f64 = 3.5;

/// A warm request whose only request is a Query may take so many times the Query alone.
const WARM_GOAL: f64 = 1.5;

/// A binary may have so many bytes.
const SIZE_GOAL: u64 = 4_000_000;

/// A process may have so many bytes of memory.
const MEMORY_GOAL: u64 = 10_000_000;

/// A peer's cold start is to take at least so many times that of the function.
const PEER_GOALS: [(Language, f64); 2] = [(Language::Python, 40.0), (Language::Node, 25.0)];

fn together(cold: &[Cold]) -> impl Iterator<Item = Duration> {
    cold.iter().map(|cold| cold.start_up + cold.first_request)
}

/// Prints the table, and writes it and the chart. The first finding is that of the empty function.
pub(crate) fn write(findings: &[Finding], megabytes: Option<u64>, out: &Path) -> Result<(), String> {
    let share = megabytes.map_or_else(String::new, |megabytes| format!("-{megabytes}"));
    let text = table(findings, megabytes);
    print!("{text}");
    let file = out.join(format!("functions{share}.md"));
    fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    println!("\n{}", file.display());

    let floor = median(together(&findings[0].cold));
    let bars: Vec<Bar> = findings
        .iter()
        .map(|finding| Bar {
            name: finding.name.clone(),
            start_up: median(finding.cold.iter().map(|cold| cold.start_up)),
            first_request: median(finding.cold.iter().map(|cold| cold.first_request)),
            p90: quantile(together(&finding.cold), 0.9),
        })
        .collect();
    let file = out.join(format!("functions{share}.svg"));
    let with = megabytes.map_or_else(|| "a whole CPU".to_owned(), |megabytes| format!("the CPU of {megabytes} MB"));
    let title = format!("Cold starts over TLS with {with}, in ms: median of {}", findings[0].cold.len());
    chart::cold_starts(&file, &title, floor * COLD_GOAL, &bars)
        .map_err(|error| format!("{}: {error}", file.display()))?;
    println!("{}", file.display());
    Ok(())
}

fn table(findings: &[Finding], megabytes: Option<u64>) -> String {
    let floor = median(together(&findings[0].cold));
    let others: Vec<&str> =
        findings.last().into_iter().flat_map(|last| &last.others).map(|other| other.name.as_str()).collect();
    let mut text = String::new();
    let _ = match megabytes {
        Some(megabytes) => writeln!(text, "With the CPU of {megabytes} MB from the first event on.\n"),
        None => writeln!(text, "With a whole CPU.\n"),
    };
    text += "| function | MB | start-up | first request | together | p90 | × empty | warm p50 | p99 | × bare call | CPU cold | CPU warm | memory MB | requests | read units | write units |";
    for other in &others {
        let _ = write!(text, " {other} ÷ (CPU) |");
    }
    text += "\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|---:|---:|";
    text += &"---:|".repeat(others.len());
    text += "\n";
    for finding in findings {
        row(&mut text, finding, floor, &others);
    }
    text += "\nTimes in ms.\n\n";
    summary(&mut text, findings, floor);
    text
}

fn row(text: &mut String, finding: &Finding, floor: f64, others: &[&str]) {
    let Finding { name, size, requests, cold, warm, warm_cpu, bare, others: found } = finding;
    let start_up = median(cold.iter().map(|cold| cold.start_up));
    let first_request = median(cold.iter().map(|cold| cold.first_request));
    let sum = median(together(cold));
    let p90 = quantile(together(cold), 0.9);
    let (p50, p99) = (median(warm.iter().copied()), quantile(warm.iter().copied(), 0.99));
    let to_bare = if bare.is_empty() { String::new() } else { format!("{:.2}", p50 / median(bare.iter().copied())) };
    let cpu = median(cold.iter().map(|cold| cold.cpu));
    let _ = write!(
        text,
        "| {name} | {:.2} | {start_up:.2} | {first_request:.2} | {sum:.2} | {p90:.2} | {:.2} | {p50:.2} | {p99:.2} | {to_bare} | {cpu:.2} | {:.2} | {:.1} |",
        megabytes(*size),
        sum / floor,
        milliseconds(*warm_cpu),
        megabytes(peak(cold)),
    );
    let operations: Vec<&str> = requests.iter().map(|request| request.operation.as_str()).collect();
    // The sum of nothing is -0.
    let reads = requests.iter().fold(0.0, |sum, request| sum + request.units.read);
    let writes = requests.iter().fold(0.0, |sum, request| sum + request.units.write);
    let _ = write!(text, " {} | {reads} | {writes} |", operations.join(", "));
    for name in others {
        let _ = match found.iter().find(|other| other.name == *name) {
            Some(other) => {
                let of_cpu = median(other.cold.iter().map(|cold| cold.cpu)) / cpu;
                write!(text, " {:.2} ({of_cpu:.2}) |", median(together(&other.cold)) / sum)
            }
            None => write!(text, " |"),
        };
    }
    text.push('\n');
}

/// The worst of each goal.
fn summary(text: &mut String, findings: &[Finding], floor: f64) {
    let functions = || findings.iter().skip(1);
    let mut line = |what: &str, goal: String, worst: Option<(f64, &str)>| {
        if let Some((worst, name)) = worst {
            let _ = writeln!(text, "- {what}: {worst:.2} at worst ({name}); goal {goal}");
        }
    };
    let most = |figure: &dyn Fn(&Finding) -> Option<f64>| {
        let all = functions().filter_map(|finding| Some((figure(finding)?, finding.name.as_str())));
        all.max_by(|one, other| one.0.total_cmp(&other.0))
    };
    let cold = |finding: &Finding| median(together(&finding.cold));
    line(
        "cold start ÷ that of the empty function",
        format!("≤ {COLD_GOAL}"),
        most(&|finding| Some(cold(finding) / floor)),
    );
    for (language, goal) in PEER_GOALS {
        let least = functions().filter_map(|finding| {
            let peer = finding.others.iter().find(|other| other.name == language.name())?;
            Some((median(together(&peer.cold)) / cold(finding), finding.name.as_str()))
        });
        let least = least.min_by(|one, other| one.0.total_cmp(&other.0));
        line(&format!("{}'s cold start ÷ ours", language.name()), format!("≥ {goal}"), least);
    }
    let to_bare = |finding: &Finding| {
        let bare = (!finding.bare.is_empty()).then(|| median(finding.bare.iter().copied()))?;
        Some(median(finding.warm.iter().copied()) / bare)
    };
    line("warm p50 of one Query ÷ the bare call", format!("≤ {WARM_GOAL}"), most(&to_bare));
    let size = |finding: &Finding| Some(megabytes(finding.size));
    line("binary, MB", format!("≤ {}", megabytes(SIZE_GOAL)), most(&size));
    let memory = |finding: &Finding| Some(megabytes(peak(&finding.cold)));
    line("peak memory, MB", format!("< {}", megabytes(MEMORY_GOAL)), most(&memory));
}

fn peak(cold: &[Cold]) -> u64 {
    cold.iter().map(|cold| cold.peak_memory).max().unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^52")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
