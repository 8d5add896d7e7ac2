//! The findings in `quick-photos`.

use std::fmt;

use shared::model::photos::{Deletion, PhotoDeletion};
use shared::values::{ReactionType, Timestamp, Username};

use super::stored_count::StoredCount;

/// One of the counts of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UserCount {
    /// The number of users who follow this user.
    Followers,
    /// The number of users whom this user follows.
    Following,
    /// The number of photos, with those whose deletion is not finished.
    Photos,
}

impl UserCount {
    /// The name of the attribute that holds the count.
    pub(in crate::audit) fn attribute(self) -> &'static str {
        match self {
            Self::Followers => "followers",
            Self::Following => "following",
            Self::Photos => "photos",
        }
    }
}

/// A defect in `quick-photos`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PhotosFinding {
    /// A user's deletion that is not finished.
    Deletion(Deletion),
    /// A photo's deletion that is not finished.
    PhotoDeletion(PhotoDeletion),
    /// A photo without its user.
    Photo {
        /// The missing owner of the photo.
        username: Username,
        /// The photo's timestamp.
        timestamp: Timestamp,
    },
    /// A reaction without its photo, without its user, or without both.
    Reaction {
        /// The user who reacted.
        reacting: Username,
        /// The type of the reaction.
        reaction: ReactionType,
        /// The photo's sort key.
        photo: String,
        /// Whether the user does not exist.
        user_absent: bool,
        /// The state of the photo.
        photo_state: PhotoState,
    },
    /// A friendship without one of its users, or without both.
    Friendship {
        /// The user who is followed.
        followed: Username,
        /// The user who follows.
        following: Username,
        /// Whether the user who is followed does not exist.
        followed_absent: bool,
        /// Whether the user who follows does not exist.
        following_absent: bool,
    },
    /// A pinned image that is not a photo of the user.
    Pin {
        /// The user with the pinned image.
        username: Username,
        /// The sort key of the pinned photo.
        photo: String,
    },
    /// A wrong count of a user.
    UserCount {
        /// The user with the count.
        username: Username,
        /// The count that is wrong.
        count: UserCount,
        /// The count in the item.
        stored: Option<i64>,
        /// The number of friendships or photos that the count has to match.
        actual: i64,
    },
    /// A wrong count of a photo.
    PhotoCount {
        /// The owner of the photo.
        username: Username,
        /// The photo's timestamp.
        timestamp: Timestamp,
        /// The reaction type whose count is wrong.
        reaction: ReactionType,
        /// The count in the item.
        stored: Option<i64>,
        /// The number of reactions that the count has to match.
        actual: i64,
    },
}

/// The state of the photo that a reaction refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PhotoState {
    /// The photo does not exist.
    Absent,
    /// The photo exists, with this owner and timestamp.
    Present(Username, Timestamp),
    /// An item exists with the photo's sort key, but it is not a valid photo.
    Malformed,
}

impl fmt::Display for PhotosFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deletion(Deletion { erasing, since }) => write!(f, "deletion of {erasing}: unfinished since {since}"),
            Self::PhotoDeletion(PhotoDeletion { erasing, timestamp, since, .. }) => {
                write!(f, "deletion of photo {timestamp} of {erasing}: unfinished since {since}")
            }
            Self::Photo { username, timestamp } => {
                write!(f, "photo {timestamp} of {username}: user {username} does not exist")
            }
            Self::Reaction { reacting, reaction, photo, user_absent, photo_state } => {
                write!(f, "reaction {reaction} of {reacting} to {photo:?}: ")?;
                match (user_absent, *photo_state == PhotoState::Absent) {
                    (true, true) => write!(f, "user {reacting} and the photo do not exist"),
                    (true, false) => write!(f, "user {reacting} does not exist"),
                    (false, _) => write!(f, "the photo does not exist"),
                }
            }
            Self::Friendship { followed, following, followed_absent, following_absent } => {
                write!(f, "friendship of {following}, who follows {followed}: ")?;
                match (followed_absent, following_absent) {
                    (true, true) => write!(f, "users {followed} and {following} do not exist"),
                    (true, false) => write!(f, "user {followed} does not exist"),
                    (false, _) => write!(f, "user {following} does not exist"),
                }
            }
            Self::Pin { username, photo } => write!(f, "user {username}: the pinned image {photo:?} does not exist"),
            Self::UserCount { username, count, stored, actual } => {
                let count = count.attribute();
                write!(f, "user {username}: {count} is {}, but should be {actual}", StoredCount(*stored))
            }
            Self::PhotoCount { username, timestamp, reaction, stored, actual } => {
                let stored = StoredCount(*stored);
                write!(f, "photo {timestamp} of {username}: {reaction} is {stored}, but should be {actual}")
            }
        }
    }
}
