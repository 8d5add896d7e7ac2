//! The entries of the favorites that carry tags.

use std::collections::HashMap;

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};

use super::attributes::{data_type, uppercase};
use super::favorite::{ClipPosition, Favorite};
use super::key::{GSI_ONE_PK, GSI_ONE_SK, GSI_TWO_PK, GSI_TWO_SK, Key};
use super::tag::{exists, record_use};
use crate::dynamodb::{Item, batch, entity};
use crate::values::{DataId, DataType, EpochMillis, TagId, Username};
use crate::{Error, Table};

/// The prefix of the partition keys of the entries of tags. The owner and the favorite follow.
pub const FAVORITE_TAGS_PREFIX: &str = "FavoriteDataTag#";

/// The maximum number of tags of a favorite. All its [`FavoriteTag`]s are deleted in one
/// transaction, which takes at most [100
/// items](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html).
pub const MAX_TAGS_PER_FAVORITE: usize = 50;

/// An entry: the fact that a favorite carries a tag.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FavoriteTag {
    /// The id of the favorite.
    pub data_id: DataId,
    /// The id of the tag.
    pub tag_id: TagId,
    /// The type of the favorite.
    pub data_type: DataType,
    /// The time at which the favorite was clipped.
    pub clip_time: EpochMillis,
}

impl FavoriteTag {
    /// Returns the entry of a favorite under a tag.
    #[must_use]
    pub fn new(favorite: &Favorite, tag_id: TagId) -> Self {
        Self { data_id: favorite.data_id.clone(), tag_id, data_type: favorite.data_type, clip_time: favorite.clip_time }
    }

    /// Returns the position of the favorite in lists.
    #[must_use]
    pub fn clip_position(&self) -> ClipPosition {
        ClipPosition { clip_time: self.clip_time, data_id: self.data_id.clone() }
    }

    /// Returns the item of the entry.
    #[must_use]
    pub fn item(&self, owner: &Username) -> Item {
        let position = self.clip_position().to_string();
        let mut item = Item::from(Key::favorite_tag(owner, &self.data_id, &self.tag_id));
        let mut set = |name: &str, value: String| item.insert(name.to_owned(), S(value));
        set(GSI_ONE_PK, favorites_of_tag_pk(owner, &self.tag_id));
        set(GSI_ONE_SK, position.clone());
        set(GSI_TWO_PK, favorites_of_tag_and_type_pk(owner, &self.tag_id, self.data_type));
        set(GSI_TWO_SK, position);
        set("dataType", uppercase(self.data_type));
        set("clipTime", self.clip_time.to_string());
        item
    }

    /// Returns the entries that the items of a Query hold, in their order.
    pub fn from_items(owner: &Username, items: Option<Vec<Item>>) -> Result<Vec<Self>, Error> {
        items.unwrap_or_default().into_iter().map(|item| Self::from_item(owner, item)).collect()
    }

    /// Parses an item of `owner`. The id of the favorite is part of the partition key only, after
    /// the name of the owner.
    pub fn from_item(owner: &Username, item: Item) -> Result<Self, Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Attributes {
            pk: String,
            sk: TagId,
            #[serde(deserialize_with = "data_type")]
            data_type: DataType,
            clip_time: EpochMillis,
        }
        let Attributes { pk, sk: tag_id, data_type, clip_time } = entity::from_item(item)?;
        let data_id = pk.strip_prefix(&format!("{FAVORITE_TAGS_PREFIX}{owner}#")).and_then(|id| id.parse().ok());
        let data_id = data_id.ok_or_else(|| {
            Error::internal(format!("{pk} is not the partition key of the tags of a favorite of {owner}"))
        })?;
        Ok(Self { data_id, tag_id, data_type, clip_time })
    }
}

impl Key {
    /// Returns the key of a [`FavoriteTag`](super::FavoriteTag).
    #[must_use]
    pub fn favorite_tag(owner: &Username, data_id: &DataId, tag_id: &TagId) -> Self {
        Self::of_favorite(tags_of_favorite_pk(owner, data_id), tag_id.to_string())
    }
}

/// Returns the partition key of the tags of a favorite.
#[must_use]
pub fn tags_of_favorite_pk(owner: &Username, data_id: &DataId) -> String {
    format!("{FAVORITE_TAGS_PREFIX}{owner}#{data_id}")
}

/// Returns the partition key in [`GSI_ONE`](super::GSI_ONE) of the favorites with a tag.
#[must_use]
pub fn favorites_of_tag_pk(owner: &Username, tag_id: &TagId) -> String {
    format!("{FAVORITE_TAGS_PREFIX}{owner}#{tag_id}")
}

/// Returns the partition key in [`GSI_TWO`](super::GSI_TWO) of the favorites with a tag and of one
/// type.
#[must_use]
pub fn favorites_of_tag_and_type_pk(owner: &Username, tag_id: &TagId, data_type: DataType) -> String {
    format!("{FAVORITE_TAGS_PREFIX}{owner}#{tag_id}#{data_type}")
}

/// Returns the favorites of one page of a list of those that carry a tag, and the position of the
/// last entry on the page if the list goes on.
///
/// `entries` is the Query of the page's entries. One `BatchGetItem` reads their favorites. A
/// favorite that no longer exists is left out: the index may still hold the entry of a favorite
/// that was deleted a moment ago. At the same time, the first page records that the tag is used, by
/// one `UpdateItem`, and the others check that the tag exists, by one consistent `GetItem`. Fails
/// with [`Error::no_tag`] if there is no such tag.
pub async fn list_tagged_favorites(
    table: &Table,
    owner: &Username,
    tag_id: &TagId,
    entries: QueryFluentBuilder,
    is_first_page: bool,
) -> Result<(Vec<Favorite>, Option<ClipPosition>), Error> {
    let list = async {
        let output = entries.send().await?;
        let entries = FavoriteTag::from_items(owner, output.items)?;
        let last = output.last_evaluated_key.and(entries.last().map(FavoriteTag::clip_position));
        Ok::<_, Error>((favorites_of(table, owner, &entries).await?, last))
    };
    // One use is recorded for a list, however many of its pages are read. Every page needs the
    // check, because an index may hold entries of a deleted tag for a while.
    let tag_exists = async {
        if is_first_page { record_use(table, owner, tag_id).await } else { exists(table, owner, tag_id).await }
    };
    // Futures of several requests are large, so they are boxed.
    let (page, tag_exists) = tokio::join!(Box::pin(list), Box::pin(tag_exists));
    if tag_exists? { page } else { Err(Error::no_tag(tag_id)) }
}

/// Returns the favorites that carry a tag, in the order of `entries`, by one `BatchGetItem` for up
/// to 100 entries.
async fn favorites_of(table: &Table, owner: &Username, entries: &[FavoriteTag]) -> Result<Vec<Favorite>, Error> {
    let keys = entries.iter().map(|entry| Key::favorite(owner, &entry.data_id)).collect();
    let found: Vec<Favorite> = entity::from_items(batch::get(table, keys, false).await?)?;
    // BatchGetItem returns items in any order.
    let mut found: HashMap<DataId, Favorite> =
        found.into_iter().map(|favorite| (favorite.data_id.clone(), favorite)).collect();
    Ok(entries.iter().filter_map(|entry| found.remove(&entry.data_id)).collect())
}
