//! The candidates of the audit of the feeds.

use shared::entities::{DirectoryEntry, HashtagEntry, PopularPhoto};
use shared::values::{Hashtag, Username};

use crate::audit::finding::{Engaged, HashtagSummaries, PictureOf};

/// A possible defect: the place to inspect.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::audit::photos) enum Candidate {
    Pull {
        reader: Username,
        author: Username,
    },
    Exception {
        reader: Username,
        author: Username,
    },
    PullCount(Username),
    /// The copy of the hashtags that a user follows.
    PulledHashtags(Username),
    /// The entries, the pull or the exception that a follower needs.
    Follower {
        reader: Username,
        author: Username,
    },
    Latest(Username),
    /// An author who is being converted.
    Conversion(Username),
    Engagement(Engaged),
    /// The bell of a user.
    Bell(Username),
    /// A picture of which only one of itself and the vector was found, or the vector in the wrong
    /// place.
    Vector(PictureOf),
    /// A user who may be missing in lists of the directory.
    Listing(Username),
    /// An entry of the directory that may not be one of its user.
    Entry(DirectoryEntry),
    /// An entry of a hashtag that may be missing, or not be one of its photo.
    HashtagEntry(HashtagEntry),
    /// A popular photo that may be missing, or not be the one of its photo.
    PopularPhoto(PopularPhoto),
    /// A hashtag whose summary or listings may not be those of its photos.
    Hashtag {
        hashtag: Hashtag,
        summaries: Box<HashtagSummaries>,
        /// The entries that may be missing, or not be those of their photos.
        disputed: Vec<HashtagEntry>,
    },
}
