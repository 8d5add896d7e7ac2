//! Tags, and the entries of the favorites that carry them.

use std::collections::HashMap;

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::{self, S};
use serde::{Deserialize, Serialize};

use super::attributes::{data_type, number, uppercase};
use super::favorite::Favorite;
use super::keys::{
    ClipPosition, GSI_ONE_PK, GSI_ONE_SK, GSI_TWO_PK, GSI_TWO_SK, Key, LSI_ONE_SK, LSI_THREE_SK, LSI_TWO_SK,
    favorites_of_tag_and_type_pk, favorites_of_tag_pk,
};
use crate::dynamodb::{Item, batch, entity, unless_condition_failed};
use crate::values::{DataId, DataType, EpochMillis, TagId, TagName, Username};
use crate::{Error, Table};

/// The maximum number of tags of a user.
pub const MAX_TAGS_PER_USER: usize = 1000;

/// A tag of a user. It deserializes from an item and serializes as the JSON of an answer;
/// [`Tag::item`] returns the item.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tag {
    /// The id among the tags of the owner.
    #[serde(rename(deserialize = "sk"))]
    pub tag_id: TagId,
    /// The name, which another program may have given without the rules of [`TagName`].
    pub tag_name: String,
    /// The time of creation.
    pub create_time: EpochMillis,
    /// The time at which its favorites were last listed, or of its creation if they never were.
    pub last_access_time: EpochMillis,
}

impl Tag {
    /// Returns whether the tag has this name, without regard to case and Unicode form. Returns
    /// `false` if the tag has a name that breaks the rules of [`TagName`].
    #[must_use]
    pub fn has_name(&self, name: &TagName) -> bool {
        self.tag_name.parse().is_ok_and(|own: TagName| own.folded() == name.folded())
    }

    /// Returns the item of the tag.
    #[must_use]
    pub fn item(&self, owner: &Username) -> Item {
        let mut item = Item::from(Key::tag(owner, &self.tag_id));
        let mut set = |name: &str, value: AttributeValue| item.insert(name.to_owned(), value);
        set(LSI_ONE_SK, S(self.tag_name.clone()));
        set(LSI_TWO_SK, S(self.create_time.to_string()));
        set(LSI_THREE_SK, S(self.last_access_time.to_string()));
        set("tagName", S(self.tag_name.clone()));
        set("createTime", number(self.create_time));
        set("lastAccessTime", number(self.last_access_time));
        item
    }
}

/// A page of a list of tags, as the JSON of an answer.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tags {
    /// The tags, in the order of the list.
    pub tags: Vec<Tag>,
    /// The cursor of the next page. `None` on the last page.
    pub next_cursor: Option<String>,
}

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
        let data_id = pk.strip_prefix(&format!("FavoriteDataTag#{owner}#")).and_then(|id| id.parse().ok());
        let data_id = data_id.ok_or_else(|| {
            Error::internal(format!("{pk} is not the partition key of the tags of a favorite of {owner}"))
        })?;
        Ok(Self { data_id, tag_id, data_type, clip_time })
    }
}

/// Returns whether a tag exists, by one consistent `GetItem`.
pub async fn exists(table: &Table, owner: &Username, tag_id: &TagId) -> Result<bool, Error> {
    Ok(get_item(table, owner, tag_id).await?.is_some())
}

/// Returns the item of a tag, by one consistent `GetItem`.
pub(super) async fn get_item(table: &Table, owner: &Username, tag_id: &TagId) -> Result<Option<Item>, Error> {
    let output = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(Key::tag(owner, tag_id).into()))
        .consistent_read(true)
        .send()
        .await?;
    Ok(output.item)
}

/// Sets the time of a tag's last use to now, by one `UpdateItem`. Returns `false`, and writes
/// nothing, if there is no such tag.
async fn record_use(table: &Table, owner: &Username, tag_id: &TagId) -> Result<bool, Error> {
    let now = EpochMillis::now();
    let updated = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(Key::tag(owner, tag_id).into()))
        .condition_expression("attribute_exists(pk)")
        .update_expression("SET lastAccessTime = :now, lsiThreeSk = :time")
        .expression_attribute_values(":now", number(now))
        .expression_attribute_values(":time", S(now.to_string()))
        .send()
        .await;
    Ok(unless_condition_failed(updated)?.is_some())
}

/// Returns the favorites of one page of a list of those that carry a tag, and the position of the
/// last entry on the page if the list goes on.
///
/// `entries` is the Query of the page's entries. One `BatchGetItem` reads their favorites. A
/// favorite that no longer exists is left out: the index may still hold the entry of a favorite
/// that was deleted a moment ago. At the same time, the first page records that the tag is used, by
/// one `UpdateItem`, and the others check that the tag exists, by one consistent `GetItem`. Fails
/// with [`Error::NotFound`] if there is no such tag.
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
/// to 100 entries. No two entries may be of the same favorite.
async fn favorites_of(table: &Table, owner: &Username, entries: &[FavoriteTag]) -> Result<Vec<Favorite>, Error> {
    let keys = entries.iter().map(|entry| Key::favorite(owner, &entry.data_id).into()).collect();
    let found: Vec<Favorite> = entity::from_items(batch::get(table, keys, false).await?)?;
    // BatchGetItem returns items in any order.
    let mut found: HashMap<DataId, Favorite> =
        found.into_iter().map(|favorite| (favorite.data_id.clone(), favorite)).collect();
    Ok(entries.iter().filter_map(|entry| found.remove(&entry.data_id)).collect())
}
