//! The exceptions of authors with fan-out on read: the followers who get entries nevertheless.

use aws_sdk_dynamodb::types::AttributeValue;

use super::friendship::Friendship;
use super::key::{FEED_SK, Key};
use crate::Error;
use crate::dynamodb::{Item, entity};
use crate::values::Username;

/// The prefix of the partition keys of exceptions. The author follows.
pub const EXCEPTIONS_PREFIX: &str = "Push#";

impl Key {
    /// Returns the key of an exception.
    #[must_use]
    pub fn exception(author: &Username, reader: &Username) -> Self {
        Self::of_feed(exceptions_pk(author), reader.to_string())
    }
}

/// Returns the partition key of the exceptions of an author.
#[must_use]
pub fn exceptions_pk(author: &Username) -> String {
    format!("{EXCEPTIONS_PREFIX}{author}")
}

/// Returns the reader whom an item names: the follower of a [`Friendship`] with the author, or an
/// exception.
pub fn reader_of(item: Item) -> Result<Username, Error> {
    match item.get(FEED_SK).map(AttributeValue::as_s) {
        Some(Ok(reader)) => {
            reader.parse().map_err(|_| Error::internal(format!("the exception {reader:?} has no reader")))
        }
        _ => Ok(entity::from_item::<Friendship>(item)?.following_user),
    }
}
