//! The durations of full batches of the stream of `quick-photos`, as `measure --batches` has
//! written them.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use crate::csv_file;

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

/// The measurement of a batch of one kind with one memory size: a row of the file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Batch {
    /// The kind, such as [`COUNTS`].
    pub batch: String,
    /// The memory size in MB.
    pub memory_mb: u32,
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
    #[expect(clippy::cast_precision_loss, reason = "a batch has at most 10,000 records")]
    pub(crate) fn seconds_of_record(&self) -> f64 {
        self.ms / 1000.0 / self.records as f64
    }

    /// Returns the records that a shard with so many batches at the same time takes in a second.
    #[expect(clippy::cast_precision_loss, reason = "at most ten")]
    pub(crate) fn rate(&self, parallelization: usize) -> f64 {
        parallelization as f64 / self.seconds_of_record()
    }
}

/// The measurements of all kinds and memory sizes.
pub(crate) struct Batches(pub(crate) Vec<Batch>);

impl Batches {
    /// Reads a file. A file that does not exist has no batches.
    pub(crate) fn read(file: &Path) -> Result<Self> {
        csv_file::read(file).map(Self)
    }

    /// Returns the measurement of a kind with this memory size.
    pub(crate) fn get(&self, kind: &str, memory_mb: u32) -> Result<&Batch> {
        let batch = self.0.iter().find(|batch| batch.batch == kind && batch.memory_mb == memory_mb);
        batch.with_context(|| format!("{FILE} has no batch of {kind} with {memory_mb} MB"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_batch_is_found_by_its_kind_and_memory_size() {
        let batch =
            Batch { batch: COUNTS.to_owned(), memory_mb: 256, records: 500, ms: 250.5, cpu_ms: 100.0, handed_over: 3 };
        let batches = Batches(vec![Batch { memory_mb: 128, ..batch.clone() }, batch.clone()]);
        assert_eq!(batches.get(COUNTS, 256).unwrap(), &batch);
        assert!(batches.get(COUNTS, 512).unwrap_err().to_string().contains("512 MB"));
        assert!((batch.rate(2) - 3992.0).abs() < 1.0);
    }

    #[test]
    fn a_kind_has_the_number_of_followers_in_its_name() {
        assert!(FEEDS.contains(&format!(" {USUAL_FOLLOWERS} ")));
    }
}
