//! The durations of the functions, as `measure` has written them.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde::Deserialize;

use crate::csv_file;

/// The file of the measurements, relative to the root of the repository.
pub const FILE: &str = "docs/results/functions.csv";

/// The memory size in MB at which a function has [one
/// CPU](https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html). A measurement
/// without `--memory` is one with a whole CPU.
pub const WHOLE_CPU_MB: u32 = 1769;

/// The columns of the file that give durations.
#[derive(Deserialize)]
struct Row {
    function: String,
    memory_mb: u32,
    warm_p50_ms: f64,
}

/// The medians of warm requests in milliseconds, by function and memory size in MB.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Durations(BTreeMap<(String, u32), f64>);

impl Durations {
    /// Reads a file. A file that does not exist has no durations.
    pub fn read(file: &Path) -> Result<Self> {
        Ok(csv_file::read(file)?.into_iter().collect())
    }

    /// Returns the duration of a function with this memory size, or else that with a whole CPU.
    #[must_use]
    pub fn get(&self, function: &str, memory_mb: u32) -> Option<f64> {
        let sizes = [memory_mb, WHOLE_CPU_MB];
        sizes.into_iter().find_map(|memory| self.0.get(&(function.to_owned(), memory)).copied())
    }

    /// Returns the median of all functions with a whole CPU: an estimate for a function that was not
    /// measured.
    #[must_use]
    pub fn median(&self) -> f64 {
        let with_whole_cpu = self.0.iter().filter(|((_, memory), _)| *memory == WHOLE_CPU_MB);
        let mut all: Vec<f64> = with_whole_cpu.map(|(_, duration)| *duration).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or_default()
    }
}

impl FromIterator<Row> for Durations {
    fn from_iter<T: IntoIterator<Item = Row>>(rows: T) -> Self {
        Self(rows.into_iter().map(|row| ((row.function, row.memory_mb), row.warm_p50_ms)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_size_that_was_not_measured_has_the_duration_of_a_whole_cpu() {
        let row = |memory_mb, warm_p50_ms| Row { function: "get-user".to_owned(), memory_mb, warm_p50_ms };
        let durations: Durations = [row(256, 0.5), row(WHOLE_CPU_MB, 0.75)].into_iter().collect();
        assert_eq!(durations.get("get-user", 256), Some(0.5));
        assert_eq!(durations.get("get-user", 128), Some(0.75));
        assert_eq!(durations.get("get-song", 128), None);
        assert!((durations.median() - 0.75).abs() < 1e-9);
    }
}
