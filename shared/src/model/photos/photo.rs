//! Photos and their deletion, reactions, and friendships between users.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::{M, N, S};
use aws_sdk_dynamodb::types::builders::UpdateBuilder;
use aws_sdk_dynamodb::types::{ReturnValue, Update};
use serde::{Deserialize, Serialize};

use super::keys::Key;
use crate::dynamodb::Item;
use crate::model::objects::PictureId;
use crate::model::{entity, expiry};
use crate::values::{EpochMillis, ReactionType, Timestamp, Username};
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

/// Returns the update that replaces a photo with a [`PhotoDeletion`], which keeps the photo's counts of reactions. Its
/// condition fails if there is no photo, or already a [`PhotoDeletion`].
#[must_use]
pub fn replace_with_photo_deletion(table_name: &str, owner: &Username, timestamp: &Timestamp) -> UpdateBuilder {
    Update::builder()
        .table_name(table_name)
        .set_key(Some(Key::photo(owner, timestamp).into()))
        .condition_expression("attribute_exists(PK) AND attribute_not_exists(erasing)")
        .update_expression(
            "SET erasing = :owner, #timestamp = :timestamp, since = :now REMOVE username, #location, picture, claim, #ttl",
        )
        .expression_attribute_names("#timestamp", "timestamp")
        .expression_attribute_names("#location", "location")
        .expression_attribute_names("#ttl", "ttl")
        .expression_attribute_values(":owner", S(owner.to_string()))
        .expression_attribute_values(":now", S(Timestamp::now().to_string()))
        .expression_attribute_values(":timestamp", S(timestamp.to_string()))
}

/// The time for which a claim holds after the attempt that wrote it began, in seconds: five minutes. An attempt ends within 30
/// seconds, and Lambda [waits](https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html) for two
/// minutes at most before it repeats an event whose attempt failed. So the next attempt renews the claim before it ends.
const CLAIM_SECONDS: u64 = 5 * 60;

/// The condition that a picture is pending, and that its photo has not expired.
const IS_PENDING: &str = "picture.#status = :pending AND #ttl > :now";
/// The condition that no other upload holds a claim.
const IS_FREE: &str = "(attribute_not_exists(claim) OR claim.sequencer = :sequencer OR claim.ends <= :now)";

/// Returns an `UpdateItem` of a photo whose condition is [`IS_PENDING`].
fn update_pending(table: &Table, owner: &Username, timestamp: &Timestamp) -> UpdateItemFluentBuilder {
    table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(Key::photo(owner, timestamp).into()))
        .condition_expression(IS_PENDING)
        .expression_attribute_names("#status", "status")
        .expression_attribute_names("#ttl", "ttl")
        .expression_attribute_values(":pending", S("pending".to_owned()))
        .expression_attribute_values(":now", N(EpochMillis::now().seconds().to_string()))
}

/// Returns an `UpdateItem` of a pending photo whose condition also fails while another upload than the one with this
/// sequencer holds a claim.
#[must_use]
pub fn unless_claimed(update: UpdateItemFluentBuilder, sequencer: &str) -> UpdateItemFluentBuilder {
    update
        .condition_expression(format!("{IS_PENDING} AND {IS_FREE}"))
        .expression_attribute_values(":sequencer", S(sequencer.to_owned()))
}

/// Returns the `UpdateItem` with which an upload claims a pending picture, so that no other upload of the photo is processed
/// at the same time. Its condition fails if there is no photo, if it has expired, if its picture is not pending, or while another
/// upload holds a claim. It returns the claim that there was before.
#[must_use]
pub fn claim_picture(
    table: &Table,
    owner: &Username,
    timestamp: &Timestamp,
    sequencer: &str,
) -> UpdateItemFluentBuilder {
    let ends = EpochMillis::now().seconds() + CLAIM_SECONDS;
    let claim =
        [("sequencer".to_owned(), S(sequencer.to_owned())), ("ends".to_owned(), N(ends.to_string()))].into_iter();
    unless_claimed(update_pending(table, owner, timestamp), sequencer)
        .update_expression("SET claim = :claim")
        .return_values(ReturnValue::UpdatedOld)
        .expression_attribute_values(":claim", M(claim.collect()))
}

/// Returns the `UpdateItem` that replaces the pending picture of a photo with a picture that is ready or rejected. The photo
/// does not expire any more. Its condition fails if there is no photo, if it has expired, or if its picture is not pending.
pub fn settle_picture(
    table: &Table,
    owner: &Username,
    timestamp: &Timestamp,
    picture: &Picture,
) -> Result<UpdateItemFluentBuilder, Error> {
    Ok(update_pending(table, owner, timestamp)
        .update_expression("SET picture = :picture REMOVE #ttl, claim")
        .expression_attribute_values(":picture", serde_dynamo::to_attribute_value(picture)?))
}

/// A photo. [`Pictures::show`](crate::pictures::Pictures::show) returns the JSON of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Photo {
    /// The owner.
    pub username: Username,
    /// The time of the upload, and the id among the photos of the owner.
    pub timestamp: Timestamp,
    /// `s3://<bucket>/photos/<username>/<timestamp>`, with which the URLs of all files of the photo begin. An older photo
    /// has one file, and this is its URL: `s3://<bucket>/photos/<username>/<timestamp>.<format>`.
    pub location: String,
    /// The number of reactions to the photo, by type.
    pub reactions: BTreeMap<ReactionType, u64>,
    /// The picture. An older photo has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<Picture>,
    /// The time at which a photo expires whose picture is pending, in seconds since 1970. DynamoDB deletes the item [some
    /// days later](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u64>,
}

/// The state of the picture of a photo. It changes once, from [`Pending`](Self::Pending) to one of the others.
///
/// It is one attribute, because the inverted index projects it: its members would have the names of other attributes of
/// users, for example `status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "PictureAttribute", into = "PictureAttribute")]
pub enum Picture {
    /// The owner has not uploaded a file yet, or process-photo has not processed it.
    Pending,
    /// The bucket holds the two sizes of the picture.
    Ready(Sizes),
    /// The uploaded file is no picture that process-photo can process.
    Rejected {
        /// The reason, for the owner.
        reason: String,
    },
}

/// The members of the attribute `picture`. Serde could derive them for the enum, but its error for another shape, which is
/// logged, would contain the value.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct PictureAttribute {
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sizes: Option<Sizes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl TryFrom<PictureAttribute> for Picture {
    type Error = &'static str;

    fn try_from(attribute: PictureAttribute) -> Result<Self, Self::Error> {
        match (attribute.status.as_str(), attribute.sizes, attribute.reason) {
            ("pending", ..) => Ok(Self::Pending),
            ("ready", Some(sizes), _) => Ok(Self::Ready(sizes)),
            ("rejected", _, Some(reason)) => Ok(Self::Rejected { reason }),
            _ => Err("the attribute picture has neither a known status nor what belongs to it"),
        }
    }
}

impl From<Picture> for PictureAttribute {
    fn from(picture: Picture) -> Self {
        let (status, sizes, reason) = match picture {
            Picture::Pending => ("pending", None, None),
            Picture::Ready(sizes) => ("ready", Some(sizes), None),
            Picture::Rejected { reason } => ("rejected", None, Some(reason)),
        };
        Self { status: status.to_owned(), sizes, reason }
    }
}

/// The two sizes of a picture in the bucket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// The id of the picture among those that were uploaded for the photo.
    pub id: PictureId,
    /// The width of the large size in pixels.
    pub width: u32,
    /// The height of the large size in pixels.
    pub height: u32,
    /// The number of bytes of both files.
    pub bytes: u64,
    /// The [blurhash](https://github.com/woltapp/blurhash/blob/master/Algorithm.md), which a client shows until the
    /// picture is loaded.
    pub blurhash: String,
}

impl Photo {
    /// Returns whether all users may see the photo. Only the owner sees a photo whose picture is pending or rejected.
    #[must_use]
    pub const fn is_ready(&self) -> bool {
        matches!(self.picture, None | Some(Picture::Ready(_)))
    }

    /// Returns whether the picture is still pending when the photo has expired. Such a photo does not exist any more, although
    /// DynamoDB may not have deleted it yet. The photo has to be read from the table, because `InvertedIndex` does not have the
    /// `ttl`.
    #[must_use]
    pub fn has_expired(&self) -> bool {
        self.picture == Some(Picture::Pending) && self.ttl.is_some_and(expiry::is_over)
    }
}

/// The item that replaces a photo while the reactions to it and its files are being deleted, until none is left.
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
    /// The time at which the item expires, in seconds since 1970, if it is the trace of an expired photo
    /// ([`PhotoDeletion::of_expired`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u64>,
}

/// The time for which the `PhotoDeletion` of an expired photo remains, in seconds: two days. The record of the expiry can be
/// delivered again for [24 hours](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html).
const TRACE_LIFETIME_SECONDS: u64 = 2 * 24 * 60 * 60;

impl PhotoDeletion {
    /// Returns the item that remains of a photo that DynamoDB has deleted because it expired. It tells a record of this
    /// that is delivered again that the owner's count of photos has been decremented.
    #[must_use]
    pub fn of_expired(owner: &Username, timestamp: &Timestamp) -> Self {
        let ttl = Some(EpochMillis::now().seconds() + TRACE_LIFETIME_SECONDS);
        Self { erasing: owner.clone(), timestamp: timestamp.clone(), since: Timestamp::now(), ttl }
    }
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
