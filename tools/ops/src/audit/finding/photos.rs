//! The findings in `quick-photos`.

mod counts;
mod faults;

use std::collections::BTreeMap;
use std::fmt;

use shared::entities::{PhotoDeletion, PinnedPicture};
use shared::values::{CommentId, ReactionType, ReportId, Timestamp, Username};

use super::action::Action;
use super::stored_count::StoredCount;

pub(in crate::audit) use counts::UserCounts;
pub use counts::{PhotoCount, UserCount};
use faults::time;
pub use faults::{ObjectFault, ReportFault, TtlFault};

/// The remains of a user under the username: the number of items and objects of each kind, in the
/// plural.
pub type Remains = BTreeMap<&'static str, i64>;

/// A defect in `quick-photos`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PhotosFinding {
    /// A user's deletion that is not finished.
    Deletion {
        /// The user that is being deleted.
        username: Username,
        /// The time of the deletion.
        since: Timestamp,
    },
    /// Items or objects of a deleted user, whose deletion is finished.
    Resting {
        /// The name, which rests.
        username: Username,
        /// The time of the deletion.
        since: Timestamp,
        /// The items and objects that are left.
        remains: Remains,
    },
    /// The timer of a deleted name, which has no deletion.
    OrphanRest {
        /// The name.
        username: Username,
        /// The time of the deletion that the timer belonged to.
        since: Timestamp,
    },
    /// The timer or the deletion of a deleted name that DynamoDB should have deleted a week ago.
    OverdueRest {
        /// The name.
        username: Username,
        /// Whether it is the deletion.
        is_deletion: bool,
        /// The time at which it expired, in seconds since 1970.
        ttl: u64,
    },
    /// Items of a user who does not exist and was not deleted: the user's own item is lost.
    LostUser {
        /// The user.
        username: Username,
        /// The items.
        remains: Remains,
        /// Whether a repair erases them.
        erase: bool,
    },
    /// A photo's deletion that is not finished.
    PhotoDeletion(PhotoDeletion),
    /// A reaction without its photo.
    Reaction {
        /// The user who reacted.
        reacting: Username,
        /// The type of the reaction.
        reaction: ReactionType,
        /// The photo's sort key.
        photo: String,
        /// Whether it is in a shard of the photo.
        is_sharded: bool,
        /// Whether the count of the photo did not include it yet.
        is_uncounted: bool,
    },
    /// A reaction that has not been added to the count of its photo for long.
    UncountedReaction {
        /// The user who reacted.
        reacting: Username,
        /// The type of the reaction.
        reaction: ReactionType,
        /// The owner of the photo.
        username: Username,
        /// The photo's timestamp.
        timestamp: Timestamp,
        /// Whether it is in a shard of the photo.
        is_sharded: bool,
        /// The time of the reaction.
        since: Timestamp,
    },
    /// A comment without its photo.
    Comment {
        /// The id of the comment.
        id: CommentId,
        /// The owner of the photo.
        username: Username,
        /// The photo's timestamp.
        timestamp: Timestamp,
        /// Whether the count of the photo did not include it yet.
        is_uncounted: bool,
    },
    /// A comment that has not been added to the count of its photo for long.
    UncountedComment {
        /// The id of the comment.
        id: CommentId,
        /// The owner of the photo.
        username: Username,
        /// The photo's timestamp.
        timestamp: Timestamp,
    },
    /// A friendship that has not been added to the count of the followed user for long.
    UncountedFriendship {
        /// The user who is followed.
        followed: Username,
        /// The user who follows.
        following: Username,
        /// The time of the friendship.
        since: Timestamp,
    },
    /// A request to follow beside the friendship of the same users, or beside a block between them.
    FollowRequest {
        /// The user who is asked.
        asked: Username,
        /// The user who asks.
        asking: Username,
        /// The one of the two who blocks the other, or `None` if it is beside the friendship.
        blocking: Option<Username>,
    },
    /// A friendship beside a block between the same users.
    BlockedFriendship {
        /// The user who is followed.
        followed: Username,
        /// The user who follows.
        following: Username,
        /// The one of the two who blocks the other.
        blocking: Username,
        /// Whether the count of the followed user did not include it yet.
        is_uncounted: bool,
    },
    /// A friendship that does not say whether the follower mutes the followed user.
    MutedFriendship {
        /// The user who is followed.
        followed: Username,
        /// The user who follows.
        following: Username,
        /// Whether the follower mutes the followed user.
        is_muted: bool,
    },
    /// A user who does not have the picture of the pinned photo.
    PinnedPicture {
        /// The user with the pinned image.
        username: Username,
        /// The sort key of the pinned photo.
        photo: String,
        /// The picture of the photo, if it has one.
        picture: Option<PinnedPicture>,
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
        /// The number of items that the count has to match.
        actual: i64,
    },
    /// A wrong count of a photo.
    PhotoCount {
        /// The owner of the photo.
        username: Username,
        /// The photo's timestamp.
        timestamp: Timestamp,
        /// The count that is wrong.
        count: PhotoCount,
        /// The count in the item.
        stored: Option<i64>,
        /// The number of reactions or comments that the count has to match.
        actual: i64,
    },
    /// A `ttl` that is not as the picture of the photo requires.
    Ttl {
        /// The owner of the photo.
        username: Username,
        /// The photo's timestamp.
        timestamp: Timestamp,
        /// The difference.
        fault: TtlFault,
    },
    /// Reactions to a photo whose picture has never been ready, or comments on it. add-reaction and
    /// add-comment reject them.
    EarlyReactions {
        /// The owner of the photo.
        username: Username,
        /// The photo's timestamp.
        timestamp: Timestamp,
        /// The number of reactions and comments.
        responses: i64,
    },
    /// A report that does not agree with its complaints, or with what it is about.
    Report {
        /// The id of the report.
        id: ReportId,
        /// The error.
        fault: ReportFault,
    },
    /// A complaint without its report.
    Complaint {
        /// The user who complains.
        reporter: Username,
        /// The id of the report.
        about: ReportId,
    },
    /// An object that no photo needs.
    Object {
        /// The object's key.
        key: String,
        /// The time of the newest version, in milliseconds since 1970.
        modified: i64,
        /// The reason why no photo needs it.
        fault: ObjectFault,
    },
    /// An uploaded file whose photo is still pending, long after the event of the upload.
    Upload {
        /// The owner of the photo.
        username: Username,
        /// The photo's timestamp.
        timestamp: Timestamp,
        /// The time of the upload, in milliseconds since 1970.
        modified: i64,
    },
    /// A photo that shows objects that do not exist.
    MissingObjects {
        /// The owner of the photo.
        username: Username,
        /// The photo's timestamp.
        timestamp: Timestamp,
        /// The keys of the objects.
        missing: Vec<String>,
    },
}

impl PhotosFinding {
    pub(super) fn action(&self) -> Action {
        match self {
            Self::OrphanRest { .. }
            | Self::OverdueRest { .. }
            | Self::Reaction { .. }
            | Self::Comment { .. }
            | Self::FollowRequest { .. }
            | Self::BlockedFriendship { .. }
            | Self::Complaint { .. }
            | Self::Ttl { fault: TtlFault::Overdue(_), .. }
            | Self::Object { .. } => Action::Delete,
            Self::LostUser { erase: true, .. } => Action::Erase,
            Self::UncountedReaction { .. }
            | Self::UncountedComment { .. }
            | Self::UncountedFriendship { .. }
            | Self::MutedFriendship { .. }
            | Self::Pin { .. }
            | Self::PinnedPicture { .. }
            | Self::UserCount { .. }
            | Self::PhotoCount { .. }
            | Self::Report { fault: ReportFault::Count { .. }, .. }
            | Self::Ttl { .. } => Action::Write,
            Self::Deletion { .. } | Self::Resting { .. } | Self::PhotoDeletion(_) | Self::Upload { .. } => {
                Action::StartAgain
            }
            Self::LostUser { erase: false, .. }
            | Self::Report { .. }
            | Self::EarlyReactions { .. }
            | Self::MissingObjects { .. } => Action::Leave,
        }
    }

    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Deletion { .. } | Self::PhotoDeletion(_) => "unfinished deletions",
            Self::Resting { .. } => "deletions of names under which something is left",
            Self::OrphanRest { .. } => "timers without a deletion",
            Self::OverdueRest { .. } => "timers and deletions that expired a week ago",
            Self::LostUser { .. } => "users who are lost",
            Self::Reaction { .. } => "reactions to photos that do not exist",
            Self::Comment { .. } => "comments on photos that do not exist",
            Self::FollowRequest { blocking: None, .. } => "requests to follow of users who follow already",
            Self::FollowRequest { .. } => "requests to follow between users of whom one blocks the other",
            Self::BlockedFriendship { .. } => "friendships of users of whom one blocks the other",
            Self::MutedFriendship { .. } => "marks of muted friendships",
            Self::UncountedReaction { .. } | Self::UncountedComment { .. } | Self::UncountedFriendship { .. } => {
                "reactions, comments and friendships that no count has"
            }
            Self::Pin { .. } => "pinned images that do not exist",
            Self::PinnedPicture { .. } => "users without the picture of the pinned photo",
            Self::UserCount { .. }
            | Self::PhotoCount { .. }
            | Self::Report { fault: ReportFault::Count { .. }, .. } => "wrong counts",
            Self::Complaint { .. } => "complaints without a report",
            Self::Report { .. } => "photos and comments that disagree with their reports",
            Self::Ttl { fault: TtlFault::Overdue(_), .. } => "pending photos that expired a week ago",
            Self::Ttl { .. } => "times at which photos expire",
            Self::EarlyReactions { .. } => "photos with early reactions or comments",
            Self::Object { .. } => "objects that no photo needs, to orphans/",
            Self::Upload { .. } => "uploads that nobody has processed",
            Self::MissingObjects { .. } => "photos without their objects",
        }
    }
}

impl fmt::Display for PhotosFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deletion { username, since } => write!(f, "deletion of {username}: unfinished since {since}"),
            Self::Resting { username, since, remains } => {
                write!(f, "deletion of {username}: finished since {since}, but there are {}", text(remains))
            }
            Self::OrphanRest { username, since } => {
                write!(f, "rest of {username}: there is no deletion of {since}")
            }
            Self::OverdueRest { username, is_deletion, ttl } => {
                let item = if *is_deletion { "deletion" } else { "rest" };
                write!(f, "{item} of {username}: expired at {}, but it is not deleted", time(*ttl, 1000))
            }
            Self::LostUser { username, remains, .. } => {
                write!(f, "user {username}: does not exist, but there are {}", text(remains))
            }
            Self::PhotoDeletion(PhotoDeletion { erasing, timestamp, since, .. }) => {
                write!(f, "deletion of photo {timestamp} of {erasing}: unfinished since {since}")
            }
            Self::Reaction { reacting, reaction, photo, .. } => {
                write!(f, "reaction {reaction} of {reacting} to {photo:?}: the photo does not exist")
            }
            Self::UncountedReaction { reacting, reaction, username, timestamp, since, .. } => {
                write!(
                    f,
                    "reaction {reaction} of {reacting} to photo {timestamp} of {username}: not counted since {since}"
                )
            }
            Self::Comment { id, username, timestamp, .. } => {
                write!(f, "comment {id} on photo {timestamp} of {username}: the photo does not exist")
            }
            Self::UncountedComment { id, username, timestamp } => {
                let since = &id.timestamp;
                write!(f, "comment {id} on photo {timestamp} of {username}: not counted since {since}")
            }
            Self::UncountedFriendship { followed, following, since } => {
                write!(f, "friendship of {following}, who follows {followed}: not counted since {since}")
            }
            Self::FollowRequest { asked, asking, blocking } => {
                write!(f, "request of {asking} to follow {asked}: ")?;
                match blocking {
                    None => write!(f, "{asking} follows already"),
                    Some(blocking) => write!(f, "{}", block(blocking, [asked, asking])),
                }
            }
            Self::BlockedFriendship { followed, following, blocking, .. } => {
                let block = block(blocking, [followed, following]);
                write!(f, "friendship of {following}, who follows {followed}: {block}")
            }
            Self::MutedFriendship { followed, following, is_muted } => {
                write!(f, "friendship of {following}, who follows {followed}: ")?;
                match is_muted {
                    true => write!(f, "not muted, but {following} mutes {followed}"),
                    false => write!(f, "muted, but {following} does not mute {followed}"),
                }
            }
            Self::PinnedPicture { username, photo, picture } => {
                let fault = if picture.is_some() { "is missing or another one" } else { "must not be shown" };
                write!(f, "user {username}: the picture of the pinned image {photo:?} {fault}")
            }
            Self::Pin { username, photo } => write!(f, "user {username}: the pinned image {photo:?} does not exist"),
            Self::UserCount { username, count, stored, actual } => {
                let count = count.attribute();
                write!(f, "user {username}: {count} is {}, but should be {actual}", StoredCount(*stored))
            }
            Self::PhotoCount { username, timestamp, count, stored, actual } => {
                let stored = StoredCount(*stored);
                write!(f, "photo {timestamp} of {username}: {count} is {stored}, but should be {actual}")
            }
            Self::Report { id, fault } => write!(f, "report {id}: {fault}"),
            Self::Complaint { reporter, about } => {
                write!(f, "complaint of {reporter} about {about}: there is no report")
            }
            Self::Ttl { username, timestamp, fault } => write!(f, "photo {timestamp} of {username}: {fault}"),
            Self::EarlyReactions { username, timestamp, responses } => {
                write!(f, "photo {timestamp} of {username}: not ready, but it has {responses} reactions and comments")
            }
            Self::Object { key, fault, .. } => write!(f, "object {key:?}: {fault}"),
            Self::Upload { username, timestamp, modified } => {
                let modified = time(modified.unsigned_abs(), 1);
                write!(f, "photo {timestamp} of {username}: pending, although its file was uploaded at {modified}")
            }
            Self::MissingObjects { username, timestamp, missing } => {
                write!(f, "photo {timestamp} of {username}: the bucket lacks {}", missing.join(" and "))
            }
        }
    }
}

/// Returns which of two users blocks the other.
fn block(blocking: &Username, users: [&Username; 2]) -> String {
    let blocked = if users[0] == blocking { users[1] } else { users[0] };
    format!("{blocking} blocks {blocked}")
}

/// Returns what is left under a name, such as `3 photos, 1 tags`.
fn text(remains: &Remains) -> String {
    remains.iter().map(|(kind, number)| format!("{number} {kind}")).collect::<Vec<_>>().join(", ")
}
