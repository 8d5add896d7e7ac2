//! The durations of the functions, as `measure` has written them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

/// The file of the durations, relative to the root of the repository.
pub const FILE: &str = "docs/results/durations.csv";

/// The memory size in MB at which a function has [one
/// CPU](https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html). A measurement
/// without `--memory` is one with a whole CPU.
pub const WHOLE_CPU_MB: u32 = 1769;

const HEADER: &str = "function,memory_mb,warm_p50_ms,warm_p99_ms,cold_start_p50_ms";

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
        if !file.exists() {
            return Ok(Self::default());
        }
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        Self::parse(&text).with_context(|| file.display().to_string())
    }

    fn parse(text: &str) -> Result<Self> {
        let mut durations = Self::default();
        ensure!(text.lines().next() == Some(HEADER), "the first line is not {HEADER}");
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let [function, memory, warm_p50, warm_p99, cold] = fields[..] else {
                anyhow::bail!("the line {line:?} does not have five fields")
            };
            let duration = Duration {
                warm_p50: warm_p50.parse().with_context(|| line.to_owned())?,
                warm_p99: warm_p99.parse().with_context(|| line.to_owned())?,
                cold_start_p50: cold.parse().with_context(|| line.to_owned())?,
            };
            durations.insert(function, memory.parse().with_context(|| line.to_owned())?, duration);
        }
        Ok(durations)
    }

    /// Adds a measurement, in place of an older one of the same function and memory size.
    pub fn insert(&mut self, function: &str, memory_mb: u32, duration: Duration) {
        self.0.insert((function.to_owned(), memory_mb), duration);
    }

    /// Writes the file.
    pub fn write(&self, file: &Path) -> Result<()> {
        fs::write(file, self.text()).with_context(|| format!("cannot write {}", file.display()))
    }

    fn text(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for ((function, memory), duration) in &self.0 {
            let Duration { warm_p50, warm_p99, cold_start_p50 } = duration;
            let _ = writeln!(text, "{function},{memory},{warm_p50:.2},{warm_p99:.2},{cold_start_p50:.2}");
        }
        text
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
        assert_eq!(Durations::parse(&durations.text()).unwrap(), durations);
        assert_eq!(durations.get("get-user", 256), Some(duration(0.5)));
        assert_eq!(durations.get("get-user", 128), Some(duration(0.75)));
        assert_eq!(durations.get("get-song", 128), None);
        assert!((durations.median_warm() - 0.75).abs() < 1e-9);
    }

    #[test]
    fn a_broken_line_is_an_error_that_shows_it() {
        let error = Durations::parse(&format!("{HEADER}\nget-user,256,fast,1,1\n")).unwrap_err();
        assert!(format!("{error:#}").contains("get-user,256,fast"), "{error:#}");
    }
}
