//! The findings in the table of feeds.

use std::collections::BTreeSet;
use std::fmt;

use shared::entities::{DirectoryEntry, HashtagEntry, HashtagSummary, PopularPhoto, Position};
use shared::values::{Hashtag, PhotoId, PictureId, PictureNumber, ReactionType, Username};
use thiserror::Error;

use super::action::Action;
use super::stored_count::stored_count;

/// A photo, or one of its several pictures.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::audit) struct PictureOf {
    pub photo: Position,
    /// The number of one of several pictures.
    pub number: Option<PictureNumber>,
}

impl fmt::Display for PictureOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(number) = self.number {
            write!(f, "picture {number} of ")?;
        }
        write!(f, "photo {} of {}", self.photo.id, self.photo.author)
    }
}

/// A caller and a photo.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::audit) struct Engaged {
    pub caller: Username,
    pub owner: Username,
    pub photo: PhotoId,
}

/// A defect in the table of feeds.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(in crate::audit) enum FeedsFinding {
    #[error("pull of {author} by {reader}: the friendship does not exist")]
    Pull { reader: Username, author: Username },
    #[error("exception of {reader} for {author}: the friendship does not exist")]
    Exception { reader: Username, author: Username },
    #[error("feed of {reader}: pulls is {}, but should be {actual}", stored_count(*.stored))]
    PullCount { reader: Username, stored: Option<i64>, actual: i64 },
    #[error("feed of {reader}: the hashtags are {}, but should be {}", written(.copied), written(.followed))]
    PulledHashtags { reader: Username, followed: BTreeSet<Hashtag>, copied: BTreeSet<Hashtag> },
    #[error("feed of {reader}: neither a pull nor an exception for {author}, who is pulled")]
    NoPull { reader: Username, author: Username },
    #[error("feed of {reader}: {} entries of photos of {author} are missing", .missing.len())]
    Entries { reader: Username, author: Username, missing: Vec<PhotoId> },
    #[error("Latest of {author}: {} photos are missing, {} photos are hidden or gone", .lacking.len(), .gone.len())]
    Latest { author: Username, lacking: Vec<PhotoId>, gone: Vec<PhotoId> },
    /// A conversion of an author to fan-out on read that has stopped: it is not finished, although
    /// no photo was published for long.
    #[error("Latest of {author}: the conversion {}", conversion(.converted.as_ref()))]
    Conversion {
        author: Username,
        /// The follower up to whom all have a pull or an exception.
        converted: Option<Username>,
    },
    #[error(
        "engagement of {} with photo {} of {}: the reactions are {}, but should be {}",
        .of.caller, .of.photo, .of.owner, names(.stored), names(.actual)
    )]
    Engagement { of: Engaged, stored: BTreeSet<ReactionType>, actual: BTreeSet<ReactionType> },
    #[error(
        "bell of {user}: it names {} notifications and {} hidden ones, but should name {} and {}",
        .stored.0, .stored.1, .actual.0, .actual.1
    )]
    Bell {
        user: Username,
        /// The numbers of shown and of hidden notifications that it names.
        stored: (usize, usize),
        actual: (usize, usize),
    },
    /// A reaction that has both of its keys, and so is counted twice.
    #[error("reaction {reaction} of {} to photo {} of {}: it exists twice", .of.caller, .of.photo, .of.owner)]
    TwoReactions { of: Engaged, reaction: ReactionType },
    #[error(
        "vector of {}: the photo does not exist or has no {}picture",
        .0,
        if .0.number.is_some() { "such " } else { "" }
    )]
    OrphanVector(PictureOf),
    #[error("{of}: it has no vector, so no similar photo finds it")]
    NoVector { of: PictureOf, picture: PictureId, is_public: bool },
    #[error(
        "vector of {of}: a search {} everyone may see the photo",
        if *.is_public { "does not find it, though" } else { "finds it, though not" }
    )]
    MisplacedVector { of: PictureOf, is_public: bool },
    #[error("directory: {} entries of {username} are missing", .missing.len())]
    Unlisted { username: Username, missing: Vec<DirectoryEntry> },
    // The name of a list can hold line breaks, so it is quoted and escaped.
    #[error("directory: the entry of {} in {:?} is not one of the user", .0.listing.username, .0.list)]
    StaleEntry(DirectoryEntry),
    #[error("hashtag {}: the entry of photo {} of {} is missing", .0.hashtag, .0.photo.id, .0.photo.author)]
    NoHashtagEntry(HashtagEntry),
    /// An entry in the list of a hashtag of a photo that does not have it, or that not everyone may
    /// see.
    #[error("hashtag {}: the entry of photo {} of {} is not one of the photo", .0.hashtag, .0.photo.id, .0.photo.author)]
    StaleHashtagEntry(HashtagEntry),
    #[error("photo {} of {}: the popular photo of level {} is missing", .0.photo.id, .0.photo.author, .0.level)]
    NoPopularPhoto(PopularPhoto),
    /// A popular photo that is not the one of its photo, which may have another level, or not be for
    /// everyone.
    #[error("photo {} of {}: the popular photo of level {} is not one of the photo", .0.photo.id, .0.photo.author, .0.level)]
    StalePopularPhoto(PopularPhoto),
    #[error(
        "hashtag {hashtag}: the summary or the listings are wrong, the count is {}, but should be {}",
        .summaries.stored.count().unwrap_or(0), .summaries.derived.count().unwrap_or(0)
    )]
    Hashtag { hashtag: Hashtag, summaries: Box<HashtagSummaries> },
}

/// The summary of a hashtag, and what it should be.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::audit) struct HashtagSummaries {
    pub stored: HashtagSummary,
    /// The summary that follows from the photos, or from their entries.
    pub derived: HashtagSummary,
}

impl FeedsFinding {
    /// Returns what a repair does with the finding, and what findings of this kind are, in the plural.
    pub(super) fn effect(&self) -> (Action, &'static str) {
        use Action::{Delete, Leave, Write};

        match self {
            Self::Pull { .. } | Self::Exception { .. } => (Delete, "pulls and exceptions without a friendship"),
            Self::PullCount { .. } => (Write, "wrong pull counts"),
            Self::PulledHashtags { .. } => (Write, "copies of hashtags that are not those of the user"),
            Self::NoPull { .. } => (Write, "followers without a pull"),
            Self::Entries { .. } => (Write, "followers without entries"),
            Self::Latest { .. } => (Write, "lists of the newest photos"),
            Self::Conversion { .. } => (Write, "conversions that have stopped"),
            Self::Engagement { .. } => (Write, "engagements with other reactions"),
            Self::TwoReactions { .. } => (Leave, "reactions with two keys"),
            Self::Bell { .. } => (Write, "bells that do not say what is new"),
            Self::OrphanVector(_) => (Delete, "vectors without a photo"),
            Self::NoVector { .. } => (Write, "photos without a vector"),
            Self::MisplacedVector { .. } => (Write, "vectors that are in the index or not, against the audience"),
            Self::Unlisted { .. } => (Write, "users who are missing in the directory"),
            Self::StaleEntry(_) => (Delete, "entries of the directory that are not those of a user"),
            Self::NoHashtagEntry(_) => (Write, "photos without an entry of a hashtag"),
            Self::StaleHashtagEntry(_) => (Delete, "entries of hashtags that are not those of a photo"),
            Self::NoPopularPhoto(_) => (Write, "photos without a popular photo"),
            Self::StalePopularPhoto(_) => (Delete, "popular photos that are not those of a photo"),
            Self::Hashtag { .. } => (Write, "hashtags with another summary or other listings"),
        }
    }
}

/// Returns the names of types of reactions.
fn names(types: &BTreeSet<ReactionType>) -> String {
    let names: Vec<&str> = types.iter().map(AsRef::as_ref).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Returns the names of hashtags.
fn written(hashtags: &BTreeSet<Hashtag>) -> String {
    let names: Vec<&str> = hashtags.iter().map(AsRef::as_ref).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Returns how far a conversion has come.
fn conversion(converted: Option<&Username>) -> String {
    converted.map_or_else(|| "has not begun".to_owned(), |reader| format!("has stopped after {reader}"))
}
