//! The candidates of the audit of the feeds.

use shared::entities::{DirectoryEntry, Position};
use shared::values::Username;

use super::engaged::Engaged;

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
    /// A photo of which only one of the picture and the vector was found, or the vector in the wrong
    /// place.
    Vector(Position),
    /// A user who may be missing in lists of the directory.
    Listing(Username),
    /// An entry of the directory that may not be one of its user.
    Entry(DirectoryEntry),
}
