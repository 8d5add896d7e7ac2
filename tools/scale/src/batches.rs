//! The durations of full batches of the stream of `quick-photos`, as `measure --batches` has written
//! them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

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
/// More of them than the job can push in its time, which leaves those of the next minute to its queue.
pub const BURST_OF_FEEDS: &str = "photos in a burst by as many such authors";
/// A photo of an author at the limit of fan-out on write.
pub const LARGEST_FEED: &str = "photo by an author with 10000 followers";

/// The followers of each author of [`FEEDS`]: half of the authors of the simulated month have fewer.
pub const USUAL_FOLLOWERS: u32 = 70;

const HEADER: &str = "batch,memory_mb,records,ms,cpu_ms,handed_over";

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
        if !file.exists() {
            return Ok(Self::default());
        }
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        Self::parse(&text).with_context(|| file.display().to_string())
    }

    fn parse(text: &str) -> Result<Self> {
        let mut batches = Self::default();
        ensure!(text.lines().next() == Some(HEADER), "the first line is not {HEADER}");
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let [kind, memory, records, ms, cpu_ms, handed_over] = fields[..] else {
                anyhow::bail!("the line {line:?} does not have six fields")
            };
            let parse = || -> Result<(u32, Batch)> {
                let (records, handed_over) = (records.parse()?, handed_over.parse()?);
                Ok((memory.parse()?, Batch { records, ms: ms.parse()?, cpu_ms: cpu_ms.parse()?, handed_over }))
            };
            let (memory, batch) = parse().with_context(|| line.to_owned())?;
            batches.insert(kind, memory, batch);
        }
        Ok(batches)
    }

    /// Adds a measurement, in place of an older one of the same kind and memory size.
    pub fn insert(&mut self, kind: &str, memory_mb: u32, batch: Batch) {
        self.0.insert((kind.to_owned(), memory_mb), batch);
    }

    /// Writes the file.
    pub fn write(&self, file: &Path) -> Result<()> {
        fs::write(file, self.text()).with_context(|| format!("cannot write {}", file.display()))
    }

    fn text(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for ((kind, memory), Batch { records, ms, cpu_ms, handed_over }) in &self.0 {
            let _ = writeln!(text, "{kind},{memory},{records},{ms:.1},{cpu_ms:.1},{handed_over}");
        }
        text
    }

    /// Returns the measurement of a kind with this memory size.
    pub fn get(&self, kind: &str, memory_mb: u32) -> Result<Batch> {
        let batch = self.0.get(&(kind.to_owned(), memory_mb)).copied();
        batch.with_context(|| format!("{FILE} has no batch of {kind} with {memory_mb} MB"))
    }

    /// Returns the table of all measurements in Markdown. A shard has so many batches at the same time.
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

    use super::*;

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let batch = Batch { records: 500, ms: 250.5, cpu_ms: 100.0, handed_over: 3 };
        let mut batches = Batches::default();
        batches.insert(COUNTS, 256, Batch { ms: 1.0, ..batch });
        batches.insert(COUNTS, 256, batch);
        assert_eq!(Batches::parse(&batches.text()).unwrap(), batches);
        assert_eq!(batches.get(COUNTS, 256).unwrap(), batch);
        assert!(batches.get(COUNTS, 512).unwrap_err().to_string().contains("512 MB"));
        assert!((batch.rate(2) - 3992.0).abs() < 1.0);
    }

    #[test]
    fn a_broken_line_is_an_error_that_shows_it() {
        let error = Batches::parse(&format!("{HEADER}\nfeeds,256,many,1,1,0\n")).unwrap_err();
        assert!(format!("{error:#}").contains("feeds,256,many"), "{error:#}");
    }
}
