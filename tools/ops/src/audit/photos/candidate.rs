//! The candidates of the audit of `quick-photos`.

use shared::entities::{Key, Position};
use shared::values::{CommentId, LinkToken, PhotoId, ReactionType, ReportId, Timestamp, Username};

use crate::audit::finding::{CommentCount, PhotoCount, UserCount};

/// A possible defect: the item or the count to inspect.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Candidate {
    /// A name that belongs to no user.
    Name(Username),
    /// The deletion of a photo, a comment or a picture.
    Deletion(Key),
    /// A reaction, with the sort key of its photo.
    Reaction {
        reacting: Username,
        reaction: ReactionType,
        photo: String,
        is_sharded: bool,
    },
    /// A comment, with its photo.
    Comment(CommentId, Position),
    /// A comment that only itself or only the photo says to be pinned.
    PinnedComment(CommentId, Position),
    /// A count of a comment, which may be gone.
    CommentCount(CommentId, Position, CommentCount),
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
    /// A decision, which may have no report, or have expired.
    Decision(ReportId, Timestamp),
    /// A complaint, which may have no report.
    Complaint {
        reporter: Username,
        about: ReportId,
    },
    /// The link of a photo, or of the profile.
    Link(Username, Option<PhotoId>),
    /// A target, which no link may have.
    LinkTarget(LinkToken),
    Pin(Username),
    UserCount(Username, UserCount),
    PhotoCount(Position, PhotoCount),
    /// The time at which a photo expires.
    Ttl(Position),
    /// A photo that is not ready and has reactions or comments.
    EarlyReactions(Position),
    /// The item of the pictures of a photo, which the photo repeats.
    Pictures(Position),
    /// A photo whose picture is ready.
    Picture(Position),
    /// An object with this key.
    Object(String),
}
