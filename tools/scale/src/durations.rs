//! The durations of the functions, as `measure` has written them.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use crate::csv_file::{self, short};

/// The file of the durations, relative to the root of the repository.
pub const FILE: &str = "docs/results/durations.csv";

/// The memory size in MB at which a function has [one
/// CPU](https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html). A measurement
/// without `--memory` is one with a whole CPU.
pub const WHOLE_CPU_MB: u32 = 1769;

const HEADER: [&str; 5] = ["function", "memory_mb", "warm_p50_ms", "warm_p99_ms", "cold_start_p50_ms"];

/// The measurement of one function with one memory size, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Duration {
    /// The median of warm requests.
    pub warm_p50: f64,
    /// The 99th percentile of warm requests.
    pub warm_p99: f64,
    /// The median of cold starts.
    pub cold_start_p50: f64,
}

/// The durations by function and memory size in MB.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Durations(BTreeMap<(String, u32), Duration>);

impl Durations {
    /// Reads a file. A file that does not exist has no durations.
    pub fn read(file: &Path) -> Result<Self> {
        let rows: Vec<(String, u32, f64, f64, f64)> = csv_file::read(file, &HEADER)?;
        let duration = |(function, memory_mb, warm_p50, warm_p99, cold_start_p50)| {
            ((function, memory_mb), Duration { warm_p50, warm_p99, cold_start_p50 })
        };
        Ok(Self(rows.into_iter().map(duration).collect()))
    }

    /// Adds a measurement, in place of an older one of the same function and memory size.
    pub fn insert(&mut self, function: &str, memory_mb: u32, duration: Duration) {
        self.0.insert((function.to_owned(), memory_mb), duration);
    }

    /// Writes the file.
    pub fn write(&self, file: &Path) -> Result<()> {
        let row = |((function, memory), duration): (&(String, u32), &Duration)| {
            let Duration { warm_p50, warm_p99, cold_start_p50 } = duration;
            (function.clone(), *memory, short(*warm_p50), short(*warm_p99), short(*cold_start_p50))
        };
        csv_file::write(file, &HEADER, self.0.iter().map(row))
    }

    /// Returns the measurement of a function with this memory size, or else that with a whole CPU.
    #[must_use]
    pub fn get(&self, function: &str, memory_mb: u32) -> Option<Duration> {
        let sizes = [memory_mb, WHOLE_CPU_MB];
        sizes.into_iter().find_map(|memory| self.0.get(&(function.to_owned(), memory)).copied())
    }

    /// Returns the median of `warm_p50` of all functions with a whole CPU: an estimate for a
    /// function that was not measured.
    #[must_use]
    pub fn median_warm(&self) -> f64 {
        let with_whole_cpu = self.0.iter().filter(|((_, memory), _)| *memory == WHOLE_CPU_MB);
        let mut all: Vec<f64> = with_whole_cpu.map(|(_, duration)| duration.warm_p50).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use tempfile::NamedTempFile;

    use super::*;

    fn duration(warm_p50: f64) -> Duration {
        Duration { warm_p50, warm_p99: 2.0, cold_start_p50: 4.25 }
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let mut durations = Durations::default();
        durations.insert("get-user", 256, duration(0.5));
        durations.insert("get-user", WHOLE_CPU_MB, duration(0.25));
        durations.insert("get-user", WHOLE_CPU_MB, duration(0.75));
        let file = NamedTempFile::new().unwrap();
        durations.write(file.path()).unwrap();
        assert_eq!(Durations::read(file.path()).unwrap(), durations);
        assert_eq!(durations.get("get-user", 256), Some(duration(0.5)));
        assert_eq!(durations.get("get-user", 128), Some(duration(0.75)));
        assert_eq!(durations.get("get-song", 128), None);
        assert!((durations.median_warm() - 0.75).abs() < 1e-9);
    }
}
