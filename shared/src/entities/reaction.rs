//! Reactions of users to photos.

use serde::{Deserialize, Serialize};

use super::key::{Key, SK};
use super::photo::{PHOTO_PREFIX, photo_sk, without_replies};
use crate::Error;
use crate::dynamodb::Item;
use crate::values::{PhotoId, ReactionType, Time, Timestamp, Username};

/// The prefix of the partition keys of reactions.
pub const REACTION_PREFIX: &str = "REACTION#";
/// The global secondary index of the reactions: `reactingUser` and `reactionType` are its partition
/// key, and `timestamp` is its sort key. Other items are not in it, because they have no
/// `reactingUser`.
pub const REACTIONS_BY_TIME: &str = "ReactionsByTime";
/// The number of shards for the reactions to a photo that takes more of them than its partition of
/// [`INVERTED_INDEX`](super::INVERTED_INDEX) does, [1,000 a
/// second](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html).
/// So eight of them take 8,000 reactions a second.
pub const REACTION_SHARDS: u32 = 8;

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

/// A reaction to a photo, in an answer about the photo.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReactionToPhoto {
    /// The user who reacted.
    #[serde(rename(deserialize = "reactingUser"))]
    pub username: Username,
    /// The type of the reaction.
    pub reaction_type: ReactionType,
    /// The time of the reaction.
    #[serde(deserialize_with = "Time::from_item")]
    pub timestamp: Time,
}

impl Key {
    /// Returns the key of a [`Reaction`](super::Reaction) of the user `reacting` to a photo of
    /// `username`.
    #[must_use]
    pub fn reaction(reacting: &Username, reaction: ReactionType, username: &Username, photo: &PhotoId) -> Self {
        Self::of_photos(reaction_pk(reacting, reaction), photo_sk(username, photo))
    }

    /// Returns the key that a reaction has in its shard, in place of `self`, its key among the
    /// others to the photo. The shard is
    /// [calculated](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-sharding.html)
    /// from the user and the type, so a reaction has no more than these two keys.
    #[must_use]
    pub fn sharded(self) -> Self {
        let shard = crc32fast::hash(self.pk.as_bytes()) % REACTION_SHARDS;
        Self { sk: shard_sk(&self.sk, shard), ..self }
    }
}

/// Returns the partition key of all reactions of one type by a user.
#[must_use]
pub fn reaction_pk(reacting: &Username, reaction: ReactionType) -> String {
    format!("{REACTION_PREFIX}{reacting}#{reaction}")
}

/// Returns the sort key of the reactions in a shard, of the photo with the sort key `photo_sk`.
fn shard_sk(photo_sk: &str, shard: u32) -> String {
    format!("{photo_sk}#{shard}")
}

/// Returns the sort keys of the reactions to a photo: its own one, and then those of its shards.
pub fn reaction_sks(username: &Username, photo: &PhotoId) -> impl Iterator<Item = String> {
    let photo_sk = photo_sk(username, photo);
    let shards: Vec<String> = (0..REACTION_SHARDS).map(|shard| shard_sk(&photo_sk, shard)).collect();
    std::iter::once(photo_sk).chain(shards)
}

/// Returns the owner and the id of the photo whose sort key is `sk`, or to which the
/// reactions with this sort key are. It is the inverse of [`photo_sk`] and of [`reaction_sks`]:
/// neither a username nor the id of a photo has a `#`. The sort key of replies names the photo too. The error for any other sort key names it, for the
/// log.
///
/// It is for reactions and comments, whose only reference to their photo is this sort key.
pub fn photo_of_sk(sk: &str) -> Result<(Username, PhotoId), Error> {
    let parts = without_replies(unsharded_sk(sk)).strip_prefix(PHOTO_PREFIX).and_then(|rest| rest.split_once('#'));
    parts
        .and_then(|(username, photo)| Some((username.parse().ok()?, photo.parse().ok()?)))
        .ok_or_else(|| Error::internal(format!("the sort key {sk:?} is not that of a photo")))
}

/// Returns the owner and the id of the photo that the sort key of an item names, as
/// [`photo_of_sk`] does.
pub fn photo_of_item(item: &Item) -> Result<(Username, PhotoId), Error> {
    photo_of_sk(item.get(SK).and_then(|sk| sk.as_s().ok()).map_or("", String::as_str))
}

/// Returns the sort key of a photo for that of the reactions in one of its shards, and any other
/// sort key as it is.
fn unsharded_sk(sk: &str) -> &str {
    match sk.rsplit_once('#') {
        Some((photo, shard)) if (0..REACTION_SHARDS).any(|number| number.to_string() == shard) => photo,
        _ => sk,
    }
}

/// Returns whether the sort key of a reaction is that of a shard.
#[must_use]
pub fn is_in_shard(sk: &str) -> bool {
    unsharded_sk(sk) != sk
}
