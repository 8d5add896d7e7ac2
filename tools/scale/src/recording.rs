//! A function and what it does for its sample event.

use local::template::Function;
use serde_json::Value;
use testing::recorder::Request;

use crate::partitions::Load;

/// A function and what it does for its sample event.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The function.
    pub function: Function,
    /// Its requests to DynamoDB.
    pub requests: Vec<Request>,
    /// The partitions that they touch.
    pub loads: Vec<Load>,
    /// The body of its answer, or `null` if the answer has none.
    pub answer: Value,
}
