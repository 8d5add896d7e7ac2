//! Photos and reactions, and friendships between users.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::values::{ReactionType, Timestamp, Username};

/// A photo, whose file is at `location`.
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
