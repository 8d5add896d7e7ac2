//! The findings in `quick-photos`.

mod counts;
mod faults;

use std::collections::BTreeMap;

use shared::entities::{Link, LinkTarget, PhotoDeletion, PictureDeletion, PinnedPicture};
use shared::values::{CommentId, LinkToken, PhotoId, PictureNumber, ReactionType, ReportId, Timestamp, Username};
use thiserror::Error;

use super::action::Action;
use super::stored_count::stored_count;

pub(in crate::audit) use counts::UserCounts;
pub use counts::{CommentCount, PhotoCount, UserCount};
use faults::time;
pub use faults::{DecisionFault, LinkFault, ObjectFault, PicturesFault, ReportFault, TtlFault};

/// The remains of a user under the username: the number of items and objects of each kind, in the
/// plural.
pub type Remains = BTreeMap<&'static str, i64>;

/// A defect in `quick-photos`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PhotosFinding {
    /// A user's deletion that is not finished.
    #[error("deletion of {username}: unfinished since {since}")]
    Deletion {
        /// The user that is being deleted.
        username: Username,
        /// The time of the deletion.
        since: Timestamp,
    },
    /// Items or objects of a deleted user, whose deletion is finished.
    #[error("deletion of {username}: finished since {since}, but there are {}", text(.remains))]
    Resting {
        /// The name, which rests.
        username: Username,
        /// The time of the deletion.
        since: Timestamp,
        /// The items and objects that are left.
        remains: Remains,
    },
    /// The timer of a deleted name, which has no deletion.
    #[error("rest of {username}: there is no deletion of {since}")]
    OrphanRest {
        /// The name.
        username: Username,
        /// The time of the deletion that the timer belonged to.
        since: Timestamp,
    },
    /// The timer or the deletion of a deleted name that DynamoDB should have deleted a week ago.
    #[error(
        "{} of {username}: expired at {}, but it is not deleted",
        if *.is_deletion { "deletion" } else { "rest" },
        time(*.ttl, 1000)
    )]
    OverdueRest {
        /// The name.
        username: Username,
        /// Whether it is the deletion.
        is_deletion: bool,
        /// The time at which it expired, in seconds since 1970.
        ttl: u64,
    },
    /// Items of a user who does not exist and was not deleted: the user's own item is lost.
    #[error("user {username}: does not exist, but there are {}", text(.remains))]
    LostUser {
        /// The user.
        username: Username,
        /// The items.
        remains: Remains,
        /// Whether a repair erases them.
        erase: bool,
    },
    /// A photo's deletion that is not finished.
    #[error("deletion of photo {} of {}: unfinished since {}", .0.id, .0.erasing, .0.since)]
    PhotoDeletion(PhotoDeletion),
    /// A reaction without its photo.
    #[error("reaction {reaction} of {reacting} to {photo:?}: the photo does not exist")]
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
    #[error("reaction {reaction} of {reacting} to photo {photo} of {username}: not counted since {since}")]
    UncountedReaction {
        /// The user who reacted.
        reacting: Username,
        /// The type of the reaction.
        reaction: ReactionType,
        /// The owner of the photo.
        username: Username,
        /// The id of the photo.
        photo: PhotoId,
        /// Whether it is in a shard of the photo.
        is_sharded: bool,
        /// The time of the reaction.
        since: Timestamp,
    },
    /// A comment without its photo.
    #[error("comment {id} on photo {photo} of {username}: the photo does not exist")]
    Comment {
        /// The id of the comment.
        id: CommentId,
        /// The owner of the photo.
        username: Username,
        /// The id of the photo.
        photo: PhotoId,
        /// Whether the count of the photo did not include it yet.
        is_uncounted: bool,
    },
    /// A deletion of a comment, which waits for its replies and likes, that is not finished.
    #[error("deletion of comment {id} on photo {photo} of {username}: unfinished since {since}")]
    CommentDeletion {
        /// The id of the comment.
        id: CommentId,
        /// The owner of the photo.
        username: Username,
        /// The id of the photo.
        photo: PhotoId,
        /// The time of the deletion.
        since: Timestamp,
    },
    /// A comment that only itself or only its photo says to be pinned.
    #[error("comment {id} on photo {photo} of {username}: only the {} says that it is pinned", if *.of_photo { "photo" } else { "comment" })]
    PinnedComment {
        /// The id of the comment.
        id: CommentId,
        /// The owner of the photo.
        username: Username,
        /// The id of the photo.
        photo: PhotoId,
        /// Whether the photo says it.
        of_photo: bool,
    },
    /// A wrong count of a comment, or what a comment counted that is gone.
    #[error("comment {id} on photo {photo} of {username}: it counts {} {}, but there are {actual}", stored_count(*.stored), .count.attribute())]
    CommentCount {
        /// The id of the comment.
        id: CommentId,
        /// The owner of the photo.
        username: Username,
        /// The id of the photo.
        photo: PhotoId,
        /// The count that is wrong.
        count: CommentCount,
        /// The count in the item, or `None` if the comment is gone.
        stored: Option<i64>,
        /// The number of these.
        actual: i64,
    },
    /// A comment that has not been added to the count of its photo for long.
    #[error("comment {id} on photo {photo} of {username}: not counted since {}", .id.timestamp)]
    UncountedComment {
        /// The id of the comment.
        id: CommentId,
        /// The owner of the photo.
        username: Username,
        /// The id of the photo.
        photo: PhotoId,
    },
    /// A friendship that has not been added to the count of the followed user for long.
    #[error("friendship of {following}, who follows {followed}: not counted since {since}")]
    UncountedFriendship {
        /// The user who is followed.
        followed: Username,
        /// The user who follows.
        following: Username,
        /// The time of the friendship.
        since: Timestamp,
    },
    /// A request to follow beside the friendship of the same users, or beside a block between them.
    #[error("request of {asking} to follow {asked}: {}", obstacle(.asked, .asking, .blocking.as_ref()))]
    FollowRequest {
        /// The user who is asked.
        asked: Username,
        /// The user who asks.
        asking: Username,
        /// The one of the two who blocks the other, or `None` if it is beside the friendship.
        blocking: Option<Username>,
    },
    /// A friendship beside a block between the same users.
    #[error("friendship of {following}, who follows {followed}: {}", obstacle(.followed, .following, Some(.blocking)))]
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
    #[error("friendship of {following}, who follows {followed}: {}", mute(.followed, .following, *.is_muted))]
    MutedFriendship {
        /// The user who is followed.
        followed: Username,
        /// The user who follows.
        following: Username,
        /// Whether the follower mutes the followed user.
        is_muted: bool,
    },
    /// A user who does not have the picture of the pinned photo.
    #[error(
        "user {username}: the picture of the pinned image {photo:?} {}",
        if .picture.is_some() { "is missing or another one" } else { "must not be shown" }
    )]
    PinnedPicture {
        /// The user with the pinned image.
        username: Username,
        /// The sort key of the pinned photo.
        photo: String,
        /// The picture of the photo, if it has one.
        picture: Option<PinnedPicture>,
    },
    /// A pinned image that is not a photo of the user.
    #[error("user {username}: the pinned image {photo:?} does not exist")]
    Pin {
        /// The user with the pinned image.
        username: Username,
        /// The sort key of the pinned photo.
        photo: String,
    },
    /// A wrong count of a user.
    #[error("user {username}: {} is {}, but should be {actual}", .count.attribute(), stored_count(*.stored))]
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
    #[error("photo {photo} of {username}: {count} is {}, but should be {actual}", stored_count(*.stored))]
    PhotoCount {
        /// The owner of the photo.
        username: Username,
        /// The id of the photo.
        photo: PhotoId,
        /// The count that is wrong.
        count: PhotoCount,
        /// The count in the item.
        stored: Option<i64>,
        /// The number of reactions or comments that the count has to match.
        actual: i64,
    },
    /// A `ttl` that is not as the picture of the photo requires.
    #[error("photo {photo} of {username}: {fault}")]
    Ttl {
        /// The owner of the photo.
        username: Username,
        /// The id of the photo.
        photo: PhotoId,
        /// The difference.
        fault: TtlFault,
    },
    /// Reactions to a photo whose picture has never been ready, or comments on it. add-reaction and
    /// add-comment reject them.
    #[error("photo {photo} of {username}: not ready, but it has {responses} reactions and comments")]
    EarlyReactions {
        /// The owner of the photo.
        username: Username,
        /// The id of the photo.
        photo: PhotoId,
        /// The number of reactions and comments.
        responses: i64,
    },
    /// A report that does not agree with its complaints, or with what it is about.
    #[error("report {id}: {fault}")]
    Report {
        /// The id of the report.
        id: ReportId,
        /// The error.
        fault: ReportFault,
    },
    /// A decision without its report, or that has expired.
    #[error("decision of {timestamp} about {about}: {fault}")]
    Decision {
        /// The id of the report.
        about: ReportId,
        /// The time of the decision.
        timestamp: Timestamp,
        /// The error.
        fault: DecisionFault,
    },
    /// A complaint without its report.
    #[error("complaint of {reporter} about {about}: there is no report")]
    Complaint {
        /// The user who complains.
        reporter: Username,
        /// The id of the report.
        about: ReportId,
    },
    /// A link that does not agree with its target, or that should be gone.
    #[error("{}: {fault}", shared_thing(.link.photo.as_ref(), &.link.owner))]
    Link {
        /// The link.
        link: Link,
        /// The error.
        fault: LinkFault,
    },
    /// A target that no link has. Its token opens something, and no owner knows. The message leaves
    /// the token out, because everybody who has it can open the target.
    #[error("target of a {}: no link has it", shared_thing(.target.photo.as_ref(), &.target.owner))]
    LinkTarget {
        /// The token.
        token: LinkToken,
        /// The target.
        target: LinkTarget,
    },
    /// Pictures of a photo that was made with several that do not agree with the photo.
    #[error("pictures of photo {photo} of {username}: {fault}")]
    Pictures {
        /// The owner of the photo.
        username: Username,
        /// The id of the photo.
        photo: PhotoId,
        /// The error.
        fault: PicturesFault,
    },
    /// The deletion of one of several pictures that is not finished.
    #[error("deletion of picture {} of photo {} of {}: unfinished since {}", .0.number, .0.id, .0.erasing, .0.since)]
    PictureDeletion(PictureDeletion),
    /// An object that no photo needs.
    #[error("object {key:?}: {fault}")]
    Object {
        /// The object's key.
        key: String,
        /// The time of the newest version, in milliseconds since 1970.
        modified: i64,
        /// The reason why no photo needs it.
        fault: ObjectFault,
    },
    /// An uploaded file whose photo is still pending, long after the event of the upload.
    #[error(
        "{}photo {photo} of {username}: pending, although its file was uploaded at {}",
        .number.map(|number| format!("picture {number} of ")).unwrap_or_default(),
        time(.modified.unsigned_abs(), 1)
    )]
    Upload {
        /// The owner of the photo.
        username: Username,
        /// The id of the photo.
        photo: PhotoId,
        /// The number of one of several pictures.
        number: Option<PictureNumber>,
        /// The time of the upload, in milliseconds since 1970.
        modified: i64,
    },
    /// A photo that shows objects that do not exist.
    #[error("photo {photo} of {username}: the bucket lacks {}", .missing.join(" and "))]
    MissingObjects {
        /// The owner of the photo.
        username: Username,
        /// The id of the photo.
        photo: PhotoId,
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
            | Self::Decision { .. }
            | Self::Complaint { .. }
            | Self::Link { fault: LinkFault::NoPhoto | LinkFault::Ended(_) | LinkFault::Overdue(_), .. }
            | Self::LinkTarget { .. }
            | Self::Pictures { fault: PicturesFault::NoPhoto, .. }
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
            | Self::CommentCount { .. }
            | Self::PinnedComment { .. }
            | Self::Report { fault: ReportFault::Count { .. }, .. }
            | Self::Link { fault: LinkFault::Target, .. }
            | Self::Pictures { fault: PicturesFault::Copy, .. }
            | Self::Ttl { .. } => Action::Write,
            Self::Deletion { .. }
            | Self::Resting { .. }
            | Self::PhotoDeletion(_)
            | Self::CommentDeletion { .. }
            | Self::PictureDeletion(_)
            | Self::Upload { .. } => Action::StartAgain,
            Self::LostUser { erase: false, .. }
            | Self::Report { .. }
            | Self::EarlyReactions { .. }
            | Self::Pictures { .. }
            | Self::MissingObjects { .. } => Action::Leave,
        }
    }

    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Deletion { .. }
            | Self::PhotoDeletion(_)
            | Self::CommentDeletion { .. }
            | Self::PictureDeletion(_) => "unfinished deletions",
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
            Self::PinnedComment { .. } => "pinned comments",
            Self::Pin { .. } => "pinned images that do not exist",
            Self::PinnedPicture { .. } => "users without the picture of the pinned photo",
            Self::UserCount { .. }
            | Self::PhotoCount { .. }
            | Self::CommentCount { .. }
            | Self::Report { fault: ReportFault::Count { .. }, .. } => "wrong counts",
            Self::Decision { .. } => "decisions without a report, or that expired a week ago",
            Self::Complaint { .. } => "complaints without a report",
            Self::Link { fault: LinkFault::Target, .. } => "links without their target",
            Self::Link { fault: LinkFault::NoPhoto, .. } => "links to photos that do not exist",
            Self::Link { .. } => "links that have ended",
            Self::LinkTarget { .. } => "targets that no link has",
            Self::Report { fault: ReportFault::Decision, .. } => "reports that disagree with their last decision",
            Self::Report { .. } => "photos and comments that disagree with their reports",
            Self::Ttl { fault: TtlFault::Overdue(_), .. } => "pending photos that expired a week ago",
            Self::Ttl { .. } => "times at which photos expire",
            Self::EarlyReactions { .. } => "photos with early reactions or comments",
            Self::Pictures { fault: PicturesFault::NoPhoto, .. } => "pictures without their photo",
            Self::Pictures { fault: PicturesFault::Copy, .. } => "photos that do not repeat their first picture",
            Self::Pictures { .. } => "photos that disagree with their pictures",
            Self::Object { .. } => "objects that no photo needs, to orphans/",
            Self::Upload { .. } => "uploads that nobody has processed",
            Self::MissingObjects { .. } => "photos without their objects",
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
