//! A function and what it does for its sample event.

use local::costs::Pattern;
use local::template::Function;
use serde_json::Value;

use crate::partitions::Load;

/// A function and what it does for its sample event.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    /// The function.
    pub(crate) function: Function,
    /// Its entry in costs.toml.
    pub(crate) pattern: Pattern,
    /// The partitions that its requests touch.
    pub(crate) loads: Vec<Load>,
    /// The body of its answer, or `null` if the answer has none.
    pub(crate) answer: Value,
}
