//! The keys of the table `<stage>.Favorite`: attributes, indexes and constructors.

use std::fmt;

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};

use super::idempotency::IdempotencyScope;
use crate::dynamodb::{Item, key_attributes};
use crate::values::{DataId, DataType, EpochMillis, IdempotencyKey, TagId, TagName, Username};

/// The partition key.
pub const PK: &str = key_attributes::FAVORITE[0];
/// The sort key.
pub const SK: &str = key_attributes::FAVORITE[1];
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

/// The primary key of an item. Writes, reads, conditions and cursors all use these constructors.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    pk: String,
    sk: String,
}

impl Key {
    /// Returns the key of a [`Favorite`](super::Favorite).
    #[must_use]
    pub fn favorite(owner: &Username, data_id: &DataId) -> Self {
        Self { pk: favorites_pk(owner), sk: data_id.to_string() }
    }

    /// Returns the key of the history item of an unclipped favorite, see
    /// [`history_item`](super::history_item).
    #[must_use]
    pub fn history(owner: &Username, data_id: &DataId) -> Self {
        Self { pk: histories_pk(owner), sk: data_id.to_string() }
    }

    /// Returns the key of a [`FavoriteTag`](super::FavoriteTag).
    #[must_use]
    pub fn favorite_tag(owner: &Username, data_id: &DataId, tag_id: &TagId) -> Self {
        Self { pk: tags_of_favorite_pk(owner, data_id), sk: tag_id.to_string() }
    }

    /// Returns the key of a [`Tag`](super::Tag).
    #[must_use]
    pub fn tag(owner: &Username, tag_id: &TagId) -> Self {
        Self { pk: tags_pk(owner), sk: tag_id.to_string() }
    }

    /// Returns the key of a [`TagNameReservation`](super::TagNameReservation).
    #[must_use]
    pub fn tag_name_reservation(owner: &Username, name: &TagName) -> Self {
        Self { pk: tag_names_pk(owner), sk: name.folded() }
    }

    /// Returns the key of the item that counts the tags of a user. Its attributes are `tags`, the
    /// number of tags, and `deletions`, the number of tags deleted so far.
    ///
    /// If another program wrote the tags, there is no such item until this one creates or deletes a
    /// tag.
    #[must_use]
    pub fn tag_count(owner: &Username) -> Self {
        Self { pk: tag_count_pk(owner), sk: "TagCount".to_owned() }
    }

    /// Returns the key of the item that counts the favorites of a user, in its attribute
    /// `favorites`.
    ///
    /// If another program wrote the favorites, there is no such item until this one clips a
    /// favorite. It then counts only newer favorites, until the audit has counted all.
    #[must_use]
    pub fn favorite_count(owner: &Username) -> Self {
        Self { pk: favorite_count_pk(owner), sk: "FavoriteCount".to_owned() }
    }

    /// Returns the key of an [`IdempotencyRecord`](super::IdempotencyRecord).
    #[must_use]
    pub fn idempotency_record(caller: &Username, scope: &IdempotencyScope, key: &IdempotencyKey) -> Self {
        Self { pk: idempotency_keys_pk(caller), sk: format!("{scope}#{key}") }
    }

    /// Returns the key of a [`Term`](super::Term).
    #[must_use]
    pub fn term(owner: &Username, term: &str, position: &ClipPosition) -> Self {
        Self { pk: term_pk(owner, term), sk: position.to_string() }
    }
}

/// Converts the key to its attributes, for `Key`, `Keys` and `ExclusiveStartKey` of requests.
impl From<Key> for Item {
    fn from(key: Key) -> Self {
        Self::from([(PK.to_owned(), S(key.pk)), (SK.to_owned(), S(key.sk))])
    }
}

/// Returns the partition key of all favorites of a user.
#[must_use]
pub fn favorites_pk(owner: &Username) -> String {
    format!("FavoriteData#{owner}")
}

/// Returns the partition key in [`GSI_ONE`] of the favorites of a user of one type.
#[must_use]
pub fn favorites_of_type_pk(owner: &Username, data_type: DataType) -> String {
    format!("FavoriteData#{owner}#{data_type}")
}

/// Returns the partition key of the history items of a user.
#[must_use]
pub fn histories_pk(owner: &Username) -> String {
    format!("FavoriteDataHistory#{owner}")
}

/// Returns the partition key in [`GSI_ONE`] of the history items of a user of one type.
#[must_use]
pub(super) fn histories_of_type_pk(owner: &Username, data_type: DataType) -> String {
    format!("FavoriteDataHistory#{owner}#{data_type}")
}

/// Returns the partition key of the tags of a favorite.
#[must_use]
pub fn tags_of_favorite_pk(owner: &Username, data_id: &DataId) -> String {
    format!("FavoriteDataTag#{owner}#{data_id}")
}

/// Returns the partition key in [`GSI_ONE`] of the favorites with a tag.
#[must_use]
pub fn favorites_of_tag_pk(owner: &Username, tag_id: &TagId) -> String {
    format!("FavoriteDataTag#{owner}#{tag_id}")
}

/// Returns the partition key in [`GSI_TWO`] of the favorites with a tag and of one type.
#[must_use]
pub fn favorites_of_tag_and_type_pk(owner: &Username, tag_id: &TagId, data_type: DataType) -> String {
    format!("FavoriteDataTag#{owner}#{tag_id}#{data_type}")
}

/// Returns the partition key of all tags of a user.
#[must_use]
pub fn tags_pk(owner: &Username) -> String {
    format!("Tag#{owner}")
}

/// Returns the partition key of all tag name reservations of a user.
#[must_use]
pub fn tag_names_pk(owner: &Username) -> String {
    format!("TagName#{owner}")
}

/// Returns the partition key of the tag count of a user.
#[must_use]
pub fn tag_count_pk(owner: &Username) -> String {
    format!("TagCount#{owner}")
}

/// Returns the partition key of the favorite count of a user.
#[must_use]
pub fn favorite_count_pk(owner: &Username) -> String {
    format!("FavoriteCount#{owner}")
}

/// Returns the partition key of the favorites of a user whose titles have a term.
#[must_use]
pub fn term_pk(owner: &Username, term: &str) -> String {
    format!("FavoriteDataTerm#{owner}#{term}")
}

/// Returns the partition key of all idempotency keys of a user.
#[must_use]
pub fn idempotency_keys_pk(caller: &Username) -> String {
    format!("IdempotencyKey#{caller}")
}

/// The position of a favorite in lists of favorites. Its text `<clipTime>#<dataId>` is the sort key
/// of the lists, and their cursors contain it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClipPosition {
    /// The time at which the favorite was clipped.
    pub clip_time: EpochMillis,
    /// The id of the favorite.
    pub data_id: DataId,
}

impl fmt::Display for ClipPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.clip_time, self.data_id)
    }
}

/// Returns the owner of a favorite from the key of its item, or `None` if the key belongs to
/// another entity.
#[must_use]
pub fn owner_of_favorite(keys: &Item) -> Option<Username> {
    owner(keys, "FavoriteData#")
}

/// Returns the owner of a tag from the key of its item, or `None` if the key belongs to another
/// entity.
#[must_use]
pub fn owner_of_tag(keys: &Item) -> Option<Username> {
    owner(keys, "Tag#")
}

fn owner(keys: &Item, prefix: &str) -> Option<Username> {
    match keys.get(PK) {
        Some(S(pk)) => pk.strip_prefix(prefix)?.parse().ok(),
        _ => None,
    }
}
