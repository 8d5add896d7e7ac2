//! The programs that are measured, and their samples.

use std::iter::once;
use std::time::Duration;

use testing::recorder::Request;

use crate::statistics::{median, milliseconds, quantile};
use crate::subject::{ColdStart, Subject};

/// A function, and the other programs that serve the same event: peers in other languages, and other
/// builds of the function.
pub(super) struct Benchmark {
    pub(super) own: Program,
    pub(super) others: Vec<Program>,
    /// The size of the function's binary in bytes.
    pub(super) binary_size: u64,
    /// The DynamoDB requests of one event, with their capacity units.
    pub(super) requests: Vec<Request>,
}

impl Benchmark {
    /// Returns the function and the other programs.
    pub(super) fn programs(&mut self) -> impl Iterator<Item = &mut Program> {
        once(&mut self.own).chain(&mut self.others)
    }
}

/// A program and its samples so far.
pub(super) struct Program {
    pub(super) subject: Subject,
    pub(super) cold_starts: ColdStarts,
    pub(super) warm: Warm,
}

impl Program {
    /// Returns a program without samples.
    pub(super) fn new(subject: Subject) -> Self {
        Self { subject, cold_starts: ColdStarts::default(), warm: Warm::default() }
    }
}

/// The warm requests to one program. The times that the methods return are in milliseconds.
#[derive(Default)]
pub(super) struct Warm {
    pub(super) latencies: Vec<Duration>,
    /// The CPU time of all requests together.
    pub(super) cpu: Duration,
}

impl Warm {
    /// The median latency.
    pub(super) fn median(&self) -> f64 {
        median(self.latencies.iter().copied())
    }

    /// The 99th percentile of the latency.
    pub(super) fn p99(&self) -> f64 {
        quantile(self.latencies.iter().copied(), 0.99)
    }

    /// The mean CPU time.
    #[expect(clippy::cast_precision_loss, reason = "the number of requests is far below 2^52")]
    pub(super) fn cpu(&self) -> f64 {
        milliseconds(self.cpu) / self.latencies.len() as f64
    }
}

/// The cold starts of one program. The times that the methods return are in milliseconds.
#[derive(Default)]
pub(super) struct ColdStarts(pub(super) Vec<ColdStart>);

impl ColdStarts {
    /// The median time from the start of the process until it requests its first event.
    pub(super) fn start_up(&self) -> f64 {
        median(self.0.iter().map(|cold_start| cold_start.start_up))
    }

    /// The median time from the delivery of the first event until its answer.
    pub(super) fn first_request(&self) -> f64 {
        median(self.0.iter().map(|cold_start| cold_start.first_request))
    }

    /// The median of start-up and first request together.
    pub(super) fn median(&self) -> f64 {
        median(self.0.iter().map(ColdStart::duration))
    }

    /// The 90th percentile of start-up and first request together.
    pub(super) fn p90(&self) -> f64 {
        quantile(self.0.iter().map(ColdStart::duration), 0.9)
    }

    /// The median CPU time.
    pub(super) fn cpu(&self) -> f64 {
        median(self.0.iter().map(|cold_start| cold_start.cpu))
    }

    /// The largest resident set of all processes, in bytes.
    pub(super) fn peak_memory(&self) -> u64 {
        self.0.iter().map(|cold_start| cold_start.peak_memory).max().unwrap_or_default()
    }
}
