//! The entries of lists of users: followers, followed users, users who ask to follow, and users
//! whom the caller blocks or mutes.

use serde::Serialize;

use crate::access::Relation;
use crate::entities::{Block, FollowRequest, Friendship};
use crate::values::{Level, Time, Username};

/// A user in a list of users.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedUser {
    /// The user.
    pub username: Username,
    /// The time since which the user follows, is followed or asks.
    pub timestamp: Time,
    /// The relation of the caller and the user. Only with `include=viewer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viewer: Option<Relation>,
}

impl ListedUser {
    /// Returns the follower of a friendship.
    #[must_use]
    pub fn follower(Friendship { following_user, timestamp, .. }: Friendship) -> Self {
        Self { username: following_user, timestamp: timestamp.into(), viewer: None }
    }

    /// Returns the followed user of a friendship.
    #[must_use]
    pub fn followed(Friendship { followed_user, timestamp, .. }: Friendship) -> Self {
        Self { username: followed_user, timestamp: timestamp.into(), viewer: None }
    }

    /// Returns the user who asks.
    #[must_use]
    pub fn asking(FollowRequest { asking_user, timestamp, .. }: FollowRequest) -> Self {
        Self { username: asking_user, timestamp: timestamp.into(), viewer: None }
    }
}

/// A user whom the caller blocks or mutes.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedBlock {
    /// The user.
    pub username: Username,
    /// Whether it is a block or a mute.
    pub level: Level,
    /// The time at which the level was chosen.
    pub timestamp: Time,
}

impl From<Block> for ListedBlock {
    fn from(Block { blocked_user, level, timestamp, .. }: Block) -> Self {
        Self { username: blocked_user, level, timestamp: timestamp.into() }
    }
}
