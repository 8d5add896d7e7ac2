//! Photos.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::builders::UpdateBuilder;
use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure, Update};
use serde::{Deserialize, Serialize};

use super::account::{OF_ACCOUNT, subject_value};
use super::key::{Key, user_pk};
use super::picture::Picture;
use crate::dynamodb::{Item, entity, expiry};
use crate::values::{
    Audience, CommentId, EpochMillis, MarkedBy, PhotoId, ReactionType, SensitiveReason, Subject, Timestamp, Username,
};
use crate::{Error, Table};

/// The prefix of the sort keys of photos, and of the reactions to them and the comments on them.
pub(super) const PHOTO_PREFIX: &str = "PHOTO#";
/// A sort key after those of all photos of a user: `$` follows `#`.
pub const AFTER_PHOTOS: &str = "PHOTO$";
/// The end of the sort key of all replies to comments on a photo. So they are beside the comments in
/// [`INVERTED_INDEX`](super::INVERTED_INDEX), and a list of comments does not read them.
const REPLIES: &str = "#REPLIES";
/// The attribute of a photo that names the comment that the owner has pinned.
pub const PINNED_COMMENT: &str = "pinnedComment";
/// The attribute of a photo that an [import](Photo::imported) has made, and of its entries in the lists of hashtags.
pub const IMPORTED: &str = "imported";
/// The maximum number of photos of a user, with those that are pending or rejected, and those whose
/// deletion is not finished.
/// finish-deletion makes three requests for each, 16 photos at a time, so the deletion of such a
/// user takes a few passes.
pub const MAX_PHOTOS: u64 = 100_000;
/// The time after which a photo expires whose file has not been uploaded, in seconds: a day.
pub const PENDING_LIFETIME_SECONDS: u64 = 24 * 60 * 60;

/// A photo. [`Signer::show`](crate::show::Signer::show) returns the JSON of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Photo {
    /// The owner.
    pub username: Username,
    /// The id among the photos of the owner.
    #[serde(rename = "timestamp")]
    pub id: PhotoId,
    /// `s3://<bucket>/photos/<username>/<id>`, with which the URLs of all files of the photo
    /// begin. A photo of another program has one file, and this is its URL:
    /// `s3://<bucket>/photos/<username>/<id>.<format>`. `InvertedIndex` does not have it.
    #[serde(default)]
    pub location: String,
    /// The number of reactions to the photo, by type.
    pub reactions: BTreeMap<ReactionType, u64>,
    /// The number of comments on the photo. A photo of another program has none.
    #[serde(default)]
    pub comments: u64,
    /// The caption, which the owner can change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// The text alternative of the photo, for people who cannot see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alt_text: Option<String>,
    /// The time at which the owner last changed one of these texts. A photo whose texts are as they
    /// were uploaded has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited: Option<Timestamp>,
    /// The users who may see the photo. The attribute is absent if everyone may.
    #[serde(default, skip_serializing_if = "Audience::is_everyone")]
    pub audience: Audience,
    /// The comment that the owner has pinned, which no list of photos shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned_comment: Option<CommentId>,
    /// The reason why the photo is [sensitive](super::Mark), if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<SensitiveReason>,
    /// The moderator who says so. The attribute is absent if the owner does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive_by: Option<MarkedBy>,
    /// The reason of the owner, while the mark is that of a moderator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive_before: Option<SensitiveReason>,
    /// The picture. A photo of another program has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<Picture>,
    /// The number of pictures of a photo that was made with [several](super::Pictures) that are shown, or
    /// will be when it is ready. [`picture`](Self::picture) and [`alt_text`](Self::alt_text) are those of the
    /// first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pictures: Option<u32>,
    /// Whether an import has made the photo, which is in no feed then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
    /// Whether the owner's count of [photos](super::User::photos) does not include the photo, because
    /// its picture is pending or rejected. A deletion keeps the mark.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unready: bool,
    /// Whether the owner's count of [rejected photos](super::REJECTED) includes it. A deletion keeps the
    /// mark.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rejected: bool,
    /// The time at which a photo expires whose picture is pending, in seconds since 1970. DynamoDB
    /// deletes the item [some days
    /// later](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u64>,
    /// The time before which nobody has reacted to the photo or commented on it, if it was
    /// [imported](Self::imported). What is older was given to an earlier photo with the same key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub responses_since: Option<Timestamp>,
}

impl Photo {
    /// Returns a new photo whose picture is pending, without reactions and comments.
    #[must_use]
    pub fn pending(username: Username, id: PhotoId, location: String) -> Self {
        Self {
            username,
            id,
            location,
            reactions: ReactionType::ALL.iter().map(|&reaction| (reaction, 0)).collect(),
            comments: 0,
            caption: None,
            alt_text: None,
            edited: None,
            audience: Audience::Everyone,
            pinned_comment: None,
            sensitive: None,
            sensitive_by: None,
            sensitive_before: None,
            picture: Some(Picture::Pending),
            pictures: None,
            imported: false,
            unready: true,
            rejected: false,
            ttl: Some(EpochMillis::now().seconds() + PENDING_LIFETIME_SECONDS),
            responses_since: None,
        }
    }

    /// Returns the photo as an import makes it, which can have the key of an earlier photo.
    ///
    /// The [trace](super::PhotoDeletion) of that one has lasted for two days. So what was given to
    /// it is older than a day, also if clocks differ.
    #[must_use]
    pub fn imported(self) -> Self {
        let responses_since = SystemTime::now().checked_sub(Duration::from_hours(24)).map(Timestamp::from);
        Self { imported: true, responses_since, ..self }
    }

    /// Returns the put of a new photo, on the condition that there is none in its place.
    pub fn put_new(&self, table_name: &str) -> Result<Put, Error> {
        let put = Put::builder()
            .table_name(table_name)
            .set_item(Some(entity::to_item(Key::photo(&self.username, &self.id), self)?))
            .condition_expression("attribute_not_exists(PK)")
            .build()?;
        Ok(put)
    }

    /// Returns whether the [audience](Self::audience) may see the photo. Only the owner sees a
    /// photo whose picture is pending or rejected.
    #[must_use]
    pub const fn is_ready(&self) -> bool {
        matches!(self.picture, None | Some(Picture::Ready(_)))
    }

    /// Returns whether everyone can see the photo, unless the owner blocks them.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.is_ready() && self.audience.is_everyone()
    }

    /// Returns whether the photo may be the picture of a profile, which everyone sees in all answers.
    #[must_use]
    pub fn may_be_pinned(&self) -> bool {
        self.is_public() && self.sensitive.is_none()
    }

    /// Returns whether the photo is in the feeds of the followers of its owner, who can see it
    /// then. A photo of an import is no news, and its time is whatever the file says, so it is in
    /// none.
    #[must_use]
    pub fn reaches_followers(&self) -> bool {
        self.is_ready() && self.audience != Audience::Me && !self.imported
    }

    /// Returns whether the picture is still pending when the photo has expired. Such a photo does
    /// not exist any more, although DynamoDB may not have deleted it yet. The photo has to be read
    /// from the table, because `InvertedIndex` does not have the `ttl`.
    #[must_use]
    pub fn has_expired(&self) -> bool {
        self.picture == Some(Picture::Pending) && self.ttl.is_some_and(expiry::is_over)
    }
}

impl Key {
    /// Returns the key of a [`Photo`](super::Photo).
    #[must_use]
    pub fn photo(username: &Username, id: &PhotoId) -> Self {
        Self::of_photos(user_pk(username), photo_sk(username, id))
    }
}

/// Returns the sort key of a photo, of the reactions to it that are in no shard, and of every
/// comment on it.
#[must_use]
pub fn photo_sk(username: &Username, id: &PhotoId) -> String {
    format!("{}{id}", photo_sk_prefix(username))
}

/// Returns the sort key of all replies to comments on a photo.
#[must_use]
pub fn replies_sk(username: &Username, photo: &PhotoId) -> String {
    format!("{}{REPLIES}", photo_sk(username, photo))
}

/// Returns the sort key of the photo for that of replies, and any other sort key as it is.
pub(super) fn without_replies(sk: &str) -> &str {
    sk.strip_suffix(REPLIES).unwrap_or(sk)
}

/// Returns the prefix of the sort keys of all photos of a user.
#[must_use]
pub fn photo_sk_prefix(username: &Username) -> String {
    format!("{PHOTO_PREFIX}{username}#")
}

/// Returns the photo that an item holds, or `None` if the item is a
/// [`PhotoDeletion`](super::PhotoDeletion).
pub fn photo_from_item(item: Item) -> Result<Option<Photo>, Error> {
    item.contains_key("username").then(|| entity::from_item(item)).transpose()
}

/// Returns the start of the update that adds a new photo to its owner's count of
/// [uploads](super::User::uploads), on the condition that the owner is the user of the account and
/// has fewer than [`MAX_PHOTOS`] photos, and on further conditions, such as ` AND attribute_not_exists(defaultAudience)`.
#[must_use]
pub fn count_new_photo(table_name: &str, owner: &Username, subject: &Subject, further: &str) -> UpdateBuilder {
    Update::builder()
        .table_name(table_name)
        .set_key(Some(Key::user(owner).into()))
        .condition_expression(format!("{OF_ACCOUNT} AND (attribute_not_exists(uploads) OR uploads < :max){further}"))
        .update_expression("ADD uploads :one")
        .expression_attribute_values(":subject", subject_value(subject))
        .expression_attribute_values(":max", N(MAX_PHOTOS.to_string()))
        .expression_attribute_values(":one", N("1".to_owned()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
}

/// Returns a photo by a consistent `GetItem`, or `None` if there is none, or if it is being
/// deleted.
pub async fn get_photo(table: &Table, owner: &Username, id: &PhotoId) -> Result<Option<Photo>, Error> {
    let output = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(Key::photo(owner, id).into()))
        .consistent_read(true)
        .send()
        .await?;
    Ok(output.item.map(photo_from_item).transpose()?.flatten())
}

/// Returns the photos that the items of a page hold, in their order and without any
/// [`PhotoDeletion`](super::PhotoDeletion), and the id of the last item. The next page
/// begins after this id, also if the last item is not a photo any more.
pub fn photos_of_page(items: Vec<Item>) -> Result<(Vec<Photo>, Option<PhotoId>), Error> {
    #[derive(Deserialize)]
    struct Position {
        timestamp: PhotoId,
    }

    let last: Option<Position> = items.last().cloned().map(entity::from_item).transpose()?;
    let photos = items.into_iter().filter_map(|item| photo_from_item(item).transpose()).collect::<Result<_, _>>()?;
    Ok((photos, last.map(|position| position.timestamp)))
}
