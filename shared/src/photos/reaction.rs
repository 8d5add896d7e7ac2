//! Reactions of users to photos.

use serde::{Deserialize, Serialize};

use crate::values::{ReactionType, Timestamp, Username};

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
