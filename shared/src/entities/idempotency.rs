//! The header `Idempotency-Key`, by which a client marks the repetitions of one POST request
//! ([draft-ietf-httpapi-idempotency-key-header](https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/)).
//!
//! A request that creates something new each time cannot be repeated safely after a lost answer.
//! With a key it can: the transaction that creates the thing also puts a record of the key, on the
//! condition that there is none. If the condition fails, DynamoDB returns the record, which has the
//! answer of the first request. So a key costs no request of its own, and there is no moment at
//! which the thing exists without its record, or the record without the thing.

use std::fmt;

use aws_sdk_dynamodb::types::{AttributeValue, Put, ReturnValuesOnConditionCheckFailure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use lambda_http::Request;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::key::Key;
use crate::dynamodb::{Item, entity};
use crate::http::answer;
use crate::values::{EpochMillis, IdempotencyKey, Timestamp, Username, Value};
use crate::{Error, Response};

/// The prefix of the partition keys of idempotency keys. The caller follows.
pub const IDEMPOTENCY_KEYS_PREFIX: &str = "IdempotencyKey#";

/// The name of the header. HTTP/2 requires lower case, and problem details name the field like this
/// too.
const HEADER: &str = "idempotency-key";
/// The time for which a key counts, in seconds: 24 hours. A client that lost an answer repeats the
/// request much sooner.
const LIFETIME_SECONDS: u64 = 24 * 60 * 60;

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
    /// Parses the header of a request of `caller`, or returns `None` if there is none. The key may
    /// be in double quotes, as the draft has it, or not: both are the same key.
    ///
    /// The hash of the body is that of its bytes as the client sent them: API Gateway may encode
    /// them in base64, and `lambda_http` decodes them again. So two texts of the same JSON are two
    /// bodies.
    pub fn from_request(request: &Request, caller: &Username, scope: &IdempotencyScope) -> Result<Option<Self>, Error> {
        let invalid = || {
            let rule = format!("must be {}, in double quotes or without", IdempotencyKey::RULE);
            Error::invalid(HEADER, rule)
        };
        let mut values = request.headers().get_all(HEADER).into_iter();
        let Some(value) = values.next() else { return Ok(None) };
        if values.next().is_some() {
            return Err(Error::invalid(HEADER, "must be given only once"));
        }
        let text = value.to_str().map_err(|_| invalid())?.trim();
        let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
        let key: IdempotencyKey = text.parse().map_err(|_| invalid())?;
        Ok(Some(Self {
            key: Key::idempotency_record(caller, scope, &key),
            body_sha256: BASE64.encode(Sha256::digest(request.body())),
            now: EpochMillis::now().seconds(),
        }))
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
            ttl: self.now + LIFETIME_SECONDS,
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
    use lambda_http::{Body, http};

    fn parse(values: &[&str]) -> Result<Option<IdempotentRequest>, Error> {
        let mut request = http::Request::post("/");
        for value in values {
            request = request.header("Idempotency-Key", value.as_bytes());
        }
        let request = request.body(Body::from("{}")).unwrap();
        IdempotentRequest::from_request(&request, &"ada".parse().unwrap(), &IdempotencyScope::Photos)
    }

    #[test]
    fn the_header_is_optional_and_may_be_in_quotes() {
        assert!(parse(&[]).unwrap().is_none());
        for value in ["a-1", "\"a-1\"", " a-1\t"] {
            let request = parse(&[value]).unwrap().unwrap();
            let key: Item = request.key.into();
            assert_eq!(key["pk"].as_s().unwrap(), "IdempotencyKey#ada", "{value}");
            assert_eq!(key["sk"].as_s().unwrap(), "photos#a-1", "{value}");
        }
    }

    #[test]
    fn refuses_malformed_headers() {
        let too_long = "a".repeat(65);
        let malformed = r#"|""|"|"a|a"|""a""|a"b|"a\"b"|a b|"a", "b"|a,b|"a";p=1|a#b|'a'|:YQ==:|ä"#;
        for value in malformed.split('|').chain([&*too_long]) {
            match parse(&[value]) {
                Err(Error::Invalid(violations)) => assert_eq!(violations[0].field, "idempotency-key", "{value}"),
                other => panic!("{value}: {other:?}"),
            }
        }
        assert!(matches!(parse(&["a", "a"]), Err(Error::Invalid(_))), "a repeated header is ambiguous");
    }

    #[test]
    fn the_hash_is_sha_256() {
        // printf '{}' | openssl dgst -sha256 -binary | base64
        assert_eq!(parse(&["a"]).unwrap().unwrap().body_sha256, "RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=");
    }
}
