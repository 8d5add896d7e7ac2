//! The timer of the rest of a deleted name.

use serde::{Deserialize, Serialize};

use crate::values::{Timestamp, Username};

/// The timer of the rest of a deleted name. Until DynamoDB has deleted it, the [`Deletion`](super::Deletion) of the name
/// stays, and nobody can take the name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    /// The name that rests.
    pub resting: Username,
    /// The time of the deletion, as in the [`Deletion`](super::Deletion).
    pub since: Timestamp,
    /// The time at which the rest ends, in seconds since 1970. DynamoDB deletes the item [some days
    /// later](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html).
    pub ttl: u64,
}
