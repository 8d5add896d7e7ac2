//! Photos.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::keys::Key;
use super::picture::Picture;
use crate::dynamodb::{Item, entity, expiry};
use crate::values::{Audience, ReactionType, Timestamp, Username};
use crate::{Error, Table};

/// The maximum number of photos of a user, with those whose deletion is not finished.
/// finish-deletion makes three requests for each, 16 photos at a time, so the deletion of such a
/// user takes a few passes.
pub const MAX_PHOTOS: u64 = 100_000;

/// Returns the photo that an item holds, or `None` if the item is a
/// [`PhotoDeletion`](super::PhotoDeletion).
pub fn photo_from_item(item: Item) -> Result<Option<Photo>, Error> {
    item.contains_key("username").then(|| entity::from_item(item)).transpose()
}

/// Returns a photo by a consistent `GetItem`, or `None` if there is none, or if it is being
/// deleted.
pub async fn get_photo(table: &Table, owner: &Username, timestamp: &Timestamp) -> Result<Option<Photo>, Error> {
    let output = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(Key::photo(owner, timestamp).into()))
        .consistent_read(true)
        .send()
        .await?;
    Ok(output.item.map(photo_from_item).transpose()?.flatten())
}

/// Returns the photos that the items of a page hold, in their order and without any
/// [`PhotoDeletion`], and the timestamp of the last item. The next page begins after this
/// timestamp, also if the last item is not a photo any more.
pub fn photos_of_page(items: Vec<Item>) -> Result<(Vec<Photo>, Option<Timestamp>), Error> {
    #[derive(Deserialize)]
    struct Position {
        timestamp: Timestamp,
    }

    let last: Option<Position> = items.last().cloned().map(entity::from_item).transpose()?;
    let photos = items.into_iter().filter_map(|item| photo_from_item(item).transpose()).collect::<Result<_, _>>()?;
    Ok((photos, last.map(|position| position.timestamp)))
}

/// A photo. [`Signer::show`](crate::pictures::Signer::show) returns the JSON of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Photo {
    /// The owner.
    pub username: Username,
    /// The time of the upload, and the id among the photos of the owner.
    pub timestamp: Timestamp,
    /// `s3://<bucket>/photos/<username>/<timestamp>`, with which the URLs of all files of the photo
    /// begin. An older photo has one file, and this is its URL:
    /// `s3://<bucket>/photos/<username>/<timestamp>.<format>`.
    pub location: String,
    /// The number of reactions to the photo, by type.
    pub reactions: BTreeMap<ReactionType, u64>,
    /// The number of comments on the photo. Older photos have none.
    #[serde(default)]
    pub comments: u64,
    /// The caption, which the owner can change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// What the photo shows, for people who cannot see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alt_text: Option<String>,
    /// The time at which the owner last changed one of these texts. A photo whose texts are as they
    /// were uploaded has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited: Option<Timestamp>,
    /// The users who may see the photo. The attribute is absent if everyone may.
    #[serde(default, skip_serializing_if = "Audience::is_everyone")]
    pub audience: Audience,
    /// The picture. An older photo has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<Picture>,
    /// The time at which a photo expires whose picture is pending, in seconds since 1970. DynamoDB
    /// deletes the item [some days
    /// later](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u64>,
}

impl Photo {
    /// Returns whether the [audience](Self::audience) may see the photo. Only the owner sees a photo
    /// whose picture is pending or rejected.
    #[must_use]
    pub const fn is_ready(&self) -> bool {
        matches!(self.picture, None | Some(Picture::Ready(_)))
    }

    /// Returns whether everyone can see the photo, unless the owner blocks them. Only such a photo may be
    /// the picture of a profile.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.is_ready() && self.audience.is_everyone()
    }

    /// Returns whether the followers of the owner can see the photo, in whose feeds it is then.
    #[must_use]
    pub fn reaches_followers(&self) -> bool {
        self.is_ready() && self.audience != Audience::Me
    }

    /// Returns whether the picture is still pending when the photo has expired. Such a photo does
    /// not exist any more, although DynamoDB may not have deleted it yet. The photo has to be read
    /// from the table, because `InvertedIndex` does not have the `ttl`.
    #[must_use]
    pub fn has_expired(&self) -> bool {
        self.picture == Some(Picture::Pending) && self.ttl.is_some_and(expiry::is_over)
    }
}
