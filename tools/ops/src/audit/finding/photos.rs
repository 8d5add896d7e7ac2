//! The findings in `quick-photos`.

mod counts;
mod faults;

use std::collections::BTreeMap;

use shared::entities::{Key, Link, LinkTarget, PinnedPicture, Position};
use shared::values::{CommentId, LinkToken, PhotoId, ReactionType, ReportId, Timestamp, Username};
use thiserror::Error;

use super::action::Action;
use super::feeds::PictureOf;
use super::stored_count::stored_count;

pub(in crate::audit) use counts::{CommentCount, PhotoCount, UserCount, UserCounts};
use faults::time;
pub(in crate::audit) use faults::{DecisionFault, LinkFault, ObjectFault, PicturesFault, ReportFault, TtlFault};

/// The remains of a user under the username: the number of items and objects of each kind, in the
/// plural.
pub(in crate::audit) type Remains = BTreeMap<&'static str, i64>;

/// A defect in `quick-photos`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(in crate::audit) enum PhotosFinding {
    #[error("deletion of {of}: unfinished since {since}")]
    Deletion { of: String, key: Key, since: Timestamp },
    #[error("deletion of {username}: finished since {since}, but there are {}", text(.remains))]
    Resting { username: Username, since: Timestamp, remains: Remains },
    /// The timer of a deleted name, which has no deletion.
    #[error("rest of {username}: there is no deletion of {since}")]
    OrphanRest { username: Username, since: Timestamp },
    /// The timer or the deletion of a deleted name that DynamoDB should have deleted a week ago.
    #[error(
        "{} of {username}: expired at {}, but it is not deleted",
        if *.is_deletion { "deletion" } else { "rest" },
        time(*.ttl, 1000)
    )]
    OverdueRest { username: Username, is_deletion: bool, ttl: u64 },
    /// Items of a user who does not exist and was not deleted: the user's own item is lost.
    #[error("user {username}: does not exist, but there are {}", text(.remains))]
    LostUser {
        username: Username,
        remains: Remains,
        /// Whether a repair erases them.
        erase: bool,
    },
    #[error("reaction {reaction} of {reacting} to {photo:?}: the photo does not exist")]
    Reaction { reacting: Username, reaction: ReactionType, photo: String, is_sharded: bool, is_uncounted: bool },
    #[error("reaction {reaction} of {reacting} to photo {} of {}: not counted since {since}", .photo.id, .photo.author)]
    UncountedReaction {
        reacting: Username,
        reaction: ReactionType,
        photo: Position,
        is_sharded: bool,
        since: Timestamp,
    },
    #[error("comment {id} on photo {} of {}: the photo does not exist", .photo.id, .photo.author)]
    Comment { id: CommentId, photo: Position },
    #[error(
        "comment {id} on photo {} of {}: only the {} says that it is pinned",
        .photo.id, .photo.author, if *.of_photo { "photo" } else { "comment" }
    )]
    PinnedComment { id: CommentId, photo: Position, of_photo: bool },
    /// A wrong count of a comment, or what a comment counted that is gone.
    #[error(
        "comment {id} on photo {} of {}: it counts {} {}, but there are {actual}",
        .photo.id, .photo.author, stored_count(*.stored), .count.attribute()
    )]
    CommentCount { id: CommentId, photo: Position, count: CommentCount, stored: Option<i64>, actual: i64 },
    #[error("comment {id} on photo {} of {}: not counted since {}", .photo.id, .photo.author, .id.timestamp)]
    UncountedComment { id: CommentId, photo: Position },
    #[error("friendship of {following}, who follows {followed}: not counted since {since}")]
    UncountedFriendship { followed: Username, following: Username, since: Timestamp },
    #[error("request of {asking} to follow {asked}: {}", obstacle(.asked, .asking, .blocking.as_ref()))]
    FollowRequest {
        asked: Username,
        asking: Username,
        /// The one of the two who blocks the other, or `None` if it is beside the friendship.
        blocking: Option<Username>,
    },
    #[error("friendship of {following}, who follows {followed}: {}", obstacle(.followed, .following, Some(.blocking)))]
    BlockedFriendship { followed: Username, following: Username, blocking: Username, is_uncounted: bool },
    #[error("friendship of {following}, who follows {followed}: {}", mute(.followed, .following, *.is_muted))]
    MutedFriendship { followed: Username, following: Username, is_muted: bool },
    #[error(
        "user {username}: the picture of the pinned image {photo:?} {}",
        if .picture.is_some() { "is missing or another one" } else { "must not be shown" }
    )]
    PinnedPicture { username: Username, photo: String, picture: Option<PinnedPicture> },
    #[error("user {username}: the pinned image {photo:?} does not exist")]
    Pin { username: Username, photo: String },
    #[error("user {username}: {} is {}, but should be {actual}", .count.attribute(), stored_count(*.stored))]
    UserCount { username: Username, count: UserCount, stored: Option<i64>, actual: i64 },
    #[error("photo {} of {}: {count} is {}, but should be {actual}", .photo.id, .photo.author, stored_count(*.stored))]
    PhotoCount { photo: Position, count: PhotoCount, stored: Option<i64>, actual: i64 },
    #[error("photo {} of {}: {fault}", .photo.id, .photo.author)]
    Ttl { photo: Position, fault: TtlFault },
    /// Reactions to a photo whose picture has never been ready, or comments on it. add-reaction and
    /// add-comment reject them.
    #[error("photo {} of {}: not ready, but it has {responses} reactions and comments", .photo.id, .photo.author)]
    EarlyReactions { photo: Position, responses: i64 },
    #[error("report {id}: {fault}")]
    Report { id: ReportId, fault: ReportFault },
    #[error("decision of {timestamp} about {about}: {fault}")]
    Decision { about: ReportId, timestamp: Timestamp, fault: DecisionFault },
    #[error("complaint of {reporter} about {about}: there is no report")]
    Complaint { reporter: Username, about: ReportId },
    #[error("{}: {fault}", shared_thing(.link.photo.as_ref(), &.link.owner))]
    Link { link: Link, fault: LinkFault },
    /// A target that no link has. Its token opens something, and no owner knows. The message leaves
    /// the token out, because everybody who has it can open the target.
    #[error("target of a {}: no link has it", shared_thing(.target.photo.as_ref(), &.target.owner))]
    LinkTarget { token: LinkToken, target: LinkTarget },
    #[error("pictures of photo {} of {}: {fault}", .photo.id, .photo.author)]
    Pictures { photo: Position, fault: PicturesFault },
    #[error("object {key:?}: {fault}")]
    Object { key: String, modified: i64, fault: ObjectFault },
    #[error("{of}: pending, although its file was uploaded at {}", time(.modified.unsigned_abs(), 1))]
    Upload { of: PictureOf, modified: i64 },
    #[error("photo {} of {}: the bucket lacks {}", .photo.id, .photo.author, .missing.join(" and "))]
    MissingObjects { photo: Position, missing: Vec<String> },
}

impl PhotosFinding {
    /// Returns what a repair does with the finding, and what findings of this kind are, in the plural.
    pub(super) fn effect(&self) -> (Action, &'static str) {
        use Action::{Delete, Erase, Leave, StartAgain, Write};

        match self {
            Self::Deletion { .. } => (StartAgain, "unfinished deletions"),
            Self::Resting { .. } => (StartAgain, "deletions of names under which something is left"),
            Self::OrphanRest { .. } => (Delete, "timers without a deletion"),
            Self::OverdueRest { .. } => (Delete, "timers and deletions that expired a week ago"),
            Self::LostUser { erase: true, .. } => (Erase, "users who are lost"),
            Self::LostUser { erase: false, .. } => (Leave, "users who are lost"),
            Self::Reaction { .. } => (Delete, "reactions to photos that do not exist"),
            Self::Comment { .. } => (Delete, "comments on photos that do not exist"),
            Self::FollowRequest { blocking: None, .. } => (Delete, "requests to follow of users who follow already"),
            Self::FollowRequest { .. } => (Delete, "requests to follow between users of whom one blocks the other"),
            Self::BlockedFriendship { .. } => (Delete, "friendships of users of whom one blocks the other"),
            Self::MutedFriendship { .. } => (Write, "marks of muted friendships"),
            Self::UncountedReaction { .. } | Self::UncountedComment { .. } | Self::UncountedFriendship { .. } => {
                (Write, "reactions, comments and friendships that no count has")
            }
            Self::PinnedComment { .. } => (Write, "pinned comments"),
            Self::Pin { .. } => (Write, "pinned images that do not exist"),
            Self::PinnedPicture { .. } => (Write, "users without the picture of the pinned photo"),
            Self::UserCount { .. }
            | Self::PhotoCount { .. }
            | Self::CommentCount { .. }
            | Self::Report { fault: ReportFault::Count { .. }, .. } => (Write, "wrong counts"),
            Self::Report { fault: ReportFault::Decision, .. } => {
                (Leave, "reports that disagree with their last decision")
            }
            Self::Report { .. } => (Leave, "photos and comments that disagree with their reports"),
            Self::Decision { .. } => (Delete, "decisions without a report, or that expired a week ago"),
            Self::Complaint { .. } => (Delete, "complaints without a report"),
            Self::Link { fault: LinkFault::Target, .. } => (Write, "links without their target"),
            Self::Link { fault: LinkFault::NoPhoto, .. } => (Delete, "links to photos that do not exist"),
            Self::Link { .. } => (Delete, "links that have ended"),
            Self::LinkTarget { .. } => (Delete, "targets that no link has"),
            Self::Ttl { fault: TtlFault::Overdue(_), .. } => (Delete, "pending photos that expired a week ago"),
            Self::Ttl { .. } => (Write, "times at which photos expire"),
            Self::EarlyReactions { .. } => (Leave, "photos with early reactions or comments"),
            Self::Pictures { fault: PicturesFault::NoPhoto, .. } => (Delete, "pictures without their photo"),
            Self::Pictures { fault: PicturesFault::Copy, .. } => {
                (Write, "photos that do not repeat their first picture")
            }
            Self::Pictures { .. } => (Leave, "photos that disagree with their pictures"),
            Self::Object { .. } => (Delete, "objects that no photo needs, to orphans/"),
            Self::Upload { .. } => (StartAgain, "uploads that nobody has processed"),
            Self::MissingObjects { .. } => (Leave, "photos without their objects"),
        }
    }
}

/// Returns what a link opens.
fn shared_thing(photo: Option<&PhotoId>, owner: &Username) -> String {
    photo.map_or_else(|| format!("link to the profile of {owner}"), |photo| format!("link to photo {photo} of {owner}"))
}

/// Returns why the follower has no request or friendship: a block between the two users, or the
/// friendship itself.
fn obstacle(followed: &Username, following: &Username, blocking: Option<&Username>) -> String {
    match blocking {
        None => format!("{following} follows already"),
        Some(blocking) if blocking == followed => format!("{followed} blocks {following}"),
        Some(_) => format!("{following} blocks {followed}"),
    }
}

/// Returns what is left under a name, such as `3 photos, 1 tags`.
fn text(remains: &Remains) -> String {
    remains.iter().map(|(kind, number)| format!("{number} {kind}")).collect::<Vec<_>>().join(", ")
}

/// Returns how the mark of a friendship differs from whether the follower mutes the followed user.
fn mute(followed: &Username, following: &Username, is_muted: bool) -> String {
    if is_muted {
        return format!("not muted, but {following} mutes {followed}");
    }
    format!("muted, but {following} does not mute {followed}")
}
