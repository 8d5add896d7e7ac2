//! The timer of a deleted name.

use serde::{Deserialize, Serialize};

use super::key::Key;
use crate::values::{Timestamp, Username};

/// The prefix of the partition keys of resting names.
pub(super) const REST_PREFIX: &str = "REST#";

/// The timer of a [`Deletion`](super::Deletion). It exists while the name rests, and DynamoDB
/// deletes it when its `ttl` has passed. The stream record of that starts the last sweep.
///
/// The `Deletion` is no timer itself: with it, DynamoDB would free the name before the sweep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    /// The name that rests.
    pub resting: Username,
    /// The time of the deletion.
    pub since: Timestamp,
    /// The time at which the rest is over, in seconds since 1970.
    pub ttl: u64,
}

impl Key {
    /// Returns the key of a [`Rest`](super::Rest). It is in no partition of a user, so no Query of
    /// a user's items reads it.
    #[must_use]
    pub fn rest(username: &Username) -> Self {
        Self::of_photos(format!("{REST_PREFIX}{username}"), format!("#REST#{username}"))
    }
}
