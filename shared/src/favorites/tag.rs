//! Tags, their names, and the entries of the favorites that carry them.

use aws_sdk_dynamodb::types::AttributeValue::{self, S};
use serde::{Deserialize, Serialize};

use super::attributes::{data_type, number, uppercase};
use super::favorite::Favorite;
use super::keys::{
    ClipPosition, GSI_ONE_PK, GSI_ONE_SK, GSI_TWO_PK, GSI_TWO_SK, Key, LSI_ONE_SK, LSI_THREE_SK, LSI_TWO_SK,
    favorites_of_tag_and_type_pk, favorites_of_tag_pk,
};
use crate::Error;
use crate::dynamodb::Item;
use crate::dynamodb::entity;
use crate::values::{DataId, DataType, EpochMillis, TagId, TagName, Username};

/// A tag of a user. It deserializes from an item and serializes as the JSON of an answer; [`Tag::item`] returns the
/// item.
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
    /// Returns whether the tag has this name, without regard to case and Unicode form. Returns `false` if the tag has a
    /// name that breaks the rules of [`TagName`].
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

/// The reservation of a name, which keeps a user from having two tags with the same folded name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TagNameReservation {
    /// The id of the tag that has the name.
    pub tag_id: TagId,
}

/// Returns the item of the [`TagNameReservation`] of `name` for the tag `tag_id`.
#[must_use]
pub fn tag_name_reservation(owner: &Username, name: &TagName, tag_id: &TagId) -> Item {
    let mut item = Item::from(Key::tag_name_reservation(owner, name));
    item.insert("tagId".to_owned(), S(tag_id.to_string()));
    item
}

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

    /// Parses an item of `owner`. The id of the favorite is part of the partition key only, after the name of the
    /// owner.
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
