//! The vectors of photos, by which the vector index [`PHOTOS_BY_LOOK`](super::PHOTOS_BY_LOOK) finds
//! the photos that look alike.
//!
//! The crate `pictures` says what a vector is. It is an item of its own, so that no read of a photo
//! pays for it, and the index projects nothing but keys, so that its size is that of the vectors.

use aws_sdk_dynamodb::types::AttributeValue::{L, N};

use super::keys::{Key, PK, SK, VECTORS_PREFIX};
use super::position::Position;
use crate::Error;
use crate::dynamodb::Item;
use crate::values::{Timestamp, Username};

/// The attribute with the elements of the vector, a list of numbers.
pub const VECTOR: &str = "vector";

/// Returns the item of the vector of a photo. The transaction that makes the photo ready puts it.
#[must_use]
pub fn vector_item(owner: &Username, timestamp: &Timestamp, vector: &[i8]) -> Item {
    let mut item = Item::from(Key::vector(owner, timestamp));
    item.insert(VECTOR.to_owned(), L(vector.iter().map(|element| N(element.to_string())).collect()));
    item
}

/// Returns the photo whose vector an item is, of which the keys suffice.
pub fn photo_of_vector(item: &Item) -> Result<Position, Error> {
    let text = |name| item.get(name).and_then(|value| value.as_s().ok()).map_or("", String::as_str);
    let (pk, sk) = (text(PK), text(SK));
    let position = pk
        .strip_prefix(VECTORS_PREFIX)
        .and_then(|owner| Some(Position { timestamp: sk.parse().ok()?, author: owner.parse().ok()? }));
    position.ok_or_else(|| Error::internal(format!("the key {pk:?} {sk:?} is not that of a vector")))
}
