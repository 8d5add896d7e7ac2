//! Visitors: people without an account who have reported what a link shows.

use serde::{Deserialize, Serialize};

use super::key::Key;

/// The prefix of the partition keys of visitors.
pub const VISITOR_PREFIX: &str = "VISITOR#";
/// The maximum number of reports from one address in a day.
pub const MAX_VISITOR_REPORTS: u64 = 10;
/// The attribute of a visitor with the hashes of the tokens of the links that the visitor has reported.
pub const REPORTED_LINKS: &str = "links";

/// The reports from one address in one day. The address itself is nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visitor {
    /// The hash of the address and of the day, by a secret key.
    pub hash: String,
    /// The number of reports, at most [`MAX_VISITOR_REPORTS`].
    pub reports: u64,
    /// The end of the day, in seconds since 1970.
    pub ttl: u64,
}

impl Key {
    /// Returns the key of a [`Visitor`](super::Visitor).
    #[must_use]
    pub fn visitor(hash: &str) -> Self {
        Self::of_photos(format!("{VISITOR_PREFIX}{hash}"), format!("#{VISITOR_PREFIX}{hash}"))
    }
}
