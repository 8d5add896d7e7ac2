//! The throughput of one partition.

use std::time::Duration;

use tokio::time::Instant;

/// A [token bucket](https://www.usenix.org/system/files/atc22-elhemali.pdf) (section 4): units are
/// added at a constant rate, up to a maximum, and requests take them. A request is admitted while
/// there are any, so one may take more than there are. The next ones are then refused until that is
/// made up for.
#[derive(Debug, Clone)]
pub(crate) struct Bucket {
    units_per_second: f64,
    maximum: f64,
    units: f64,
    updated: Instant,
}

impl Bucket {
    /// Returns a full bucket, which holds the units of the time `burst`.
    pub(crate) fn new(units_per_second: f64, burst: Duration, now: Instant) -> Self {
        let maximum = units_per_second * burst.as_secs_f64();
        Self { units_per_second, maximum, units: maximum, updated: now }
    }

    /// Returns whether a request is admitted.
    pub(crate) fn admits(&mut self, now: Instant) -> bool {
        self.fill(now);
        self.units > 0.0
    }

    /// Takes the units of an admitted request. A negative number gives units back.
    pub(crate) fn take(&mut self, units: f64, now: Instant) {
        self.fill(now);
        self.units -= units;
    }

    fn fill(&mut self, now: Instant) {
        let elapsed = now.saturating_duration_since(self.updated).as_secs_f64();
        self.units = self.maximum.min(self.units + elapsed * self.units_per_second);
        self.updated = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends requests of `units` each to a bucket, 5 in each millisecond, and returns the number
    /// that is admitted.
    fn admitted(bucket: &mut Bucket, start: Instant, seconds: u64, units: f64) -> u32 {
        let mut admitted = 0;
        for request in 0..seconds * 5000 {
            let now = start + Duration::from_micros(request * 200);
            if bucket.admits(now) {
                bucket.take(units, now);
                admitted += 1;
            }
        }
        admitted
    }

    #[test]
    fn admits_as_many_requests_as_its_rate_allows() {
        let start = Instant::now();
        let bucket = || Bucket::new(1000.0, Duration::from_secs(1), start);
        // The units of the first second are there at the beginning.
        assert_eq!(admitted(&mut bucket(), start, 10, 1.0), 11_000);
        assert_eq!(admitted(&mut bucket(), start, 10, 2.0), 5_500);
        // A request that takes more than there are delays the next ones.
        assert_eq!(admitted(&mut bucket(), start, 10, 200.0), 55);
    }

    #[test]
    fn burst_capacity_is_the_unused_units_of_its_time() {
        let start = Instant::now();
        let mut bucket = Bucket::new(1000.0, Duration::from_mins(5), start);
        // 300,000 units would last for 37.5 s at 10,000 a second of which 1,000 are replaced.
        assert_eq!(admitted(&mut bucket, start, 30, 2.0), 150_000);
        assert_eq!(admitted(&mut bucket, start + Duration::from_secs(30), 30, 2.0), 30_000);
    }
}
