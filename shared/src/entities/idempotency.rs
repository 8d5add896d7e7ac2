//! The records of requests with an [idempotency key](crate::http::idempotency).
//!
//! A request that creates something new each time cannot be repeated safely after a lost answer.
//! With a key it can: the transaction that creates the thing also puts a record of the key, on the
//! condition that there is none. If the condition fails, DynamoDB returns the record, which has the
//! answer of the first request. So a key costs no request of its own, and there is no moment at
//! which the thing exists without its record, or the record without the thing.

use std::fmt;

use aws_sdk_dynamodb::types::{AttributeValue, Put, ReturnValuesOnConditionCheckFailure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::key::Key;
use crate::dynamodb::{Item, entity};
use crate::http::answer;
use crate::http::idempotency::{Idempotency, KeyOfBody};
use crate::values::{EpochMillis, IdempotencyKey, PhotoId, Username};
use crate::{Error, Response};

/// The prefix of the partition keys of idempotency keys. The caller follows.
pub const IDEMPOTENCY_KEYS_PREFIX: &str = "IdempotencyKey#";

/// The time for which a key counts, in seconds: 24 hours. A client that lost an answer repeats the
/// request much sooner.
pub const IDEMPOTENCY_KEY_LIFETIME_SECONDS: u64 = 24 * 60 * 60;

/// The path to which an idempotency key belongs. The same key on two paths is two keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdempotencyScope {
    /// `POST /users/{username}/photos`
    Photos,
    /// `POST /users/{username}/favorites`
    Favorites,
    /// `POST /users/{username}/photos/{photo}/comments`, for the photo with this owner and
    /// id.
    Comments(Username, PhotoId),
}

impl fmt::Display for IdempotencyScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Photos => f.write_str("photos"),
            Self::Favorites => f.write_str("favorites"),
            Self::Comments(owner, photo) => write!(f, "comments#{owner}#{photo}"),
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

impl Key {
    /// Returns the key of an [`IdempotencyRecord`](super::IdempotencyRecord).
    #[must_use]
    pub fn idempotency_record(caller: &Username, scope: &IdempotencyScope, key: &IdempotencyKey) -> Self {
        Self::of_favorite(idempotency_keys_pk(caller), format!("{scope}#{key}"))
    }
}

/// Returns the partition key of all idempotency keys of a user.
#[must_use]
pub fn idempotency_keys_pk(caller: &Username) -> String {
    format!("{IDEMPOTENCY_KEYS_PREFIX}{caller}")
}

/// A request with an idempotency key.
#[derive(Debug)]
pub struct IdempotentRequest {
    key: Key,
    body_sha256: String,
    now: u64,
}

impl IdempotentRequest {
    /// Returns the request of `caller`, if it has a key. Keys of other scopes are other keys.
    #[must_use]
    pub fn of(Idempotency(header): Idempotency, caller: &Username, scope: &IdempotencyScope) -> Option<Self> {
        header.map(|KeyOfBody { key, body_sha256 }| Self {
            key: Key::idempotency_record(caller, scope, &key),
            body_sha256,
            now: EpochMillis::now().seconds(),
        })
    }

    /// Returns the put of the record, for the transaction that creates `made`, the body of the
    /// answer. `table` is the name of the table `<stage>.Favorite`.
    ///
    /// Its condition fails if there is a record of the key. An expired one does not count: DynamoDB
    /// may delete it only days later.
    pub fn put_record(&self, table: &str, made: &impl Serialize) -> Result<Put, Error> {
        let record = IdempotencyRecord {
            body_sha256: self.body_sha256.clone(),
            made: serde_json::to_string(made)?,
            ttl: self.now + IDEMPOTENCY_KEY_LIFETIME_SECONDS,
        };
        Ok(Put::builder()
            .table_name(table)
            .set_item(Some(entity::to_item(self.key.clone(), &record)?))
            .condition_expression("attribute_not_exists(pk) OR #ttl <= :now")
            .expression_attribute_names("#ttl", "ttl")
            .expression_attribute_values(":now", AttributeValue::N(self.now.to_string()))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()?)
    }

    /// Returns the answer to a repeated request: a 200 with what the first one has created.
    /// `record` is the item for which the condition of [`Self::put_record`] failed; it holds the
    /// JSON of a `T`. Fails if the first request had another body.
    pub fn repeated<T>(&self, record: Item) -> Result<Response<T>, Error> {
        self.json(record).and_then(answer::stored)
    }

    /// Returns what the first request has created, for an answer that may have changed since. It
    /// fails as [`Self::repeated`] does.
    pub fn made<T: DeserializeOwned>(&self, record: Item) -> Result<T, Error> {
        Ok(serde_json::from_str(&self.json(record)?)?)
    }

    fn json(&self, record: Item) -> Result<String, Error> {
        let record: IdempotencyRecord = entity::from_item(record)?;
        if record.body_sha256 == self.body_sha256 { Ok(record.made) } else { Err(Error::IdempotencyKeyReused) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_of_a_key_lies_with_the_caller_and_the_scope() {
        let header = KeyOfBody { key: "a-1".parse().unwrap(), body_sha256: String::new() };
        let caller = "ada".parse().unwrap();
        let request = IdempotentRequest::of(Idempotency(Some(header)), &caller, &IdempotencyScope::Photos).unwrap();
        let key: Item = request.key.into();
        assert_eq!(key["pk"].as_s().unwrap(), "IdempotencyKey#ada");
        assert_eq!(key["sk"].as_s().unwrap(), "photos#a-1");
    }
}
