//! The findings in `<stage>.Favorite`.

use std::collections::{BTreeSet, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use shared::dynamodb::Item;
use shared::entities::{FAVORITE_PK, Favorite, FavoriteTag, Key};
use shared::values::{DataId, EpochMillis, TagId, TagName, Username};
use thiserror::Error;

use super::action::Action;
use super::stored_count::stored_count;

/// A defect in `<stage>.Favorite`.
#[derive(Debug, Clone, PartialEq, Error)]
pub(in crate::audit) enum FavoritesFinding {
    #[error("{of}: {keys}")]
    IndexKeys { of: String, key: Key, keys: WrongIndexKeys },
    #[error("tag {tag_id} on favorite {data_id} of {owner}: {fault}")]
    FavoriteTag { owner: Username, data_id: DataId, tag_id: TagId, fault: FavoriteTagFault },
    #[error("reservation of tag name {folded:?} of {owner}: tag {tag_id} {}", has(.actual_name.as_ref()))]
    OrphanReservation { owner: Username, folded: String, tag_id: TagId, actual_name: Option<String> },
    /// A tag without a reservation of its name, so that another tag could get the same name.
    #[error("tag {tag_id} of {owner}: its name {:?} is not reserved", .name.as_ref())]
    MissingReservation { owner: Username, tag_id: TagId, name: TagName },
    #[error("tags {} of {owner}: all have the name {folded:?}", joined(.tag_ids))]
    DuplicateName { owner: Username, tag_ids: BTreeSet<TagId>, folded: String },
    #[error("favorite {} of {owner}: {wrong} of {expected} terms are missing or wrong", .favorite.data_id)]
    WrongTerms { owner: Username, favorite: Box<Favorite>, found: Snapshot, wrong: usize, expected: usize },
    #[error(
        "{} terms of favorite {data_id} of {owner}, clipped {clip_time}: the favorite {}",
        .terms.len(),
        if .favorite.is_none() { "does not exist" } else { "has other terms" }
    )]
    OrphanTerms {
        owner: Username,
        data_id: DataId,
        clip_time: EpochMillis,
        terms: BTreeSet<String>,
        /// The attributes from which the favorite's own terms are made, or `None` if the favorite
        /// does not exist.
        favorite: Option<Snapshot>,
    },
    #[error("favorite {data_id} of {owner}: {}", wrong_tags(*stored, *actual))]
    FavoriteTags {
        owner: Username,
        data_id: DataId,
        /// The count, the ids, `tagVersion` and the time of the clip. The version changes when a tag is put
        /// on the favorite, and the time when the same favorite is removed and clipped again.
        found: Snapshot,
        stored: Option<i64>,
        actual: i64,
        tag_ids: BTreeSet<TagId>,
    },
    #[error("tags of {owner}: the count is {stored}, but should be {actual}")]
    UserTagCount {
        owner: Username,
        /// The count and the number of deletions, which changes when a tag is deleted.
        found: Snapshot,
        stored: i64,
        actual: i64,
    },
    #[error("favorites of {owner}: the count is {}, but should be {actual}", stored_count(*.stored))]
    UserFavoriteCount { owner: Username, stored: Option<i64>, actual: i64 },
}

/// The fault of a tag on a favorite.
#[derive(Debug, Clone, PartialEq, Error)]
pub(in crate::audit) enum FavoriteTagFault {
    #[error("the favorite does not exist")]
    NoFavorite,
    #[error("the tag does not exist")]
    NoTag,
    #[error("differs from the favorite")]
    DiffersFromFavorite { found: Snapshot, favorite: Snapshot, expected: FavoriteTag },
}

/// Index keys that do not match the attributes from which they are made.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("wrong index keys {}", .expected.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "))]
pub(in crate::audit) struct WrongIndexKeys {
    /// The wrong keys, and the attributes from which they are made.
    pub found: Snapshot,
    /// The names and the expected values of the wrong keys.
    pub expected: Vec<(&'static str, AttributeValue)>,
}

/// Some attributes of an item at the time of an inspection. The value is `None` for an attribute
/// that was absent.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::audit) struct Snapshot(Vec<(&'static str, Option<AttributeValue>)>);

impl Snapshot {
    pub(in crate::audit) fn new(item: &Item, names: &[&'static str]) -> Self {
        Self(names.iter().map(|name| (*name, item.get(*name).cloned())).collect())
    }

    /// Returns a condition expression which checks that the item still exists with these
    /// attributes, and its values.
    pub(in crate::audit) fn condition(&self) -> (String, HashMap<String, AttributeValue>) {
        let exists = std::iter::once(format!("attribute_exists({FAVORITE_PK})"));
        let unchanged = self.0.iter().map(|(name, value)| match value {
            Some(_) => format!("{name} = :found_{name}"),
            None => format!("attribute_not_exists({name})"),
        });
        let values = self.0.iter().filter_map(|(name, value)| Some((format!(":found_{name}"), value.clone()?)));
        (exists.chain(unchanged).collect::<Vec<_>>().join(" AND "), values.collect())
    }
}

impl FavoritesFinding {
    /// Returns what a repair does with the finding, and what findings of this kind are, in the plural.
    pub(super) fn effect(&self) -> (Action, &'static str) {
        use Action::{Delete, Leave, Write};

        match self {
            Self::IndexKeys { .. } => (Write, "items with wrong index keys"),
            Self::FavoriteTag { fault: FavoriteTagFault::DiffersFromFavorite { .. }, .. } => {
                (Write, "tags that differ from their favorites")
            }
            Self::FavoriteTag { .. } => (Delete, "tags of or on what does not exist"),
            Self::OrphanReservation { .. } => (Delete, "reservations of names that no tag has"),
            Self::MissingReservation { .. } => (Write, "names that are not reserved"),
            Self::DuplicateName { .. } => (Leave, "names of several tags"),
            Self::WrongTerms { .. } => (Write, "favorites with missing or wrong terms"),
            Self::OrphanTerms { .. } => (Delete, "sets of search terms that no favorite has"),
            Self::FavoriteTags { .. } | Self::UserTagCount { .. } | Self::UserFavoriteCount { .. } => {
                (Write, "wrong counts")
            }
        }
    }
}

/// Describes the tags of a favorite whose count is wrong, or else the ids.
fn wrong_tags(stored: Option<i64>, actual: i64) -> String {
    match stored {
        Some(stored) if stored != actual => format!("tagCount is {stored}, but should be {actual}"),
        _ => "tagIds are not the ids of its tags".to_owned(),
    }
}

/// Returns the name of a tag, or that there is no tag.
fn has(name: Option<&String>) -> String {
    name.map_or_else(|| "does not exist".to_owned(), |name| format!("has the name {name:?}"))
}

fn joined(tag_ids: &BTreeSet<TagId>) -> String {
    tag_ids.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ")
}
