//! The findings in the table of feeds.

use std::collections::BTreeSet;
use std::fmt;

use shared::entities::{DirectoryEntry, Position};
use shared::values::{PictureId, ReactionType, Timestamp, Username};

use super::action::Action;
use super::stored_count::StoredCount;

/// A defect in the table of feeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeedsFinding {
    /// A pull without its friendship.
    Pull {
        /// The user who pulls.
        reader: Username,
        /// The user whose photos are pulled.
        author: Username,
    },
    /// An exception without its friendship.
    Exception {
        /// The user to whom the photos are pushed.
        reader: Username,
        /// The user whose photos are pushed.
        author: Username,
    },
    /// A pull count that is not the number of pulls.
    PullCount {
        /// The user who pulls.
        reader: Username,
        /// The count in the item.
        stored: Option<i64>,
        /// The number of pulls.
        actual: i64,
    },
    /// A follower without a pull and without an exception, although the photos of the author are
    /// fanned out on read.
    NoPull {
        /// The follower.
        reader: Username,
        /// The user who is followed.
        author: Username,
    },
    /// A follower without entries of photos of the author.
    Entries {
        /// The follower.
        reader: Username,
        /// The user who is followed.
        author: Username,
        /// The timestamps of the photos, from the newest.
        missing: Vec<Timestamp>,
    },
    /// The newest photos of an author are not those in the `Latest`.
    Latest {
        /// The author.
        author: Username,
        /// The timestamps of the photos that the `Latest` lacks.
        lacking: Vec<Timestamp>,
        /// The timestamps in the `Latest` of which there is no photo that followers can see.
        gone: Vec<Timestamp>,
    },
    /// A conversion of an author to fan-out on read that has stopped: it is not finished, although
    /// no photo was published for long.
    Conversion {
        /// The author.
        author: Username,
        /// The follower up to whom all have a pull or an exception.
        converted: Option<Username>,
    },
    /// An engagement that does not have the reactions of the caller to the photo.
    Engagement {
        /// The user who reacted.
        caller: Username,
        /// The owner of the photo.
        owner: Username,
        /// The timestamp of the photo.
        timestamp: Timestamp,
        /// The types in the engagement.
        stored: BTreeSet<ReactionType>,
        /// The types of the reactions.
        actual: BTreeSet<ReactionType>,
    },
    /// A reaction that has both of its keys, and so is counted twice.
    TwoReactions {
        /// The user who reacted.
        caller: Username,
        /// The owner of the photo.
        owner: Username,
        /// The timestamp of the photo.
        timestamp: Timestamp,
        /// The type of the reaction.
        reaction: ReactionType,
    },
    /// A vector of a photo that does not exist or has no picture.
    OrphanVector(Position),
    /// A photo with a picture and without its vector.
    NoVector {
        /// The photo.
        photo: Position,
        /// The id of its picture, from which the vector is made.
        picture: PictureId,
        /// Whether everyone may see the photo, so that the vector belongs into the index.
        is_public: bool,
    },
    /// A vector that is in the index although not everyone may see its photo, or the other way
    /// round.
    MisplacedVector {
        /// The photo.
        photo: Position,
        /// Whether everyone may see the photo.
        is_public: bool,
    },
    /// A user who is missing in lists of the directory.
    Unlisted {
        /// The user.
        username: Username,
        /// The entries that are missing.
        missing: Vec<DirectoryEntry>,
    },
    /// An entry of the directory that is not one of its user, or whose user does not exist.
    StaleEntry(DirectoryEntry),
}

impl FeedsFinding {
    pub(super) fn action(&self) -> Action {
        match self {
            Self::Pull { .. } | Self::Exception { .. } | Self::OrphanVector(_) | Self::StaleEntry(_) => Action::Delete,
            Self::TwoReactions { .. } => Action::Leave,
            _ => Action::Write,
        }
    }

    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Pull { .. } | Self::Exception { .. } => "pulls and exceptions without a friendship",
            Self::PullCount { .. } => "wrong pull counts",
            Self::NoPull { .. } => "followers without a pull",
            Self::Entries { .. } => "followers without entries",
            Self::Latest { .. } => "lists of the newest photos",
            Self::Conversion { .. } => "conversions that have stopped",
            Self::Engagement { .. } => "engagements with other reactions",
            Self::TwoReactions { .. } => "reactions with two keys",
            Self::OrphanVector(_) => "vectors without a photo",
            Self::NoVector { .. } => "photos without a vector",
            Self::MisplacedVector { .. } => "vectors that are in the index or not, against the audience",
            Self::Unlisted { .. } => "users who are missing in the directory",
            Self::StaleEntry(_) => "entries of the directory that are not those of a user",
        }
    }
}

impl fmt::Display for FeedsFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pull { reader, author } => write!(f, "pull of {author} by {reader}: the friendship does not exist"),
            Self::Exception { reader, author } => {
                write!(f, "exception of {reader} for {author}: the friendship does not exist")
            }
            Self::PullCount { reader, stored, actual } => {
                write!(f, "feed of {reader}: pulls is {}, but should be {actual}", StoredCount(*stored))
            }
            Self::NoPull { reader, author } => {
                write!(f, "feed of {reader}: neither a pull nor an exception for {author}, who is pulled")
            }
            Self::Entries { reader, author, missing } => {
                write!(f, "feed of {reader}: {} entries of photos of {author} are missing", missing.len())
            }
            Self::Latest { author, lacking, gone } => {
                let (lacking, gone) = (lacking.len(), gone.len());
                write!(f, "Latest of {author}: {lacking} photos are missing, {gone} photos are hidden or gone")
            }
            Self::Conversion { author, converted: Some(reader) } => {
                write!(f, "Latest of {author}: the conversion has stopped after {reader}")
            }
            Self::Conversion { author, converted: None } => {
                write!(f, "Latest of {author}: the conversion has not begun")
            }
            Self::Engagement { caller, owner, timestamp, stored, actual } => write!(
                f,
                "engagement of {caller} with photo {timestamp} of {owner}: the reactions are {}, but should be {}",
                Types(stored),
                Types(actual)
            ),
            Self::TwoReactions { caller, owner, timestamp, reaction } => {
                write!(f, "reaction {reaction} of {caller} to photo {timestamp} of {owner}: it exists twice")
            }
            Self::OrphanVector(Position { author, timestamp }) => {
                write!(f, "vector of photo {timestamp} of {author}: the photo does not exist or has no picture")
            }
            Self::NoVector { photo: Position { author, timestamp }, .. } => {
                write!(f, "photo {timestamp} of {author}: it has no vector, so no similar photo finds it")
            }
            Self::MisplacedVector { photo: Position { author, timestamp }, is_public: true } => {
                write!(
                    f,
                    "vector of photo {timestamp} of {author}: a search does not find it, though everyone may see the photo"
                )
            }
            Self::MisplacedVector { photo: Position { author, timestamp }, is_public: false } => {
                write!(
                    f,
                    "vector of photo {timestamp} of {author}: a search finds it, though not everyone may see the photo"
                )
            }
            Self::Unlisted { username, missing } => {
                write!(f, "directory: {} entries of {username} are missing", missing.len())
            }
            // The name of a list can hold line breaks, so it is quoted and escaped.
            Self::StaleEntry(DirectoryEntry { list, listing }) => {
                write!(f, "directory: the entry of {} in {list:?} is not one of the user", listing.username)
            }
        }
    }
}

/// The types of reactions in a finding.
struct Types<'a>(&'a BTreeSet<ReactionType>);

impl fmt::Display for Types<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        let types: Vec<&str> = self.0.iter().map(AsRef::as_ref).collect();
        f.write_str(&types.join(", "))
    }
}
