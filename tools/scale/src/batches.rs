//! The durations of full batches of the stream of `quick-photos`, as `measure --batches` has
//! written them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use crate::csv_file::{self, short};
use crate::text::rounded;

/// The file of the durations, relative to the root of the repository.
pub const FILE: &str = "docs/results/batches.csv";

/// The function that reads the stream.
pub const FUNCTION: &str = "process-changes";

/// Uncounted reactions to five photos.
pub const COUNTS: &str = "uncounted reactions to 5 photos";
/// Reactions to as many photos of as many users.
pub const NOTIFICATIONS: &str = "reactions to a photo each";
/// Photos of as many authors, each with [`USUAL_FOLLOWERS`].
pub const FEEDS: &str = "photos by an author each with 70 followers";
/// More of them than the job can push in its time, which leaves those of the next minute to its
/// queue.
pub const BURST_OF_FEEDS: &str = "photos in a burst by as many such authors";
/// A photo of an author at the limit of fan-out on write.
pub const LARGEST_FEED: &str = "photo by an author at the limit of fan-out on write";

/// The followers of each author of [`FEEDS`]: half of the authors of the simulated month have
/// fewer.
pub const USUAL_FOLLOWERS: u32 = 70;

/// The columns of the file.
#[derive(Deserialize, Serialize)]
struct Row {
    batch: String,
    memory_mb: u32,
    records: usize,
    ms: f64,
    cpu_ms: f64,
    handed_over: usize,
}

/// The measurement of a batch of one kind with one memory size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Batch {
    /// The number of records.
    pub records: usize,
    /// The median of the milliseconds until the answer.
    pub ms: f64,
    /// The mean of the milliseconds of CPU time.
    pub cpu_ms: f64,
    /// The records that a job gave to its queue.
    pub handed_over: usize,
}

impl Batch {
    /// Returns the seconds that a record takes, as a share of those of the batch.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a batch has at most 10,000 records")]
    pub fn seconds_of_record(&self) -> f64 {
        self.ms / 1000.0 / self.records as f64
    }

    /// Returns the records that a shard with so many batches at the same time takes in a second.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "at most ten")]
    pub fn rate(&self, parallelization: usize) -> f64 {
        parallelization as f64 / self.seconds_of_record()
    }
}

/// The batches by kind and memory size in MB.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batches(BTreeMap<(String, u32), Batch>);

impl Batches {
    /// Reads a file. A file that does not exist has no batches.
    pub fn read(file: &Path) -> Result<Self> {
        let batch = |Row { batch, memory_mb, records, ms, cpu_ms, handed_over }| {
            ((batch, memory_mb), Batch { records, ms, cpu_ms, handed_over })
        };
        Ok(Self(csv_file::read(file)?.into_iter().map(batch).collect()))
    }

    /// Adds a measurement, in place of an older one of the same kind and memory size.
    pub fn insert(&mut self, kind: &str, memory_mb: u32, batch: Batch) {
        self.0.insert((kind.to_owned(), memory_mb), batch);
    }

    /// Writes the file.
    pub fn write(&self, file: &Path) -> Result<()> {
        let row = |((kind, memory_mb), batch): (&(String, u32), &Batch)| {
            let Batch { records, ms, cpu_ms, handed_over } = *batch;
            Row {
                batch: kind.clone(),
                memory_mb: *memory_mb,
                records,
                ms: short(ms),
                cpu_ms: short(cpu_ms),
                handed_over,
            }
        };
        csv_file::write(file, self.0.iter().map(row))
    }

    /// Returns the measurement of a kind with this memory size.
    pub fn get(&self, kind: &str, memory_mb: u32) -> Result<Batch> {
        let batch = self.0.get(&(kind.to_owned(), memory_mb)).copied();
        batch.with_context(|| format!("{FILE} has no batch of {kind} with {memory_mb} MB"))
    }

    /// Returns the table of all measurements in Markdown. A shard has so many batches at the same
    /// time.
    #[must_use]
    pub fn table(&self, parallelization: usize) -> String {
        let mut text =
            "| a batch of | memory, MB | records | ms | CPU time, ms | left to the queues | records/s of a shard |\n\
                        |---|--:|--:|--:|--:|--:|--:|\n"
                .to_owned();
        for ((kind, memory), batch) in &self.0 {
            let Batch { records, ms, cpu_ms, handed_over } = batch;
            let rate = rounded(batch.rate(parallelization));
            let _ =
                writeln!(text, "| {kind} | {memory} | {records} | {ms:.0} | {cpu_ms:.0} | {handed_over} | {rate} |");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use tempfile::NamedTempFile;

    use super::*;

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let batch = Batch { records: 500, ms: 250.5, cpu_ms: 100.0, handed_over: 3 };
        let mut batches = Batches::default();
        batches.insert(COUNTS, 256, Batch { ms: 1.0, ..batch });
        batches.insert(COUNTS, 256, batch);
        let file = NamedTempFile::new().unwrap();
        batches.write(file.path()).unwrap();
        assert_eq!(Batches::read(file.path()).unwrap(), batches);
        assert_eq!(batches.get(COUNTS, 256).unwrap(), batch);
        assert!(batches.get(COUNTS, 512).unwrap_err().to_string().contains("512 MB"));
        assert!((batch.rate(2) - 3992.0).abs() < 1.0);
    }

    #[test]
    fn a_kind_has_the_number_of_followers_in_its_name() {
        assert!(FEEDS.contains(&format!(" {USUAL_FOLLOWERS} ")));
    }
}
