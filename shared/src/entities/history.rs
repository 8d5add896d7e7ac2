//! The history of favorites, from which an unclipped favorite can be restored.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::{N, S};

use super::favorite::{Favorite, favorites_of_type_pk, set_tag_ids};
use super::key::{GSI_ONE_PK, Key};
use crate::dynamodb::Item;
use crate::values::{DataId, DataType, TagId, Username};

/// The prefix of the partition keys of history items. The owner follows.
pub const HISTORIES_PREFIX: &str = "FavoriteDataHistory#";

impl Key {
    /// Returns the key of the history item of an unclipped favorite, see
    /// [`history_item`](super::history_item).
    #[must_use]
    pub fn history(owner: &Username, data_id: &DataId) -> Self {
        Self::of_favorite(histories_pk(owner), data_id.to_string())
    }
}

/// Returns the partition key of the history items of a user.
#[must_use]
pub fn histories_pk(owner: &Username) -> String {
    format!("{HISTORIES_PREFIX}{owner}")
}

/// Returns the partition key in [`GSI_ONE`](super::GSI_ONE) of the history items of a user of one
/// type.
#[must_use]
pub(super) fn histories_of_type_pk(owner: &Username, data_type: DataType) -> String {
    format!("{HISTORIES_PREFIX}{owner}#{data_type}")
}

/// Returns the history item of a favorite that is unclipped, from which it can be restored.
///
/// It has the attributes of the favorite's `item` without the tag count, the ids of the tags, and
/// `ttl`: the time in seconds since 1970 at which DynamoDB deletes it.
#[must_use]
pub fn history_item(
    owner: &Username,
    favorite: &Favorite,
    mut item: Item,
    tag_ids: &BTreeSet<TagId>,
    ttl: u64,
) -> Item {
    item.extend(Item::from(Key::history(owner, &favorite.data_id)));
    item.insert(GSI_ONE_PK.to_owned(), S(histories_of_type_pk(owner, favorite.data_type)));
    set_tag_ids(&mut item, tag_ids);
    item.insert("ttl".to_owned(), N(ttl.to_string()));
    item.remove("tagCount");
    item
}

/// Returns the item of a favorite from its history `item`, with these tags. It reverses
/// [`history_item`], except that `tagVersion` grows: a request that read the favorite before it was
/// unclipped must not take the restored one for unchanged.
#[must_use]
pub fn restored_item(owner: &Username, favorite: &Favorite, mut item: Item, tag_ids: &BTreeSet<TagId>) -> Item {
    item.extend(Item::from(Key::favorite(owner, &favorite.data_id)));
    item.insert(GSI_ONE_PK.to_owned(), S(favorites_of_type_pk(owner, favorite.data_type)));
    item.insert("tagCount".to_owned(), N(tag_ids.len().to_string()));
    set_tag_ids(&mut item, tag_ids);
    let version: u64 = item.get("tagVersion").and_then(|version| version.as_n().ok()?.parse().ok()).unwrap_or_default();
    item.insert("tagVersion".to_owned(), N((version + 1).to_string()));
    item.remove("ttl");
    item
}
