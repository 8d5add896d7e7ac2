//! The layout of `quick-photos` and the entities that its items hold.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Context as _, bail};
use aws_sdk_dynamodb::types::AttributeValue;
use shared::dynamodb::Item;
use shared::entities::{
    ALERTS_BY_AUTHOR, ALERTS_OF, Alert, Block, COMMENTS_BY_AUTHOR, COMMENTS_BY_LIKES, Comment, Complaint, Decision,
    Deletion, FollowRequest, FollowedHashtags, Friendship, HashtagDecision, HiddenHashtag, INVERTED_INDEX, Key, Kind,
    Like, Link, LinkTarget, MAX_FOLLOWED_HASHTAGS, MAX_PICTURES, MUTED, PK, Photo, PhotoDeletion, Picture,
    PictureDeletion, Pictures, Position, REACTIONS_BY_TIME, REPORTS_BY_STATE, Reaction, Report, Rest, SHARE_PREFIX, SK,
    UNCOUNTED, USER_PREFIX, User, Visitor, Welcome, comment_of_key, comment_of_like, is_in_shard, photo_of_sk,
    reaction_pk, user_of_followed_hashtags,
};
use shared::values::{
    CommentId, Hashtag, Level, LinkToken, MarkedBy, PictureId, PictureNumber, ReactionType, ReportId, Timestamp,
    Username,
};

use crate::audit::finding::{CommentCount, UserCount, UserCounts};
use crate::audit::layout::{Layout, MAX_SORT_KEY_BYTES, check_key, key, keys, parse, take_attribute};

/// A valid item.
#[derive(Debug)]
pub(in crate::audit) enum Entity {
    /// No function can read a negative count, but the audit accepts it here and repairs it.
    User {
        user: Box<User>,
        counts: UserCounts,
    },
    Deletion {
        deletion: Deletion,
        counts: UserCounts,
    },
    PhotoDeletion {
        deletion: PhotoDeletion,
        reactions: BTreeMap<ReactionType, i64>,
        comments: Option<i64>,
    },
    /// The counts are beside it, because a `Photo` has no negative ones.
    Photo {
        photo: Box<Photo>,
        reactions: BTreeMap<ReactionType, i64>,
        comments: Option<i64>,
    },
    Pictures {
        username: Username,
        pictures: Pictures,
    },
    PictureDeletion(PictureDeletion),
    Reaction {
        reacting: Username,
        reaction: ReactionType,
        photo: String,
        is_sharded: bool,
        /// The time of a reaction that the count of its photo does not include yet.
        uncounted: Option<Timestamp>,
    },
    Comment {
        id: CommentId,
        photo: Position,
        /// Whether the count of the photo does not include it yet.
        is_uncounted: bool,
        /// Whether a moderator has removed it.
        is_removed: bool,
        /// Whether it says that the owner of the photo has pinned it.
        is_pinned: bool,
        /// In the order of [`CommentCount::ALL`].
        counts: [i64; CommentCount::ALL.len()],
    },
    CommentDeletion {
        id: CommentId,
        photo: Position,
        since: Timestamp,
        counts: [i64; CommentCount::ALL.len()],
    },
    Like {
        liking: Username,
        comment: CommentId,
        photo: Position,
    },
    Friendship {
        followed: Username,
        following: Username,
        since: Timestamp,
        /// Whether the count of the followed user does not include it yet.
        is_uncounted: bool,
        /// Whether it says that the follower has muted the followed user.
        is_muted: bool,
    },
    FollowRequest {
        asked: Username,
        asking: Username,
    },
    FollowedHashtags {
        user: Username,
        hashtags: BTreeSet<Hashtag>,
    },
    Block {
        blocking: Username,
        blocked: Username,
        level: Level,
    },
    Report {
        report: Box<Report>,
        complaints: i64,
    },
    Decision(Box<Decision>),
    Complaint {
        reporter: Username,
        about: ReportId,
    },
    Link(Link),
    LinkTarget {
        token: LinkToken,
        target: LinkTarget,
    },
    /// An item that is compared with nothing but this user.
    OfUser(Username),
    /// An item that refers to no other one.
    Alone,
    Rest(Rest),
}

impl Layout for Entity {
    const KEY: [&'static str; 2] = [PK, SK];
    const INDEXES: &'static [&'static str] =
        &[INVERTED_INDEX, REACTIONS_BY_TIME, COMMENTS_BY_AUTHOR, COMMENTS_BY_LIKES, ALERTS_BY_AUTHOR, REPORTS_BY_STATE];

    fn parse(item: Item) -> anyhow::Result<Self> {
        parse_entity(item)
    }
}

/// The picture of a photo, as far as the audit compares it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::audit) enum PictureState {
    /// Another program wrote the photo, without files in the bucket.
    #[default]
    None,
    Pending,
    Rejected,
    /// The bucket has the sizes of this picture, the largest of this width. A moderator may have
    /// removed the photo.
    Ready {
        /// The number of one of several.
        number: Option<PictureNumber>,
        id: PictureId,
        width: u32,
    },
}

impl From<Option<Picture>> for PictureState {
    fn from(picture: Option<Picture>) -> Self {
        match picture {
            None | Some(Picture::Removed { sizes: None, .. }) => Self::None,
            Some(Picture::Pending) => Self::Pending,
            Some(Picture::Rejected { .. }) => Self::Rejected,
            Some(Picture::Ready(sizes) | Picture::Removed { sizes: Some(sizes), .. }) => {
                Self::Ready { number: sizes.number, id: sizes.id, width: sizes.width }
            }
        }
    }
}

pub(super) fn parse_entity(mut item: Item) -> anyhow::Result<Entity> {
    let keys = keys::<Entity>(&item);
    let check_key = |expected: Item, entity: &str| check_key::<Entity>(&keys, expected, entity);
    let is_uncounted = item.contains_key(UNCOUNTED);
    match Kind::of(&item) {
        Some(Kind::User) if item.contains_key("erasing") => {
            let counts = take_counts(&mut item)?;
            let deletion: Deletion = parse(item)?;
            check_key(Key::user(&deletion.erasing).into(), "deletion")?;
            Ok(Entity::Deletion { deletion, counts })
        }
        Some(Kind::User) => {
            let (user, counts) = parse_user(item)?;
            check_key(Key::user(&user.username).into(), "user")?;
            Ok(Entity::User { user: Box::new(user), counts })
        }
        Some(Kind::Photo) => {
            let (entity, key) = parse_photo(item)?;
            let name = if matches!(entity, Entity::Photo { .. }) { "photo" } else { "deletion of a photo" };
            check_key(key.into(), name)?;
            Ok(entity)
        }
        Some(kind @ (Kind::Pictures | Kind::PictureDeletion)) => parse_pictures(kind, item),
        Some(Kind::Reaction) => {
            let Reaction { reacting_user: reacting, reaction_type: reaction, photo, timestamp } = parse(item)?;
            let is_sharded = is_in_shard(&keys.1);
            check_key(reaction_key(&reacting, reaction, &photo, is_sharded), "reaction")?;
            let uncounted = is_uncounted.then_some(timestamp);
            Ok(Entity::Reaction { reacting, reaction, photo, is_sharded, uncounted })
        }
        Some(Kind::Comment) => parse_comment(item),
        Some(Kind::Like) => {
            let Ok((comment, owner, photo)) = comment_of_like(&item) else {
                bail!("its key names no comment");
            };
            let Like { liking_user: liking, .. } = parse(item)?;
            check_key(Key::like(&liking, &comment, &owner, &photo).into(), "like")?;
            Ok(Entity::Like { liking, comment, photo: Position { id: photo, author: owner } })
        }
        Some(Kind::Friendship) => {
            let is_muted = item.contains_key(MUTED);
            let Friendship { followed_user: followed, following_user: following, timestamp: since } =
                parse_friendship(item)?;
            check_key(Key::friendship(&followed, &following).into(), "friendship")?;
            Ok(Entity::Friendship { followed, following, since, is_uncounted, is_muted })
        }
        Some(Kind::FollowRequest) => {
            let FollowRequest { asked_user: asked, asking_user: asking, .. } = parse(item)?;
            check_key(Key::follow_request(&asked, &asking).into(), "request to follow")?;
            Ok(Entity::FollowRequest { asked, asking })
        }
        Some(Kind::Alert) => {
            let alert: Alert = parse(item)?;
            check_key(Key::alert(&alert.follower, &alert.position()).into(), "follower's alert")?;
            Ok(Entity::OfUser(alert.follower))
        }
        Some(Kind::Block) => {
            let Block { blocking_user: blocking, blocked_user: blocked, level, .. } = parse(item)?;
            check_key(Key::block(&blocking, &blocked).into(), "block")?;
            Ok(Entity::Block { blocking, blocked, level })
        }
        Some(kind @ (Kind::Report | Kind::Decision | Kind::Complaint)) => parse_of_moderation(kind, item),
        Some(Kind::Link) => {
            let link: Link = parse(item)?;
            check_key(Key::link(&link.owner, link.photo.as_ref()).into(), "link")?;
            Ok(Entity::Link(link))
        }
        Some(Kind::LinkTarget) => {
            let Some(Ok(token)) = keys.0.strip_prefix(SHARE_PREFIX).map(str::parse) else {
                bail!("its key has no token of a link");
            };
            check_key(Key::link_target(&token).into(), "target of a link")?;
            Ok(Entity::LinkTarget { token, target: parse(item)? })
        }
        Some(Kind::Visitor) => {
            let visitor: Visitor = parse(item)?;
            check_key(Key::visitor(&visitor.hash).into(), "visitor")?;
            Ok(Entity::Alone)
        }
        Some(kind @ (Kind::HiddenHashtag | Kind::HashtagDecision | Kind::FollowedHashtags)) => {
            parse_hashtags(kind, item)
        }
        Some(Kind::Rest) => {
            let rest: Rest = parse(item)?;
            check_key(Key::rest(&rest.resting).into(), "rest")?;
            Ok(Entity::Rest(rest))
        }
        Some(Kind::Welcome) => {
            let welcome: Welcome = parse(item)?;
            check_key(Key::welcome(&welcome.subject).into(), "welcome")?;
            Ok(Entity::Alone)
        }
        _ => bail!("its key matches no entity"),
    }
}

/// Returns the pictures of a photo that was made with several, or the tombstone of one of them.
fn parse_pictures(kind: Kind, item: Item) -> anyhow::Result<Entity> {
    let keys = keys::<Entity>(&item);
    if kind == Kind::PictureDeletion {
        let deletion: PictureDeletion = parse(item)?;
        let PictureDeletion { erasing, id, number, .. } = &deletion;
        check_key::<Entity>(&keys, Key::picture_deletion(erasing, id, *number), "deletion of a picture")?;
        return Ok(Entity::PictureDeletion(deletion));
    }
    let Some(Ok(username)) = keys.0.strip_prefix(USER_PREFIX).map(str::parse) else {
        bail!("its key names no user");
    };
    let pictures: Pictures = parse(item)?;
    check_key::<Entity>(&keys, Key::pictures(&username, &pictures.id), "item of pictures")?;
    let numbers: BTreeSet<PictureNumber> = pictures.entries.iter().map(|entry| entry.number).collect();
    if numbers.len() != pictures.entries.len() || numbers.last().is_some_and(|last| *last >= pictures.next) {
        bail!("two of its pictures have the same number, or the next one would have");
    }
    if pictures.entries.is_empty() || pictures.entries.len() > MAX_PICTURES {
        bail!("it has {} pictures, but has to have from 1 to {MAX_PICTURES}", pictures.entries.len());
    }
    Ok(Entity::Pictures { username, pictures })
}

/// Returns a hidden hashtag, a decision about a hashtag, or the hashtags that a user follows.
fn parse_hashtags(kind: Kind, item: Item) -> anyhow::Result<Entity> {
    let keys = keys::<Entity>(&item);
    if kind == Kind::HiddenHashtag {
        let hidden: HiddenHashtag = parse(item)?;
        check_key::<Entity>(&keys, Key::hidden_hashtag(&hidden.hashtag), "hidden hashtag")?;
        return Ok(Entity::Alone);
    }
    if kind == Kind::HashtagDecision {
        let decision: HashtagDecision = parse(item)?;
        let key = Key::hashtag_decision(&decision.hashtag, &decision.timestamp);
        check_key::<Entity>(&keys, key, "decision about a hashtag")?;
        return Ok(Entity::Alone);
    }
    let Ok(user) = user_of_followed_hashtags(&item) else { bail!("its key names no user") };
    check_key::<Entity>(&keys, Key::followed_hashtags(&user), "user's hashtags")?;
    let FollowedHashtags { hashtags } = parse(item)?;
    if hashtags.len() > MAX_FOLLOWED_HASHTAGS {
        bail!("it has {} hashtags, but the maximum is {MAX_FOLLOWED_HASHTAGS}", hashtags.len());
    }
    Ok(Entity::FollowedHashtags { user, hashtags })
}

/// Returns a comment, or the tombstone of one.
fn parse_comment(mut item: Item) -> anyhow::Result<Entity> {
    let Ok((id, owner, photo)) = comment_of_key(&item) else {
        bail!("its attributes are those of a comment, but its key is not");
    };
    let photo = Position { id: photo, author: owner };
    let mut counts = [0; CommentCount::ALL.len()];
    for (stored, count) in counts.iter_mut().zip(CommentCount::ALL) {
        *stored = take_attribute(&mut item, count.attribute())?.unwrap_or_default();
    }
    if item.contains_key("erasing") {
        let since = item.get("since").and_then(|since| since.as_s().ok()?.parse().ok());
        let since = since.context("the tombstone of a comment has no time")?;
        return Ok(Entity::CommentDeletion { id, photo, since, counts });
    }
    let (keys, is_uncounted) = (keys::<Entity>(&item), item.contains_key(UNCOUNTED));
    let comment: Comment = parse(item)?;
    check_key::<Entity>(&keys, Key::comment(&comment.id(), &photo.author, &photo.id), "comment")?;
    let (is_removed, is_pinned) = (comment.removed.is_some(), comment.pinned.is_some());
    Ok(Entity::Comment { id, photo, is_uncounted, is_removed, is_pinned, counts })
}

/// Returns a friendship. The index of those with alerts has it under the followed user or not at all.
fn parse_friendship(mut item: Item) -> anyhow::Result<Friendship> {
    let alerts_of: Option<Username> = take_attribute(&mut item, ALERTS_OF)?;
    let friendship: Friendship = parse(item)?;
    if alerts_of.is_some_and(|author| author != friendship.followed_user) {
        bail!("{ALERTS_OF} is not the followed user");
    }
    Ok(friendship)
}

/// Returns a photo or the deletion of one, and the key that follows from its attributes. The counts
/// are parsed separately, because neither accepts a negative count.
fn parse_photo(mut item: Item) -> anyhow::Result<(Entity, Key)> {
    let comments = take_attribute(&mut item, "comments")?;
    let reactions = take_attribute(&mut item, "reactions")?;
    if item.contains_key("erasing") {
        let deletion: PhotoDeletion = parse(item)?;
        let key = Key::photo(&deletion.erasing, &deletion.id);
        return Ok((Entity::PhotoDeletion { deletion, reactions: reactions.unwrap_or_default(), comments }, key));
    }
    let Some(reactions) = reactions else { bail!("reactions is missing") };
    item.insert("reactions".to_owned(), AttributeValue::M(HashMap::new()));
    let counted = |(reaction, count): (&ReactionType, &i64)| (*reaction, u64::try_from(*count).unwrap_or(0));
    let photo = Photo { reactions: reactions.iter().map(counted).collect(), ..parse(item)? };
    if photo.rejected != matches!(photo.picture, Some(Picture::Rejected { .. })) {
        bail!("its mark that it is rejected is not what its picture says");
    }
    if photo.unready != matches!(photo.picture, Some(Picture::Pending | Picture::Rejected { .. })) {
        bail!("it is unready and its picture was ready, or the other way round");
    }
    match (photo.sensitive, photo.sensitive_by, photo.sensitive_before) {
        (Some(_), Some(MarkedBy::Moderator), _) | (_, None, None) => {}
        _ => bail!("it has a mark of a moderator that no moderator makes"),
    }
    let key = Key::photo(&photo.username, &photo.id);
    Ok((Entity::Photo { photo: Box::new(photo), reactions, comments }, key))
}

/// Returns a user, and the counts, which `User` does not accept if they are negative.
fn parse_user(mut item: Item) -> anyhow::Result<(User, UserCounts)> {
    let counts = take_counts(&mut item)?;
    let user: User = parse(item)?;
    if user.pinned_image.as_ref().is_some_and(|sk| sk.is_empty() || sk.len() > MAX_SORT_KEY_BYTES) {
        bail!("pinnedImage is not a valid sort key");
    }
    Ok((user, counts))
}

/// Returns a report, a decision or a complaint.
fn parse_of_moderation(kind: Kind, item: Item) -> anyhow::Result<Entity> {
    let keys = keys::<Entity>(&item);
    let check_key = |expected: Key, entity: &str| check_key::<Entity>(&keys, expected, entity);
    match kind {
        Kind::Report => {
            let (report, complaints) = parse_report(item)?;
            check_key(Key::report(&report.id), "report")?;
            Ok(Entity::Report { report: Box::new(report), complaints })
        }
        Kind::Decision => {
            let decision: Decision = parse(item)?;
            check_key(Key::decision(&decision.about, &decision.timestamp), "decision")?;
            Ok(Entity::Decision(Box::new(decision)))
        }
        _ => {
            let Complaint { reporter, about, .. } = parse(item)?;
            check_key(Key::complaint(&reporter, &about), "complaint")?;
            Ok(Entity::Complaint { reporter, about })
        }
    }
}

/// Returns a report, and its count, which `Report` does not accept if it is negative.
fn parse_report(mut item: Item) -> anyhow::Result<(Report, i64)> {
    let complaints = take_attribute(&mut item, "complaints")?.unwrap_or_default();
    item.insert("complaints".to_owned(), AttributeValue::N("0".to_owned()));
    Ok((parse(item)?, complaints))
}

/// Takes the counts out of the item of a user or a deletion.
fn take_counts(item: &mut Item) -> anyhow::Result<UserCounts> {
    let stored = UserCount::ALL.map(|count| Ok((count, take_attribute(item, count.attribute())?)));
    let stored = stored.into_iter().collect::<anyhow::Result<Vec<_>>>()?;
    Ok(stored.into_iter().filter_map(|(count, stored)| Some((count, stored?))).collect())
}

/// Returns the key of a reaction to the photo with the sort key `photo`. Another program may have
/// written a reaction whose sort key is not that of a photo, which is in no shard.
pub(super) fn reaction_key(reacting: &Username, reaction: ReactionType, photo: &str, is_sharded: bool) -> Item {
    match photo_of_sk(photo) {
        Ok((owner, photo)) if is_sharded => Key::reaction(reacting, reaction, &owner, &photo).sharded().into(),
        _ => key::<Entity>((reaction_pk(reacting, reaction), photo.to_owned())),
    }
}
