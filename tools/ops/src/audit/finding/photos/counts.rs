//! The counts of users and photos that the audit compares.

use std::collections::BTreeMap;
use std::fmt;

use shared::entities::{
    BLOCKED_BY, BLOCKS, COMMENTS_WRITTEN, LIKES_COUNT, LINKS, MUTES, REJECTED, REPLIES_COUNT, REQUESTS_RECEIVED,
    REQUESTS_SENT,
};
use shared::values::ReactionType;

/// One of the counts of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::audit) enum UserCount {
    /// The number of users who follow this user.
    Followers,
    /// The number of users whom this user follows.
    Following,
    /// The number of photos whose picture has become ready, with those whose deletion is not
    /// finished.
    Photos,
    /// The number of all photos, with those whose deletion is not finished.
    Uploads,
    /// The number of photos whose picture was rejected, with those whose deletion is not finished.
    Rejected,
    /// The number of comments that the user has written.
    Comments,
    /// The number of requests to follow others that wait for an answer.
    Requests,
    /// The number of requests to follow this user.
    ReceivedRequests,
    /// The number of users whom this user blocks.
    Blocks,
    /// The number of users whom this user mutes.
    Mutes,
    /// The number of users who block this user.
    BlockedBy,
    /// The number of links to photos of the user and to the profile.
    Links,
}

/// The counts in the item of a user or a deletion. A missing one is 0.
pub(in crate::audit) type UserCounts = BTreeMap<UserCount, i64>;

impl UserCount {
    pub(in crate::audit) const ALL: [Self; 12] = [
        Self::Followers,
        Self::Following,
        Self::Photos,
        Self::Uploads,
        Self::Rejected,
        Self::Comments,
        Self::Requests,
        Self::ReceivedRequests,
        Self::Blocks,
        Self::Mutes,
        Self::BlockedBy,
        Self::Links,
    ];

    /// The name of the attribute that holds the count.
    pub(in crate::audit) fn attribute(self) -> &'static str {
        match self {
            Self::Followers => "followers",
            Self::Following => "following",
            Self::Photos => "photos",
            Self::Uploads => "uploads",
            Self::Rejected => REJECTED,
            Self::Comments => COMMENTS_WRITTEN,
            Self::Requests => REQUESTS_SENT,
            Self::ReceivedRequests => REQUESTS_RECEIVED,
            Self::Blocks => BLOCKS,
            Self::Mutes => MUTES,
            Self::BlockedBy => BLOCKED_BY,
            Self::Links => LINKS,
        }
    }

    /// The name of what it counts in [`Remains`].
    pub(in crate::audit) fn kind(self) -> &'static str {
        match self {
            Self::Followers => "followers",
            Self::Following => "followed users",
            Self::Photos | Self::Uploads | Self::Rejected => "photos",
            Self::Comments => "comments",
            Self::Requests => "requests",
            Self::ReceivedRequests => "requests of others",
            Self::Blocks => "blocks",
            Self::Mutes => "mutes",
            Self::BlockedBy => "blocks by others",
            Self::Links => "links",
        }
    }

    /// Returns whether the deletion in the place of a user keeps the count.
    pub(in crate::audit) fn is_kept_by_deletion(self) -> bool {
        matches!(self, Self::Following | Self::Comments | Self::Requests | Self::BlockedBy)
    }
}

/// One of the counts of a photo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::audit) enum PhotoCount {
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

/// A count of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::audit) enum CommentCount {
    /// The number of replies.
    Replies,
    /// The number of likes.
    Likes,
}

impl CommentCount {
    pub(in crate::audit) const ALL: [Self; 2] = [Self::Replies, Self::Likes];

    /// Returns the attribute, which is also the name of what it counts.
    pub(in crate::audit) const fn attribute(self) -> &'static str {
        match self {
            Self::Replies => REPLIES_COUNT,
            Self::Likes => LIKES_COUNT,
        }
    }
}
