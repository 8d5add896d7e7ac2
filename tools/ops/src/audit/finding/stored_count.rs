//! The text of a count in an item.

use std::fmt;

/// Formats a count that may be missing.
pub(super) struct StoredCount(pub(super) Option<i64>);

impl fmt::Display for StoredCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(count) => write!(f, "{count}"),
            None => write!(f, "missing"),
        }
    }
}
