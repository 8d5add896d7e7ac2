//! Tags.

use aws_sdk_dynamodb::types::AttributeValue::{self, S};
use serde::{Deserialize, Serialize};

use super::attributes::number;
use super::key::{Key, LSI_ONE_SK, LSI_THREE_SK, LSI_TWO_SK, owner};
use crate::dynamodb::{Item, unless_condition_failed};
use crate::values::{EpochMillis, TagId, TagName, Username};
use crate::{Error, Table};

/// The prefix of the partition keys of tags. The owner follows.
pub const TAGS_PREFIX: &str = "Tag#";

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
    /// The cursor of the next page, or `null` at the end of the list.
    pub next_cursor: Option<String>,
}

impl Key {
    /// Returns the key of a [`Tag`](super::Tag).
    #[must_use]
    pub fn tag(owner: &Username, tag_id: &TagId) -> Self {
        Self::of_favorite(tags_pk(owner), tag_id.to_string())
    }
}

/// Returns the partition key of all tags of a user.
#[must_use]
pub fn tags_pk(owner: &Username) -> String {
    format!("{TAGS_PREFIX}{owner}")
}

/// Returns the owner of a tag from the key of its item, or `None` if the key belongs to another
/// entity.
#[must_use]
pub fn owner_of_tag(keys: &Item) -> Option<Username> {
    owner(keys, TAGS_PREFIX)
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
pub(super) async fn record_use(table: &Table, owner: &Username, tag_id: &TagId) -> Result<bool, Error> {
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
