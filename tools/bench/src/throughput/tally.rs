//! What was answered, and how fast.

use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::Histogram;

/// The answers of some time.
#[derive(Default)]
pub(crate) struct Tally {
    /// The successes of each route, by how long they took.
    pub(crate) routes: BTreeMap<String, Latencies>,
    /// What else came, and how often.
    pub(crate) errors: BTreeMap<String, u64>,
}

impl Tally {
    pub(crate) fn count(&mut self, route: &str, took: Duration) {
        self.routes.entry(route.to_owned()).or_default().add(took);
    }

    /// Of all routes together.
    pub(crate) fn all(&self) -> Latencies {
        self.routes.values().fold(Latencies::default(), |mut all, latencies| {
            all.0 += &latencies.0;
            all
        })
    }
}

/// How long answers took.
pub(crate) struct Latencies(Histogram<u64>);

impl Default for Latencies {
    fn default() -> Self {
        Self(Histogram::new(3).expect("three digits are possible"))
    }
}

impl Latencies {
    fn add(&mut self, took: Duration) {
        self.0 += u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.len()
    }

    /// The value that this part of all is not above: 0.5 for the median.
    pub(crate) fn quantile(&self, part: f64) -> Duration {
        Duration::from_nanos(self.0.value_at_quantile(part))
    }
}
