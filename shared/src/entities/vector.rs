//! The vectors of photos, by which the vector index [`PHOTOS_BY_LOOK`](super::PHOTOS_BY_LOOK) finds
//! the photos that look alike.
//!
//! A photo of [several pictures](super::Pictures) has a vector for each.
//!
//! The crate `pictures` says what a vector is. It is an item of its own, so that no read of a photo
//! pays for it, and the index projects nothing but keys, so that its size is that of the vectors.
//!
//! The vector of a photo that everyone may see is in the attribute [`VECTOR`], which the index has.
//! Any other vector is in [`HIDDEN_VECTOR`]: a search does not find it, and it is there for the time
//! at which everyone may see the photo again.

use aws_sdk_dynamodb::types::AttributeValue::{self, L, N};
use aws_sdk_dynamodb::types::{ConditionCheck, TransactWriteItem, Update};

use super::key::{FEED_PK, FEED_SK, Key};
use super::position::Position;
use crate::dynamodb::Item;
use crate::values::{PhotoId, PictureNumber, Username};
use crate::{Error, Table};

/// The prefix of the partition keys of the vectors of photos. The owner follows.
pub const VECTORS_PREFIX: &str = "Vector#";
/// The vector index of the photos that everyone may see: it has the attribute
/// [`VECTOR`](super::VECTOR). [Other items are not in
/// it](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/VectorSearchStorage.html).
pub const PHOTOS_BY_LOOK: &str = "PhotosByLook";
/// The attribute with the elements of a vector that is in the index, a list of numbers.
pub const VECTOR: &str = "vector";
/// The attribute with the elements of a vector that is not in the index.
pub const HIDDEN_VECTOR: &str = "hidden";

impl Key {
    /// Returns the key of the [vector](super::vector_item) of a photo, or of one of its several pictures.
    #[must_use]
    pub fn vector(owner: &Username, photo: &PhotoId, number: Option<PictureNumber>) -> Self {
        let sk = number.map_or_else(|| photo.to_string(), |number| format!("{photo}#{number}"));
        Self::of_feed(vectors_pk(owner), sk)
    }
}

/// Returns the partition key of the vectors of a user's photos.
#[must_use]
pub fn vectors_pk(owner: &Username) -> String {
    format!("{VECTORS_PREFIX}{owner}")
}

/// Returns the item of the vector of a photo, which is in the index if everyone may see the photo.
/// The transaction that makes the photo ready puts it.
#[must_use]
pub fn vector_item(
    owner: &Username,
    photo: &PhotoId,
    number: Option<PictureNumber>,
    vector: &[i8],
    is_public: bool,
) -> Item {
    let mut item = Item::from(Key::vector(owner, photo, number));
    let attribute = if is_public { VECTOR } else { HIDDEN_VECTOR };
    item.insert(attribute.to_owned(), L(vector.iter().map(|element| N(element.to_string())).collect()));
    item
}

/// Returns the elements of a vector, which may be in the index or not.
#[must_use]
pub fn vector_of(mut item: Item) -> Option<Vec<AttributeValue>> {
    match item.remove(VECTOR).or_else(|| item.remove(HIDDEN_VECTOR))? {
        L(elements) => Some(elements),
        _ => None,
    }
}

/// Returns what a transaction writes so that a vector is in the index if and only if everyone may
/// see its photo: the move of the vector, on the condition that it is still as it was read, or the
/// check that there still is none, or that it still is where it belongs. A `BatchGetItem` may have read
/// the photo and the vector at different times, so the transaction checks both.
pub fn place_vector(
    feed: &Table,
    owner: &Username,
    photo: &PhotoId,
    number: Option<PictureNumber>,
    read: Option<&Item>,
    is_public: bool,
) -> Result<TransactWriteItem, Error> {
    let key = Some(Item::from(Key::vector(owner, photo, number)));
    let Some(read) = read else {
        let check = ConditionCheck::builder().table_name(&feed.name).set_key(key);
        let check = check.condition_expression("attribute_not_exists(pk)").build()?;
        return Ok(TransactWriteItem::builder().condition_check(check).build());
    };
    let (from, to) = if is_public { (HIDDEN_VECTOR, VECTOR) } else { (VECTOR, HIDDEN_VECTOR) };
    if !read.contains_key(from) {
        let check = ConditionCheck::builder().table_name(&feed.name).set_key(key);
        let check = check.condition_expression("attribute_exists(#to)").expression_attribute_names("#to", to);
        return Ok(TransactWriteItem::builder().condition_check(check.build()?).build());
    }
    let update = Update::builder()
        .table_name(&feed.name)
        .set_key(key)
        .condition_expression("attribute_exists(#from)")
        .update_expression("SET #to = #from REMOVE #from")
        .expression_attribute_names("#from", from)
        .expression_attribute_names("#to", to);
    Ok(TransactWriteItem::builder().update(update.build()?).build())
}

/// Returns the photo whose vector an item is, of which the keys suffice, and the number of the picture.
pub fn photo_of_vector(item: &Item) -> Result<(Position, Option<PictureNumber>), Error> {
    let text = |name| item.get(name).and_then(|value| value.as_s().ok()).map_or("", String::as_str);
    let (pk, sk) = (text(FEED_PK), text(FEED_SK));
    let position = || {
        let (id, number) = match sk.split_once('#') {
            None => (sk, None),
            Some((id, number)) => (id, Some(number.parse().ok()?)),
        };
        let author = pk.strip_prefix(VECTORS_PREFIX)?.parse().ok()?;
        Some((Position { id: id.parse().ok()?, author }, number))
    };
    position().ok_or_else(|| Error::internal(format!("the key {pk:?} {sk:?} is not that of a vector")))
}
