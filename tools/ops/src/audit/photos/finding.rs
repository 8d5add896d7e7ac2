//! What an audit suspects of `quick-photos`, and what it finds there.

use std::fmt;

use shared::model::photos::Deletion;
use shared::values::{ReactionType, Timestamp, Username};

use crate::audit::finding::Says;

/// A count of a user's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// How many follow them.
    Followers,
    /// How many they follow.
    Following,
}

impl Count {
    /// The attribute's name.
    pub(super) fn attribute(self) -> &'static str {
        match self {
            Self::Followers => "followers",
            Self::Following => "following",
        }
    }
}

/// What may not be right: where to look again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::audit) enum Suspect {
    Deletion(Username),
    Photo(Username, Timestamp),
    Reaction { reacting: Username, reaction: ReactionType, photo: String },
    Friendship { followed: Username, following: Username },
    Pin(Username),
    UserCount(Username, Count),
    PhotoCount(Username, Timestamp, ReactionType),
}

/// What is not right, after two looks that agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// A deletion that is not through.
    Deletion(Deletion),
    /// A photo without its user.
    Photo {
        /// Whose it was.
        username: Username,
        /// Its name.
        timestamp: Timestamp,
    },
    /// A reaction without its photo, or without its user.
    Reaction {
        /// Who reacted.
        reacting: Username,
        /// How.
        reaction: ReactionType,
        /// The photo's sort key.
        photo: String,
        /// Whether the user is gone.
        user_is_gone: bool,
        /// Whether the photo is there.
        photo_is: PhotoIs,
    },
    /// A friendship without one of its users, or without both.
    Friendship {
        /// Who is followed.
        followed: Username,
        /// Who follows.
        following: Username,
        /// Whether the one who is followed is gone.
        followed_is_gone: bool,
        /// Whether the one who follows is gone.
        following_is_gone: bool,
    },
    /// A pinned image that is none of the user's photos.
    Pin {
        /// Who pinned it.
        username: Username,
        /// The photo's sort key.
        photo: String,
    },
    /// A user's count that differs from what it counts.
    UserCount {
        /// Whose.
        username: Username,
        /// Which.
        count: Count,
        /// What the item says.
        says: Option<i64>,
        /// How many there are.
        there_are: i64,
    },
    /// A photo's count that differs from what it counts.
    PhotoCount {
        /// Whose photo.
        username: Username,
        /// Its name.
        timestamp: Timestamp,
        /// Which count.
        reaction: ReactionType,
        /// What the item says.
        says: Option<i64>,
        /// How many there are.
        there_are: i64,
    },
}

/// Where the photo of a reaction is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PhotoIs {
    /// Nowhere.
    Gone,
    /// In the table, by this name.
    There(Username, Timestamp),
    /// In the table, but it doesn't read as a photo.
    Shapeless,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deletion(Deletion { erasing, since }) => {
                write!(f, "deletion of {erasing}: not through since {since}")
            }
            Self::Photo { username, timestamp } => write!(f, "photo {timestamp} of {username}: {username} is gone"),
            Self::Reaction { reacting, reaction, photo, user_is_gone, photo_is } => {
                write!(f, "reaction {reaction} of {reacting} to {photo:?}: ")?;
                match (user_is_gone, *photo_is == PhotoIs::Gone) {
                    (true, true) => write!(f, "{reacting} and the photo are gone"),
                    (true, false) => write!(f, "{reacting} is gone"),
                    (false, _) => write!(f, "the photo is gone"),
                }
            }
            Self::Friendship { followed, following, followed_is_gone, following_is_gone } => {
                write!(f, "friendship of {following}, who follows {followed}: ")?;
                match (followed_is_gone, following_is_gone) {
                    (true, true) => write!(f, "{followed} and {following} are gone"),
                    (true, false) => write!(f, "{followed} is gone"),
                    (false, _) => write!(f, "{following} is gone"),
                }
            }
            Self::Pin { username, photo } => write!(f, "user {username}: the pinned image {photo:?} is gone"),
            Self::UserCount { username, count, says, there_are } => {
                write!(f, "user {username}: {} is {}, but there are {there_are}", count.attribute(), Says(*says))
            }
            Self::PhotoCount { username, timestamp, reaction, says, there_are } => {
                write!(f, "photo {timestamp} of {username}: {reaction} is {}, but there are {there_are}", Says(*says))
            }
        }
    }
}
