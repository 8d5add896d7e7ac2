//! The layout of `quick-photos` and the entities that its items hold.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Context as _, bail};
use aws_sdk_dynamodb::types::AttributeValue;
use serde::de::DeserializeOwned;
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
    match Kind::of(&item) {
        Some(Kind::User) if item.contains_key("erasing") => {
            let counts = take_counts(&mut item)?;
            let deletion = parse_keyed(item, |deletion: &Deletion| Key::user(&deletion.erasing), "deletion")?;
            Ok(Entity::Deletion { deletion, counts })
        }
        Some(Kind::User) => {
            let counts = take_counts(&mut item)?;
            let user = parse_keyed(item, |user: &User| Key::user(&user.username), "user")?;
            if user.pinned_image.as_ref().is_some_and(|sk| sk.is_empty() || sk.len() > MAX_SORT_KEY_BYTES) {
                bail!("pinnedImage is not a valid sort key");
            }
            Ok(Entity::User { user: Box::new(user), counts })
        }
        Some(Kind::Photo) => parse_photo(item),
        Some(Kind::Pictures) => parse_pictures(item),
        Some(Kind::PictureDeletion) => {
            let key =
                |deletion: &PictureDeletion| Key::picture_deletion(&deletion.erasing, &deletion.id, deletion.number);
            Ok(Entity::PictureDeletion(parse_keyed(item, key, "deletion of a picture")?))
        }
        Some(Kind::Reaction) => {
            let (is_sharded, is_uncounted) = (is_in_shard(&keys.1), item.contains_key(UNCOUNTED));
            let key = |reaction: &Reaction| {
                reaction_key(&reaction.reacting_user, reaction.reaction_type, &reaction.photo, is_sharded)
            };
            let Reaction { reacting_user: reacting, reaction_type: reaction, photo, timestamp } =
                parse_keyed(item, key, "reaction")?;
            let uncounted = is_uncounted.then_some(timestamp);
            Ok(Entity::Reaction { reacting, reaction, photo, is_sharded, uncounted })
        }
        Some(Kind::Comment) => parse_comment(item),
        Some(Kind::Like) => {
            let Ok((comment, owner, photo)) = comment_of_like(&item) else {
                bail!("its key names no comment");
            };
            let key = |like: &Like| Key::like(&like.liking_user, &comment, &owner, &photo);
            let Like { liking_user: liking, .. } = parse_keyed(item, key, "like")?;
            Ok(Entity::Like { liking, comment, photo: Position { id: photo, author: owner } })
        }
        Some(Kind::Friendship) => parse_friendship(item),
        Some(Kind::FollowRequest) => {
            let key = |request: &FollowRequest| Key::follow_request(&request.asked_user, &request.asking_user);
            let FollowRequest { asked_user: asked, asking_user: asking, .. } =
                parse_keyed(item, key, "request to follow")?;
            Ok(Entity::FollowRequest { asked, asking })
        }
        Some(Kind::Alert) => {
            let key = |alert: &Alert| Key::alert(&alert.follower, &alert.position());
            Ok(Entity::OfUser(parse_keyed(item, key, "follower's alert")?.follower))
        }
        Some(Kind::Block) => {
            let key = |block: &Block| Key::block(&block.blocking_user, &block.blocked_user);
            let Block { blocking_user: blocking, blocked_user: blocked, level, .. } = parse_keyed(item, key, "block")?;
            Ok(Entity::Block { blocking, blocked, level })
        }
        Some(Kind::Report) => parse_report(item),
        Some(Kind::Decision) => {
            let key = |decision: &Decision| Key::decision(&decision.about, &decision.timestamp);
            Ok(Entity::Decision(Box::new(parse_keyed(item, key, "decision")?)))
        }
        Some(Kind::Complaint) => {
            let key = |complaint: &Complaint| Key::complaint(&complaint.reporter, &complaint.about);
            let Complaint { reporter, about, .. } = parse_keyed(item, key, "complaint")?;
            Ok(Entity::Complaint { reporter, about })
        }
        Some(Kind::Link) => {
            let key = |link: &Link| Key::link(&link.owner, link.photo.as_ref());
            Ok(Entity::Link(parse_keyed(item, key, "link")?))
        }
        Some(Kind::LinkTarget) => {
            let Some(Ok(token)) = keys.0.strip_prefix(SHARE_PREFIX).map(str::parse) else {
                bail!("its key has no token of a link");
            };
            let target = parse_keyed(item, |_: &LinkTarget| Key::link_target(&token), "target of a link")?;
            Ok(Entity::LinkTarget { token, target })
        }
        Some(Kind::Visitor) => {
            parse_keyed(item, |visitor: &Visitor| Key::visitor(&visitor.hash), "visitor")?;
            Ok(Entity::Alone)
        }
        Some(Kind::HiddenHashtag) => {
            parse_keyed(item, |hidden: &HiddenHashtag| Key::hidden_hashtag(&hidden.hashtag), "hidden hashtag")?;
            Ok(Entity::Alone)
        }
        Some(Kind::HashtagDecision) => {
            let key = |decision: &HashtagDecision| Key::hashtag_decision(&decision.hashtag, &decision.timestamp);
            parse_keyed(item, key, "decision about a hashtag")?;
            Ok(Entity::Alone)
        }
        Some(Kind::FollowedHashtags) => parse_followed_hashtags(item),
        Some(Kind::Rest) => Ok(Entity::Rest(parse_keyed(item, |rest: &Rest| Key::rest(&rest.resting), "rest")?)),
        Some(Kind::Welcome) => {
            parse_keyed(item, |welcome: &Welcome| Key::welcome(&welcome.subject), "welcome")?;
            Ok(Entity::Alone)
        }
        _ => bail!("its key matches no entity"),
    }
}

/// Parses the attributes of an item, and checks that it has the key that follows from them.
fn parse_keyed<T: DeserializeOwned, K: Into<Item>>(
    item: Item,
    key: impl Fn(&T) -> K,
    entity: &str,
) -> anyhow::Result<T> {
    let keys = keys::<Entity>(&item);
    let parsed = parse(item)?;
    check_key::<Entity>(&keys, key(&parsed), entity)?;
    Ok(parsed)
}

/// Returns the pictures of a photo that was made with several.
fn parse_pictures(item: Item) -> anyhow::Result<Entity> {
    let Some(Ok(username)) = keys::<Entity>(&item).0.strip_prefix(USER_PREFIX).map(str::parse) else {
        bail!("its key names no user");
    };
    let key = |pictures: &Pictures| Key::pictures(&username, &pictures.id);
    let pictures = parse_keyed(item, key, "item of pictures")?;
    let numbers: BTreeSet<PictureNumber> = pictures.entries.iter().map(|entry| entry.number).collect();
    if numbers.len() != pictures.entries.len() || numbers.last().is_some_and(|last| *last >= pictures.next) {
        bail!("two of its pictures have the same number, or the next one would have");
    }
    if pictures.entries.is_empty() || pictures.entries.len() > MAX_PICTURES {
        bail!("it has {} pictures, but has to have from 1 to {MAX_PICTURES}", pictures.entries.len());
    }
    Ok(Entity::Pictures { username, pictures })
}

/// Returns the hashtags that a user follows.
fn parse_followed_hashtags(item: Item) -> anyhow::Result<Entity> {
    let Ok(user) = user_of_followed_hashtags(&item) else { bail!("its key names no user") };
    let key = |_: &FollowedHashtags| Key::followed_hashtags(&user);
    let FollowedHashtags { hashtags } = parse_keyed(item, key, "user's hashtags")?;
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
    let is_uncounted = item.contains_key(UNCOUNTED);
    let key = |comment: &Comment| Key::comment(&comment.id(), &photo.author, &photo.id);
    let comment = parse_keyed(item, key, "comment")?;
    let (is_removed, is_pinned) = (comment.removed.is_some(), comment.pinned.is_some());
    Ok(Entity::Comment { id, photo, is_uncounted, is_removed, is_pinned, counts })
}

/// Returns a friendship. The index of those with alerts has it under the followed user or not at all.
fn parse_friendship(mut item: Item) -> anyhow::Result<Entity> {
    let (is_uncounted, is_muted) = (item.contains_key(UNCOUNTED), item.contains_key(MUTED));
    let alerts_of: Option<Username> = take_attribute(&mut item, ALERTS_OF)?;
    let key = |friendship: &Friendship| Key::friendship(&friendship.followed_user, &friendship.following_user);
    let Friendship { followed_user: followed, following_user: following, timestamp: since } =
        parse_keyed(item, key, "friendship")?;
    if alerts_of.is_some_and(|author| author != followed) {
        bail!("{ALERTS_OF} is not the followed user");
    }
    Ok(Entity::Friendship { followed, following, since, is_uncounted, is_muted })
}

/// Returns a photo or the deletion of one. The counts are parsed separately, because neither accepts a negative
/// count.
fn parse_photo(mut item: Item) -> anyhow::Result<Entity> {
    let comments = take_attribute(&mut item, "comments")?;
    let reactions = take_attribute(&mut item, "reactions")?;
    if item.contains_key("erasing") {
        let key = |deletion: &PhotoDeletion| Key::photo(&deletion.erasing, &deletion.id);
        let deletion = parse_keyed(item, key, "deletion of a photo")?;
        return Ok(Entity::PhotoDeletion { deletion, reactions: reactions.unwrap_or_default(), comments });
    }
    let Some(reactions) = reactions else { bail!("reactions is missing") };
    item.insert("reactions".to_owned(), AttributeValue::M(HashMap::new()));
    let counted = |(reaction, count): (&ReactionType, &i64)| (*reaction, u64::try_from(*count).unwrap_or(0));
    let photo = parse_keyed(item, |photo: &Photo| Key::photo(&photo.username, &photo.id), "photo")?;
    let photo = Photo { reactions: reactions.iter().map(counted).collect(), ..photo };
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
    Ok(Entity::Photo { photo: Box::new(photo), reactions, comments })
}

/// Returns a report. The count is parsed separately, because `Report` does not accept a negative one.
fn parse_report(mut item: Item) -> anyhow::Result<Entity> {
    let complaints = take_attribute(&mut item, "complaints")?.unwrap_or_default();
    item.insert("complaints".to_owned(), AttributeValue::N("0".to_owned()));
    let report = parse_keyed(item, |report: &Report| Key::report(&report.id), "report")?;
    Ok(Entity::Report { report: Box::new(report), complaints })
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
