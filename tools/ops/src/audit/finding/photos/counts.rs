//! The counts of users and photos that the audit compares.

use std::collections::BTreeMap;
use std::fmt;

use shared::entities::{BLOCKED_BY, BLOCKS, COMMENTS_WRITTEN, MUTES, REQUESTS_SENT};
use shared::values::ReactionType;

/// One of the counts of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UserCount {
    /// The number of users who follow this user.
    Followers,
    /// The number of users whom this user follows.
    Following,
    /// The number of photos whose picture has become ready, with those whose deletion is not
    /// finished.
    Photos,
    /// The number of all photos, with those whose deletion is not finished.
    Uploads,
    /// The number of comments that the user has written.
    Comments,
    /// The number of requests to follow others that wait for an answer.
    Requests,
    /// The number of users whom this user blocks.
    Blocks,
    /// The number of users whom this user mutes.
    Mutes,
    /// The number of users who block this user.
    BlockedBy,
}

/// The counts in the item of a user or a deletion. A missing one is 0.
pub(in crate::audit) type UserCounts = BTreeMap<UserCount, i64>;

impl UserCount {
    pub(in crate::audit) const ALL: [Self; 9] = [
        Self::Followers,
        Self::Following,
        Self::Photos,
        Self::Uploads,
        Self::Comments,
        Self::Requests,
        Self::Blocks,
        Self::Mutes,
        Self::BlockedBy,
    ];

    /// The name of the attribute that holds the count.
    pub(in crate::audit) fn attribute(self) -> &'static str {
        match self {
            Self::Followers => "followers",
            Self::Following => "following",
            Self::Photos => "photos",
            Self::Uploads => "uploads",
            Self::Comments => COMMENTS_WRITTEN,
            Self::Requests => REQUESTS_SENT,
            Self::Blocks => BLOCKS,
            Self::Mutes => MUTES,
            Self::BlockedBy => BLOCKED_BY,
        }
    }

    /// The name of what it counts in [`Remains`].
    pub(in crate::audit) fn kind(self) -> &'static str {
        match self {
            Self::Followers => "followers",
            Self::Following => "followed users",
            Self::Photos | Self::Uploads => "photos",
            Self::Comments => "comments",
            Self::Requests => "requests",
            Self::Blocks => "blocks",
            Self::Mutes => "mutes",
            Self::BlockedBy => "blocks by others",
        }
    }

    /// Returns whether the deletion in the place of a user keeps the count.
    pub(in crate::audit) fn is_kept_by_deletion(self) -> bool {
        matches!(self, Self::Following | Self::Comments | Self::Requests | Self::BlockedBy)
    }
}

/// One of the counts of a photo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PhotoCount {
    /// The number of reactions of a type.
    Reaction(ReactionType),
    /// The number of comments.
    Comments,
}

impl fmt::Display for PhotoCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reaction(reaction) => reaction.fmt(f),
            Self::Comments => f.write_str("comments"),
        }
    }
}
