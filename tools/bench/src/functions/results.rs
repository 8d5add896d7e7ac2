//! The file of the measurements, from which `scale` computes prices.

use std::path::Path;

use anyhow::Result;
use scale::csv_file::{self, short};
use scale::durations::{FILE, WHOLE_CPU_MB};
use serde::{Deserialize, Serialize};
use terminal::println;

use super::measurement::{Benchmark, Program};
use super::peers::Language;
use super::report::megabytes;

/// The measurement of a function with a memory size. A row from before a column existed has nothing
/// in it, and so has one without peers.
#[derive(Debug, Deserialize, Serialize)]
struct Row {
    function: String,
    memory_mb: u32,
    warm_p50_ms: f64,
    warm_p99_ms: f64,
    cold_start_p50_ms: f64,
    cold_start_p90_ms: Option<f64>,
    start_up_ms: Option<f64>,
    first_request_ms: Option<f64>,
    cold_start_cpu_ms: Option<f64>,
    warm_cpu_ms: Option<f64>,
    binary_mb: Option<f64>,
    peak_memory_mb: Option<f64>,
    python_cold_start_ms: Option<f64>,
    python_cold_start_cpu_ms: Option<f64>,
    python_warm_ms: Option<f64>,
    python_warm_cpu_ms: Option<f64>,
    node_cold_start_ms: Option<f64>,
    node_cold_start_cpu_ms: Option<f64>,
    node_warm_ms: Option<f64>,
    node_warm_cpu_ms: Option<f64>,
}

impl Row {
    fn key(&self) -> (String, u32) {
        (self.function.clone(), self.memory_mb)
    }
}

/// Adds the measurements to the file in the directory `out`, in place of older ones of the same
/// functions and memory size.
pub(super) fn write(benchmarks: &[Benchmark], megabytes: Option<u64>, out: &Path) -> Result<()> {
    let file = out.join(Path::new(FILE).file_name().unwrap_or_default());
    let memory_mb = megabytes.map_or(Ok(WHOLE_CPU_MB), u32::try_from)?;
    let rows = benchmarks.iter().map(|benchmark| row(benchmark, memory_mb));
    csv_file::merge(&file, rows, Row::key)?;
    println!("\n{}", file.display());
    Ok(())
}

fn row(Benchmark { own, others, binary_size, .. }: &Benchmark, memory_mb: u32) -> Row {
    let [python, node] = [Language::Python, Language::Node].map(|language| {
        let peer = others.iter().find(|program| program.subject.name == language.name());
        peer.map(|peer| times(peer).map(short))
    });
    let peer = |times: Option<[f64; 4]>, at: usize| times.map(|times| times[at]);
    let [cold_start, cold_start_cpu, warm_p50, warm_cpu] = times(own).map(short);
    let Program { subject, cold_starts, warm } = own;
    Row {
        function: subject.name.clone(),
        memory_mb,
        warm_p50_ms: warm_p50,
        warm_p99_ms: short(warm.p99()),
        cold_start_p50_ms: cold_start,
        cold_start_p90_ms: Some(short(cold_starts.p90())),
        start_up_ms: Some(short(cold_starts.start_up())),
        first_request_ms: Some(short(cold_starts.first_request())),
        cold_start_cpu_ms: Some(cold_start_cpu),
        warm_cpu_ms: Some(warm_cpu),
        binary_mb: Some(short(megabytes(*binary_size))),
        peak_memory_mb: Some(short(megabytes(cold_starts.peak_memory()))),
        python_cold_start_ms: peer(python, 0),
        python_cold_start_cpu_ms: peer(python, 1),
        python_warm_ms: peer(python, 2),
        python_warm_cpu_ms: peer(python, 3),
        node_cold_start_ms: peer(node, 0),
        node_cold_start_cpu_ms: peer(node, 1),
        node_warm_ms: peer(node, 2),
        node_warm_cpu_ms: peer(node, 3),
    }
}

/// Returns the cold start and its CPU time, and the same of a warm request.
fn times(Program { cold_starts, warm, .. }: &Program) -> [f64; 4] {
    [cold_starts.median(), cold_starts.cpu(), warm.median(), warm.cpu()]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use local::template::Template;

    use super::*;

    #[test]
    fn the_committed_file_can_be_read() {
        let root = Template::find().expect("template.yaml");
        let rows = csv_file::read::<Row>(&root.with_file_name(FILE)).expect("it is read");
        assert!(rows.iter().any(|row| row.python_cold_start_ms.is_some()), "{rows:?}");
        let keys: BTreeSet<_> = rows.iter().map(Row::key).collect();
        assert_eq!(keys.len(), rows.len(), "a function has a row for each memory size");
    }
}
