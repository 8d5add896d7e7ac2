//! The tombstones, which replace a user and a photo while what belongs to them is being deleted.

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::Update;
use aws_sdk_dynamodb::types::builders::UpdateBuilder;
use serde::{Deserialize, Serialize};

use super::key::Key;
use crate::dynamodb::Item;
use crate::dynamodb::expiry::TTL;
use crate::values::{EpochMillis, PhotoId, PictureNumber, Timestamp, Username};

/// The tombstone that replaces a deleted user while the name rests.
///
/// It reserves the username. It has no attribute `username`, so the condition
/// `attribute_exists(username)` holds for users only. The item also keeps four counts of the
/// user: `following`, `commentsWritten`, `requestsSent` and `blockedBy`. Each delete of such a
/// friendship, comment, request or block decrements its count. So they tell how many are left. An
/// index does not tell this, because it follows the table with a delay.
///
/// **A deleted name rests** until nothing can act for its account any more: no token (at most a
/// day), no record of a stream (a day), no retry and no stalled invocation. Then a last sweep
/// erases what such a straggler has left. Only after it does the item get a `ttl`, with which
/// DynamoDB frees the name. So every write and every clean-up by the name concerns one account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Deletion {
    /// The user that is being deleted.
    pub erasing: Username,
    /// The time of the deletion.
    pub since: Timestamp,
    /// The time until which the name rests.
    pub until: Timestamp,
    /// The number of the user's requests to follow others that are left.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub requests_sent: u64,
    /// Whether the rest is over, so that the next complete pass is the last sweep.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub last_sweep: bool,
    /// The time at which DynamoDB deletes the item, in seconds since 1970. The last sweep sets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with the field")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The tombstone that replaces a photo while the reactions to it, the comments on it and its files
/// are being deleted, until none is left. Then it gets a `ttl` and remains as the trace of the
/// photo.
///
/// It has neither `username` nor `location`, so the condition `attribute_exists(username)` holds
/// for photos only, and no answer shows it. The item also keeps the counts `reactions` and
/// `comments` of the photo, and the marks `unready`, `rejected` and `pictures`. Each delete of a reaction or a comment decrements its count. So they
/// tell how many are left. An index does not tell this, because it follows the table with a delay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhotoDeletion {
    /// The owner of the photo.
    pub erasing: Username,
    /// The id of the photo.
    #[serde(rename = "timestamp")]
    pub id: PhotoId,
    /// The time of the deletion.
    pub since: Timestamp,
    /// Whether the owner's count of photos does not include it
    /// ([`Photo::unready`](super::Photo::unready)).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unready: bool,
    /// Whether the owner's count of rejected photos includes it
    /// ([`Photo::rejected`](super::Photo::rejected)).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rejected: bool,
    /// The number of pictures of a photo that was made with [several](super::Pictures).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pictures: Option<u32>,
    /// The time at which the item expires, in seconds since 1970, if it is the trace of a photo of
    /// which nothing is left ([`TRACE_LIFETIME_SECONDS`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u64>,
}

/// Returns the update that replaces a photo with a [`PhotoDeletion`], which keeps the photo's
/// counts. Its condition fails if there is no photo, or already a [`PhotoDeletion`].
#[must_use]
pub fn replace_with_photo_deletion(table_name: &str, owner: &Username, photo: &PhotoId) -> UpdateBuilder {
    Update::builder()
        .table_name(table_name)
        .set_key(Some(Key::photo(owner, photo).into()))
        .condition_expression("attribute_exists(PK) AND attribute_not_exists(erasing)")
        .update_expression(
            "SET erasing = :owner, #timestamp = :photo, since = :now \
             REMOVE username, #location, picture, claim, caption, altText, edited, audience, pinnedComment, \
             #sensitive, sensitiveBy, sensitiveBefore, imported, responsesSince, #ttl",
        )
        .expression_attribute_names("#timestamp", "timestamp")
        .expression_attribute_names("#location", "location")
        .expression_attribute_names("#ttl", "ttl")
        .expression_attribute_names("#sensitive", "sensitive")
        .expression_attribute_values(":owner", S(owner.to_string()))
        .expression_attribute_values(":now", S(Timestamp::now().to_string()))
        .expression_attribute_values(":photo", S(photo.to_string()))
}

/// The time for which the trace of a photo remains, in seconds: two days. The photo was deleted, or
/// it expired because its file was not uploaded.
///
/// **A deleted name of a photo rests**: while the trace is there, an import cannot put another
/// photo at its key. That is longer than a stream delivers a record ([24
/// hours](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html)), with all
/// retries, and than Lambda retries the event of an upload (six hours). A message in a queue can be
/// older. It acts on what it reads, or on the condition that the photo is the one that it is about
/// ([`COUNTS_RESPONSES`](super::COUNTS_RESPONSES)).
pub const TRACE_LIFETIME_SECONDS: u64 = 2 * 24 * 60 * 60;

impl PhotoDeletion {
    /// Returns the trace of a photo that DynamoDB has deleted because it expired. If the record of
    /// the expiry is delivered again, the trace shows that the owner's count of photos has been
    /// decremented.
    #[must_use]
    pub fn trace(owner: &Username, photo: &PhotoId) -> Self {
        Self {
            erasing: owner.clone(),
            id: photo.clone(),
            since: Timestamp::now(),
            unready: true,
            rejected: false,
            pictures: None,
            ttl: Some(Self::expiry()),
        }
    }

    /// Returns the `ttl` of a trace that begins now.
    #[must_use]
    pub fn expiry() -> u64 {
        EpochMillis::now().seconds() + TRACE_LIFETIME_SECONDS
    }

    /// Returns whether an item is the trace of a photo.
    #[must_use]
    pub fn is_trace(item: &Item) -> bool {
        item.contains_key("erasing") && item.contains_key(TTL)
    }
}

/// The tombstone of a picture that its owner has removed from a photo, while its files are being deleted.
/// The number is in their keys, and no other picture of the photo gets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureDeletion {
    /// The owner of the photo.
    pub erasing: Username,
    /// The id of the photo.
    #[serde(rename = "timestamp")]
    pub id: PhotoId,
    /// The number of the picture.
    pub number: PictureNumber,
    /// The time of the deletion.
    pub since: Timestamp,
}
