//! Percentiles of durations.

use std::time::Duration;

use hdrhistogram::Histogram;

/// Returns the value, in milliseconds, that the fraction `quantile` of the durations does not
/// exceed: 0.5 gives the median, 0.99 the 99th percentile. It is exact to three significant digits,
/// and 0 if there are no durations.
pub(crate) fn quantile(durations: impl IntoIterator<Item = Duration>, quantile: f64) -> f64 {
    // The noise of the machine is larger than a fourth digit.
    let mut histogram = Histogram::<u64>::new(3).expect("three significant digits are allowed");
    for duration in durations {
        histogram += u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    }
    milliseconds(Duration::from_nanos(histogram.value_at_quantile(quantile)))
}

/// Returns the median in milliseconds.
pub(crate) fn median(durations: impl IntoIterator<Item = Duration>) -> f64 {
    quantile(durations, 0.5)
}

/// Converts a duration to milliseconds.
pub(crate) fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_percentiles_in_milliseconds() {
        let durations = || (1..=100).map(Duration::from_millis);
        assert!((median(durations()) - 50.0).abs() < 0.1);
        assert!((quantile(durations(), 0.9) - 90.0).abs() < 0.1);
        assert!((quantile([Duration::from_micros(250)], 0.99) - 0.25).abs() < 0.001);
    }
}
