//! Counts and latencies of requests by route.

use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::Histogram;

/// The outcomes of the requests of some period.
#[derive(Default)]
pub(super) struct Counts {
    /// The latencies of successful requests by route, such as `GET /users/{username}`.
    pub(super) by_route: BTreeMap<String, Latencies>,
    /// The number of failures by error message.
    pub(super) errors: BTreeMap<String, u64>,
}

impl Counts {
    /// Counts a successful request.
    pub(super) fn add_success(&mut self, route: &str, latency: Duration) {
        self.by_route.entry(route.to_owned()).or_default().add(latency);
    }

    /// Counts a failure.
    pub(super) fn add_error(&mut self, message: String) {
        *self.errors.entry(message).or_default() += 1;
    }

    /// Returns the latencies of successful requests on all routes.
    pub(super) fn latencies(&self) -> Latencies {
        self.by_route.values().fold(Latencies::default(), |mut all, latencies| {
            all.0 += &latencies.0;
            all
        })
    }
}

/// The distribution of latencies, exact to three significant digits.
pub(super) struct Latencies(Histogram<u64>);

impl Default for Latencies {
    fn default() -> Self {
        Self(Histogram::new(3).expect("three significant digits are allowed"))
    }
}

impl Latencies {
    fn add(&mut self, latency: Duration) {
        self.0 += u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
    }

    /// Returns the number of requests.
    pub(super) fn count(&self) -> u64 {
        self.0.len()
    }

    /// Returns the latency that the fraction `quantile` of the requests does not exceed: 0.5 gives the median.
    pub(super) fn quantile(&self, quantile: f64) -> Duration {
        Duration::from_nanos(self.0.value_at_quantile(quantile))
    }
}
