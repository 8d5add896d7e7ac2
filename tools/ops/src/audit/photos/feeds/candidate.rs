//! The candidates of the audit of the feeds.

use shared::values::Username;

use crate::audit::layout::Keys;

/// A possible defect: the place to inspect.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Candidate {
    /// An item that belongs to this user, who may not exist.
    Orphan(Keys, Username),
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
}
