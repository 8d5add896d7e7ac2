//! Photos and their deletion, reactions, and friendships between users.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};

use super::keys::Key;
use crate::dynamodb::Item;
use crate::model::entity;
use crate::values::{ReactionType, Timestamp, Username};
use crate::{Error, Table};

/// Returns the photo that an item holds, or `None` if the item is a [`PhotoDeletion`].
pub fn photo_from_item(item: Item) -> Result<Option<Photo>, Error> {
    item.contains_key("username").then(|| entity::from_item(item)).transpose()
}

/// Returns the photos that the items of a page hold, in their order and without any [`PhotoDeletion`], and the
/// timestamp of the last item. The next page begins after this timestamp, also if the last item is not a photo any
/// more.
pub fn photos_of_page(items: Vec<Item>) -> Result<(Vec<Photo>, Option<Timestamp>), Error> {
    #[derive(Deserialize)]
    struct Position {
        timestamp: Timestamp,
    }

    let last: Option<Position> = items.last().cloned().map(entity::from_item).transpose()?;
    let photos = items.into_iter().filter_map(|item| photo_from_item(item).transpose()).collect::<Result<_, _>>()?;
    Ok((photos, last.map(|position| position.timestamp)))
}

/// Returns the `UpdateItem` that replaces a photo with a [`PhotoDeletion`], which keeps the photo's counts of
/// reactions. Its condition fails if there is no photo, or already a [`PhotoDeletion`].
#[must_use]
pub fn replace_with_photo_deletion(table: &Table, owner: &Username, timestamp: &Timestamp) -> UpdateItemFluentBuilder {
    table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(Key::photo(owner, timestamp).into()))
        .condition_expression("attribute_exists(PK) AND attribute_not_exists(erasing)")
        .update_expression("SET erasing = :owner, #timestamp = :timestamp, since = :now REMOVE username, #location")
        .expression_attribute_names("#timestamp", "timestamp")
        .expression_attribute_names("#location", "location")
        .expression_attribute_values(":owner", S(owner.to_string()))
        .expression_attribute_values(":now", S(Timestamp::now().to_string()))
        .expression_attribute_values(":timestamp", S(timestamp.to_string()))
}

/// A photo, whose file is at `location`.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Photo {
    /// The owner.
    pub username: Username,
    /// The time of the upload, and the id among the photos of the owner.
    pub timestamp: Timestamp,
    /// The URL of the file: `s3://<bucket>/photos/<username>/<timestamp>.<format>`.
    pub location: String,
    /// The number of reactions to the photo, by type.
    pub reactions: BTreeMap<ReactionType, u64>,
}

/// The item that replaces a photo while the reactions to it are being deleted, until none is left.
///
/// It has neither `username` nor `location`, so the condition `attribute_exists(username)` holds for photos only, and
/// no answer shows it. The item also keeps the `reactions` of the photo, and whoever deletes a reaction decrements
/// them. So they tell how many reactions are left, which an index does not tell, because it follows the table with a
/// delay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhotoDeletion {
    /// The owner of the photo.
    pub erasing: Username,
    /// The timestamp of the photo.
    pub timestamp: Timestamp,
    /// The time of the deletion.
    pub since: Timestamp,
}

/// A reaction of one type by a user to a photo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reaction {
    /// The user who reacted.
    pub reacting_user: Username,
    /// The type of the reaction.
    pub reaction_type: ReactionType,
    /// The sort key of the photo.
    pub photo: String,
    /// The time of the reaction.
    pub timestamp: Timestamp,
}

/// A [`Reaction`] as the JSON of an answer that also has its photo.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReactionToPhoto {
    /// The user who reacted.
    pub reacting_user: Username,
    /// The type of the reaction.
    pub reaction_type: ReactionType,
    /// The time of the reaction.
    pub timestamp: Timestamp,
}

/// The fact that one user follows another.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Friendship {
    /// The user who is followed.
    pub followed_user: Username,
    /// The follower.
    pub following_user: Username,
    /// The time at which the follower began to follow.
    pub timestamp: Timestamp,
}
