//! Favorites: content that users have clipped.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use aws_sdk_dynamodb::types::AttributeValue::{self, N, S, Ss};
use serde::{Deserialize, Serialize, Serializer};

use super::attributes::{data_type, uppercase};
use super::key::{GSI_ONE_PK, GSI_ONE_SK, Key, LSI_ONE_SK, owner};
use crate::dynamodb::Item;
use crate::values::{DataId, DataType, EpochMillis, PhotoReference, TagId, Username};

/// The prefix of the partition keys of favorites. The owner follows.
pub const FAVORITES_PREFIX: &str = "FavoriteData#";

/// A favorite: content that a user has clipped. It deserializes from an item and serializes as the
/// JSON of an answer; [`Favorite::item`] returns the item.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Favorite {
    /// The id among the favorites of the owner.
    #[serde(rename(deserialize = "sk"))]
    pub data_id: DataId,
    /// The type of the content, which the item holds in upper case.
    #[serde(deserialize_with = "data_type")]
    pub data_type: DataType,
    /// The title. Empty if another program wrote none.
    #[serde(default)]
    pub title: String,
    /// The creator of the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creator_id: Option<String>,
    /// The URL of a thumbnail of the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thumbnail_url: Option<String>,
    /// The URL of the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_url: Option<String>,
    /// The time at which the favorite was clipped, which the item holds as a string of digits.
    pub clip_time: EpochMillis,
    /// The number of tags of the favorite, which is the number of its
    /// [`FavoriteTag`](super::FavoriteTag)s. It changes in the transaction that adds or removes
    /// one. `None` if another program wrote the favorite and no tag has been added since.
    ///
    /// The item also has the number `tagVersion`, which grows in every transaction that adds a tag
    /// and never shrinks. So a condition on it detects an added tag even if the count is as it was,
    /// because another tag was removed. It is absent from a favorite to which no tag was added.
    #[serde(skip_serializing)]
    pub tag_count: Option<u64>,
    /// The ids of the tags of the favorite, so that lists show them without a read of the
    /// [`FavoriteTag`](super::FavoriteTag)s. It changes together with `tag_count`. An item without a
    /// tag has no such attribute, because DynamoDB has no empty sets.
    #[serde(rename(serialize = "tags", deserialize = "tagIds"), default)]
    #[cfg_attr(feature = "schema", schemars(required))]
    pub tag_ids: BTreeSet<TagId>,
}

impl Favorite {
    /// Returns the favorite of a photo that is saved now. Its title is the name of the author.
    #[must_use]
    pub fn of_photo(photo: &PhotoReference) -> Self {
        Self {
            data_id: DataId::of_photo(photo),
            data_type: DataType::Photo,
            title: photo.username.to_string(),
            creator_id: Some(photo.username.to_string()),
            thumbnail_url: None,
            content_url: None,
            clip_time: EpochMillis::now(),
            tag_count: Some(0),
            tag_ids: BTreeSet::new(),
        }
    }

    /// Returns the position of the favorite in lists.
    #[must_use]
    pub fn clip_position(&self) -> ClipPosition {
        ClipPosition { clip_time: self.clip_time, data_id: self.data_id.clone() }
    }

    /// Returns the item of the favorite.
    #[must_use]
    pub fn item(&self, owner: &Username) -> Item {
        let position = self.clip_position().to_string();
        let mut item = Item::from(Key::favorite(owner, &self.data_id));
        let mut set = |name: &str, value: AttributeValue| item.insert(name.to_owned(), value);
        set(LSI_ONE_SK, S(position.clone()));
        set(GSI_ONE_PK, S(favorites_of_type_pk(owner, self.data_type)));
        set(GSI_ONE_SK, S(position));
        set("dataType", S(uppercase(self.data_type)));
        set("title", S(self.title.clone()));
        set("clipTime", S(self.clip_time.to_string()));
        let texts =
            [("creatorId", &self.creator_id), ("thumbnailUrl", &self.thumbnail_url), ("contentUrl", &self.content_url)];
        for (name, text) in texts {
            if let Some(text) = text {
                set(name, S(text.clone()));
            }
        }
        if let Some(tags) = self.tag_count {
            set("tagCount", N(tags.to_string()));
        }
        set_tag_ids(&mut item, &self.tag_ids);
        item
    }
}

/// Sets the attribute `tagIds` of a favorite or of its history to these tags.
pub(super) fn set_tag_ids(item: &mut Item, tag_ids: &BTreeSet<TagId>) {
    if tag_ids.is_empty() {
        item.remove("tagIds");
    } else {
        item.insert("tagIds".to_owned(), Ss(tag_ids.iter().map(TagId::to_string).collect()));
    }
}

impl Key {
    /// Returns the key of a [`Favorite`](super::Favorite).
    #[must_use]
    pub fn favorite(owner: &Username, data_id: &DataId) -> Self {
        Self::of_favorite(favorites_pk(owner), data_id.to_string())
    }
}

/// Returns the partition key of all favorites of a user.
#[must_use]
pub fn favorites_pk(owner: &Username) -> String {
    format!("{FAVORITES_PREFIX}{owner}")
}

/// Returns the partition key in [`GSI_ONE`](super::GSI_ONE) of the favorites of a user of one type.
#[must_use]
pub fn favorites_of_type_pk(owner: &Username, data_type: DataType) -> String {
    format!("{FAVORITES_PREFIX}{owner}#{data_type}")
}

/// The position of a favorite in lists of favorites. Its text `<clipTime>#<dataId>` is the sort key
/// of the lists, and their cursors contain it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClipPosition {
    /// The time at which the favorite was clipped. A cursor has its number, because a [`Time`](crate::values::Time)
    /// cannot express every time of another program.
    #[serde(serialize_with = "as_number")]
    pub clip_time: EpochMillis,
    /// The id of the favorite.
    pub data_id: DataId,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with the field")]
fn as_number<S: Serializer>(time: &EpochMillis, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64((*time).into())
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
    owner(keys, FAVORITES_PREFIX)
}

/// Returns the condition that the attributes `names` of a favorite or of a history are still as in
/// `item`, which has been read, and the values of the condition. At least one of them must be in
/// `item`.
#[must_use]
pub fn unchanged(item: &Item, names: &[&str]) -> (String, HashMap<String, AttributeValue>) {
    let conditions = names.iter().map(|name| match item.get(*name) {
        Some(_) => format!("{name} = :{name}"),
        None => format!("attribute_not_exists({name})"),
    });
    let values = names.iter().filter_map(|name| Some((format!(":{name}"), item.get(*name)?.clone())));
    (conditions.collect::<Vec<_>>().join(" AND "), values.collect())
}
