//! Friendships between users.

use serde::{Deserialize, Serialize};

use crate::values::{Timestamp, Username};

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
