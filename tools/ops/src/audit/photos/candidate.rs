//! The candidates of the audit of `quick-photos`.

use shared::values::{CommentId, ReactionType, ReportId, Timestamp, Username};

use crate::audit::finding::{PhotoCount, UserCount};

/// A possible defect: the item or the count to inspect.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Candidate {
    /// A name that belongs to no user.
    Name(Username),
    PhotoDeletion(Username, Timestamp),
    /// A reaction, with the sort key of its photo.
    Reaction {
        reacting: Username,
        reaction: ReactionType,
        photo: String,
        is_sharded: bool,
    },
    /// A comment, with the owner and the timestamp of its photo.
    Comment(CommentId, Username, Timestamp),
    Friendship {
        followed: Username,
        following: Username,
    },
    FollowRequest {
        asked: Username,
        asking: Username,
    },
    /// The report with this id, and what it is about.
    Report(ReportId),
    /// A complaint, which may have no report.
    Complaint {
        reporter: Username,
        about: ReportId,
    },
    Pin(Username),
    UserCount(Username, UserCount),
    PhotoCount(Username, Timestamp, PhotoCount),
    /// The time at which a photo expires.
    Ttl(Username, Timestamp),
    /// A photo that is not ready and has reactions or comments.
    EarlyReactions(Username, Timestamp),
    /// A photo whose picture is ready.
    Picture(Username, Timestamp),
    /// An object with this key.
    Object(String),
}
