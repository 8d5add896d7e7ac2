//! The samples of one function on tables of different sizes.

use std::time::Duration;

use testing::recorder::Request;

/// The samples of one function, for each table size in ascending order.
pub(super) struct Measurement {
    pub(super) name: String,
    pub(super) by_size: Vec<Samples>,
}

/// The samples of one function at one table size.
pub(super) struct Samples {
    /// The DynamoDB requests of one event, with their capacity units.
    pub(super) requests: Vec<Request>,
    /// The latencies of warm requests.
    pub(super) warm: Vec<Duration>,
}
