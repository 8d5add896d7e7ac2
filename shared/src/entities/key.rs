//! The primary key of an item, and the names that several kinds of items share: the key attributes
//! of the tables, and the indexes.
//!
//! The constructors of keys are in the files of the entities.

use aws_sdk_dynamodb::types::AttributeValue::S;

use crate::Error;
use crate::dynamodb::{Item, key_attributes};
use crate::values::Username;

/// The partition key, and the sort key of [`INVERTED_INDEX`](super::INVERTED_INDEX).
pub const PK: &str = key_attributes::QUICK_PHOTOS[0];
/// The sort key, and the partition key of [`INVERTED_INDEX`](super::INVERTED_INDEX).
pub const SK: &str = key_attributes::QUICK_PHOTOS[1];

/// The partition key of `<stage>.Favorite`.
pub const FAVORITE_PK: &str = key_attributes::FAVORITE[0];
/// The sort key of `<stage>.Favorite`.
pub const FAVORITE_SK: &str = key_attributes::FAVORITE[1];

/// The local secondary index that sorts favorites by the time of clipping, and tags by name.
pub const LSI_ONE: &str = "lsiOne";
/// The sort key of [`LSI_ONE`].
pub const LSI_ONE_SK: &str = "lsiOneSk";
/// The local secondary index that sorts tags by the time of creation.
pub const LSI_TWO: &str = "lsiTwo";
/// The sort key of [`LSI_TWO`].
pub const LSI_TWO_SK: &str = "lsiTwoSk";
/// The local secondary index that sorts tags by the time of last use.
pub const LSI_THREE: &str = "lsiThree";
/// The sort key of [`LSI_THREE`].
pub const LSI_THREE_SK: &str = "lsiThreeSk";
/// The global secondary index of the favorites of a type, and of those with a tag.
pub const GSI_ONE: &str = "gsiOne";
/// The partition key of [`GSI_ONE`].
pub const GSI_ONE_PK: &str = "gsiOnePk";
/// The sort key of [`GSI_ONE`].
pub const GSI_ONE_SK: &str = "gsiOneSk";
/// The global secondary index of the favorites with a tag and of a type.
pub const GSI_TWO: &str = "gsiTwo";
/// The partition key of [`GSI_TWO`].
pub const GSI_TWO_PK: &str = "gsiTwoPk";
/// The sort key of [`GSI_TWO`].
pub const GSI_TWO_SK: &str = "gsiTwoSk";

/// The partition key of `<stage>.Feed`.
pub const FEED_PK: &str = key_attributes::FEED[0];
/// The sort key of `<stage>.Feed`.
pub const FEED_SK: &str = key_attributes::FEED[1];

/// The prefix of the partition keys of users, which photos, friendships and others share. In the
/// inverted index, it distinguishes a photo from the reactions to it and the comments on it.
pub const USER_PREFIX: &str = "USER#";

/// The primary key of an item of `quick-photos`, `<stage>.Favorite` or `<stage>.Feed`. Writes,
/// reads, conditions and cursors all use its constructors.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub(super) names: [&'static str; 2],
    pub(super) pk: String,
    pub(super) sk: String,
}

impl Key {
    /// Returns the key of an item.
    pub fn of_item(item: &Item) -> Result<Self, Error> {
        let tables = [key_attributes::QUICK_PHOTOS, key_attributes::FAVORITE, key_attributes::FEED];
        let key = tables.into_iter().find_map(|names| {
            let [pk, sk] = names.map(|name| item.get(name)?.as_s().ok().cloned());
            Some(Self { names, pk: pk?, sk: sk? })
        });
        key.ok_or_else(|| Error::internal("an item has no key"))
    }

    /// Returns a key of the table `quick-photos`.
    pub(super) const fn of_photos(pk: String, sk: String) -> Self {
        Self { names: key_attributes::QUICK_PHOTOS, pk, sk }
    }

    /// Returns a key of the table `<stage>.Favorite`.
    pub(super) const fn of_favorite(pk: String, sk: String) -> Self {
        Self { names: key_attributes::FAVORITE, pk, sk }
    }

    /// Returns a key of the table `<stage>.Feed`.
    pub(super) const fn of_feed(pk: String, sk: String) -> Self {
        Self { names: key_attributes::FEED, pk, sk }
    }
}

/// Converts the key to its attributes, for `Key`, `Keys` and `ExclusiveStartKey` of requests.
impl From<Key> for Item {
    fn from(Key { names: [pk_name, sk_name], pk, sk }: Key) -> Self {
        Self::from([(pk_name.to_owned(), S(pk)), (sk_name.to_owned(), S(sk))])
    }
}

/// Returns the partition key of a user: of the profile, the photos and the followers.
#[must_use]
pub fn user_pk(username: &Username) -> String {
    format!("{USER_PREFIX}{username}")
}

/// Returns the owner of an item of `<stage>.Favorite` whose partition key is this prefix and the
/// owner, or `None` for another key.
pub(super) fn owner(keys: &Item, prefix: &str) -> Option<Username> {
    match keys.get(FAVORITE_PK) {
        Some(S(pk)) => pk.strip_prefix(prefix)?.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
