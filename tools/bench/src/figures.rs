//! Medians and their like.

use std::time::Duration;

use hdrhistogram::Histogram;

/// The value that this part of all is not above, as milliseconds: 0.5 for the median.
pub(crate) fn quantile(all: impl IntoIterator<Item = Duration>, part: f64) -> f64 {
    // Three digits are more than a busy machine is worth.
    let mut histogram = Histogram::<u64>::new(3).expect("three digits are possible");
    for duration in all {
        histogram += u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    }
    milliseconds(Duration::from_nanos(histogram.value_at_quantile(part)))
}

pub(crate) fn median(all: impl IntoIterator<Item = Duration>) -> f64 {
    quantile(all, 0.5)
}

pub(crate) fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_of_what_was_measured() {
        let all = || (1..=100).map(Duration::from_millis);
        assert!((median(all()) - 50.0).abs() < 0.1);
        assert!((quantile(all(), 0.9) - 90.0).abs() < 0.1);
        assert!((quantile([Duration::from_micros(250)], 0.99) - 0.25).abs() < 0.001);
    }
}
