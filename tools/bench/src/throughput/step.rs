//! The figures of one step of the load test.

use std::time::Duration;

use super::counts::Counts;
use super::cpu::CpuTime;

/// The figures of one step: a number of concurrent clients over a time.
pub(super) struct Step {
    pub(super) clients: usize,
    pub(super) duration: Duration,
    pub(super) counts: Counts,
    pub(super) cpu: CpuTime,
}

impl Step {
    /// The throughput: successful requests per second.
    #[expect(clippy::cast_precision_loss, reason = "the number of requests is far below 2^52")]
    pub(super) fn throughput(&self) -> f64 {
        self.counts.latencies().count() as f64 / self.duration.as_secs_f64()
    }
}
