//! The people of the catalogue `<stage>.People`: schemaless items, of which only the key has a
//! name.

use aws_sdk_dynamodb::types::AttributeValue::N;

use crate::dynamodb::{Item, key_attributes};
use crate::values::PersonId;

/// The partition key of People.
pub const PERSON_ID: &str = key_attributes::PEOPLE[0];

/// Returns the primary key of a person.
#[must_use]
pub fn person_key(person_id: &PersonId) -> Item {
    [(PERSON_ID.to_owned(), N(person_id.to_string()))].into()
}
