//! The record of a request with an idempotency key.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::values::{Timestamp, Username};

/// The path to which an idempotency key belongs. The same key on two paths is two keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdempotencyScope {
    /// `POST /users/{username}/photos`
    Photos,
    /// `POST /users/{username}/favorites`
    Favorites,
    /// `POST /users/{username}/photos/{timestamp}/comments`, for the photo with this owner and
    /// timestamp.
    Comments(Username, Timestamp),
}

impl fmt::Display for IdempotencyScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Photos => f.write_str("photos"),
            Self::Favorites => f.write_str("favorites"),
            Self::Comments(owner, timestamp) => write!(f, "comments#{owner}#{timestamp}"),
        }
    }
}

/// The record of what a request with an idempotency key has created. The transaction that creates
/// the thing puts this item too.
///
/// The item is in no index, because it has none of their keys. That is why the records of photos
/// and comments are in this table too: every item of `quick-photos` is in its index
/// `InvertedIndex`, which would cost a write unit for each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IdempotencyRecord {
    /// The SHA-256 of the body of the request, in base64.
    pub body_sha256: String,
    /// The JSON of the answer: the thing as it was created.
    pub made: String,
    /// The time from which on the record does not count any more, in seconds since 1970. DynamoDB
    /// deletes the item [some days
    /// later](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html).
    pub ttl: u64,
}
