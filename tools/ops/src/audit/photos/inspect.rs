//! Inspects candidates, and finds the reactions to a photo that does not exist and the comments on
//! it.

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Deserialize;
use shared::Table;
use shared::dynamodb::Item;
use shared::entities::{
    COMMENT_PREFIX, INVERTED_INDEX, Key, LIKE_PREFIX, PhotoDeletion, Picture, PictureDeletion, PinnedPicture, Position,
    REACTION_PREFIX, UNCOUNTED, USER_PREFIX, comment_of_key, complaint_sk, from_inverted_index, is_in_shard, likes_sk,
    photo_from_item, photo_of_sk, photo_sk, reaction_sks, replies_prefix, replies_sk, user_pk,
};
use shared::values::{CommentId, Level, PhotoId, ReactionType, ReportId, ReportState, Timestamp, Username};

use super::candidate::Candidate;
use super::decisions::Decided;
use super::entity::{Entity, parse_entity, reaction_key};
use super::names::counted_by;
use super::photos_check::PhotosCheck;
use super::user_state::{UserState, user_state};
use super::{decisions, links, names, objects, several, ttl, uncounted};
use crate::audit::error::Error;
use crate::audit::finding::{CommentCount, PhotoCount, PhotosFinding, ReportFault, UserCount};
use crate::audit::layout::key;
use crate::audit::read::{self, count, get};

/// The state of the photo that a reaction refers to.
#[derive(Debug, PartialEq, Eq)]
enum PhotoState {
    Absent,
    /// The photo, or its deletion.
    Present(Position),
    /// An item exists with the photo's sort key, but it is not a valid photo.
    Malformed,
}

/// Returns the defect of a candidate at this moment, if it has one. The items of a user whose
/// deletion is in progress have no defect, because finish-deletion deletes them, and those of a
/// user who does not exist are one finding together.
pub(super) async fn inspect(photos: &PhotosCheck<'_>, candidate: &Candidate) -> Result<Option<PhotosFinding>, Error> {
    let PhotosCheck { table, bucket, uncounted_before, .. } = photos;
    match (candidate, bucket) {
        (Candidate::Name(username), _) => names::inspect(photos, username).await,
        (Candidate::Deletion(key), _) => deletion(photos, key).await,
        (Candidate::Reaction { reacting, reaction, photo, is_sharded }, _) => {
            reaction_to_photo(table, reacting, *reaction, photo, *is_sharded, uncounted_before).await
        }
        (Candidate::Comment(id, photo), _) => comment_on_photo(table, id, photo, uncounted_before).await,
        (Candidate::PinnedComment(id, photo), _) => pinned_comment(table, id, photo).await,
        (Candidate::CommentCount(id, photo, count), _) => comment_count(table, id, photo, *count).await,
        (Candidate::Friendship { followed, following }, _) => {
            friendship(table, followed, following, uncounted_before).await
        }
        (Candidate::FollowRequest { asked, asking }, _) => follow_request(table, asked, asking).await,
        (Candidate::Report(id), _) => report(table, id).await,
        (Candidate::Decision(about, time), _) => decisions::inspect(table, about, time).await,
        (Candidate::Complaint { reporter, about }, _) => {
            let exists = get(table, Key::complaint(reporter, about)).await?.is_some();
            let is_orphan = exists && get(table, Key::report(about)).await?.is_none();
            let (reporter, about) = (reporter.clone(), about.clone());
            Ok(is_orphan.then_some(PhotosFinding::Complaint { reporter, about }))
        }
        (Candidate::Link(owner, photo), _) => links::inspect(photos, owner, photo.as_ref()).await,
        (Candidate::LinkTarget(token), _) => links::inspect_target(table, token).await,
        (Candidate::Pin(username), _) => pin(table, username).await,
        (Candidate::UserCount(username, count), _) => user_count(table, username, *count).await,
        (Candidate::PhotoCount(photo, count), _) => photo_count(table, photo, *count).await,
        (Candidate::Ttl(photo), _) => ttl::inspect(table, photo).await,
        (Candidate::EarlyReactions(photo), _) => early_reactions(table, photo).await,
        (Candidate::Pictures(photo), _) => several::inspect(table, photo).await,
        (Candidate::Object(key), Some(bucket)) => {
            objects::inspect(table, bucket, key, photos.options.min_object_age).await
        }
        (Candidate::Picture(photo), Some(bucket)) => objects::inspect_picture(table, bucket, photo).await,
        // Without a bucket there are no such candidates.
        (Candidate::Picture(..) | Candidate::Object(_), None) => Ok(None),
    }
}

/// Returns the deletion of a photo, a comment or a picture that has not been finished for long.
async fn deletion(photos: &PhotosCheck<'_>, key: &Key) -> Result<Option<PhotosFinding>, Error> {
    let (of, since) = match read::entity(&photos.table, key.clone()).await? {
        Some(Ok(Entity::PhotoDeletion { deletion: PhotoDeletion { erasing, id, since, ttl: None, .. }, .. })) => {
            (format!("photo {id} of {erasing}"), since)
        }
        Some(Ok(Entity::CommentDeletion { id, photo, since, .. })) => {
            (format!("comment {id} on photo {} of {}", photo.id, photo.author), since)
        }
        Some(Ok(Entity::PictureDeletion(PictureDeletion { erasing, id, number, since })))
            if user_state(&photos.table, &erasing).await? == UserState::Present =>
        {
            (format!("picture {number} of photo {id} of {erasing}"), since)
        }
        _ => return Ok(None),
    };
    let is_unfinished = since.as_ref() <= photos.unfinished_before.as_ref();
    Ok(is_unfinished.then(|| PhotosFinding::Deletion { of, key: key.clone(), since }))
}

async fn reaction_to_photo(
    table: &Table,
    reacting: &Username,
    reaction: ReactionType,
    photo: &str,
    is_sharded: bool,
    uncounted_before: &Timestamp,
) -> Result<Option<PhotosFinding>, Error> {
    let Some(item) = get(table, reaction_key(reacting, reaction, photo, is_sharded)).await? else {
        return Ok(None);
    };
    let is_uncounted = item.contains_key(UNCOUNTED);
    let user = user_state(table, reacting).await?;
    let photo_state = find_photo(table, photo).await?;
    if user != UserState::Present {
        return Ok(None);
    }
    let reacting = reacting.clone();
    match photo_state {
        PhotoState::Absent => {
            Ok(Some(PhotosFinding::Reaction { reacting, reaction, photo: photo.to_owned(), is_sharded, is_uncounted }))
        }
        PhotoState::Present(photo) => Ok(match parse_entity(item) {
            Ok(Entity::Reaction { uncounted: Some(since), .. }) if since.as_ref() <= uncounted_before.as_ref() => {
                Some(PhotosFinding::UncountedReaction { reacting, reaction, photo, is_sharded, since })
            }
            _ => None,
        }),
        PhotoState::Malformed => Ok(None),
    }
}

async fn comment_on_photo(
    table: &Table,
    id: &CommentId,
    photo: &Position,
    uncounted_before: &Timestamp,
) -> Result<Option<PhotosFinding>, Error> {
    let Some(item) = get(table, Key::comment(id, &photo.author, &photo.id)).await? else {
        return Ok(None);
    };
    // finish-deletion deletes a tombstone.
    if item.contains_key("erasing") || user_state(table, &id.author).await? != UserState::Present {
        return Ok(None);
    }
    let is_uncounted = item.contains_key(UNCOUNTED);
    let has_photo = get(table, Key::photo(&photo.author, &photo.id)).await?.is_some();
    let is_old = id.timestamp.as_ref() <= uncounted_before.as_ref();
    let (id, photo) = (id.clone(), photo.clone());
    Ok(match has_photo {
        false => Some(PhotosFinding::Comment { id, photo }),
        true if is_uncounted && is_old => Some(PhotosFinding::UncountedComment { id, photo }),
        true => None,
    })
}

async fn friendship(
    table: &Table,
    followed: &Username,
    following: &Username,
    uncounted_before: &Timestamp,
) -> Result<Option<PhotosFinding>, Error> {
    let Some(Ok(Entity::Friendship { since, is_uncounted, is_muted: says_muted, .. })) =
        read::entity(table, Key::friendship(followed, following)).await?
    else {
        return Ok(None);
    };
    let states = [user_state(table, followed).await?, user_state(table, following).await?];
    if states != [UserState::Present, UserState::Present] {
        return Ok(None);
    }
    let blocking = blocking(table, followed, following).await?;
    let is_muted = level(table, following, followed).await? == Some(Level::Mute);
    let (followed, following) = (followed.clone(), following.clone());
    Ok(match blocking {
        Some(blocking) => Some(PhotosFinding::BlockedFriendship { followed, following, blocking, is_uncounted }),
        None if is_muted != says_muted => Some(PhotosFinding::MutedFriendship { followed, following, is_muted }),
        None if is_uncounted && since.as_ref() <= uncounted_before.as_ref() => {
            Some(PhotosFinding::UncountedFriendship { followed, following, since })
        }
        None => None,
    })
}

/// Returns what a user does to keep another one away.
async fn level(table: &Table, blocking: &Username, blocked: &Username) -> Result<Option<Level>, Error> {
    Ok(match read::entity(table, Key::block(blocking, blocked)).await? {
        Some(Ok(Entity::Block { level, .. })) => Some(level),
        _ => None,
    })
}

/// Returns the one of two users who blocks the other.
async fn blocking(table: &Table, one: &Username, other: &Username) -> Result<Option<Username>, Error> {
    for (blocking, blocked) in [(one, other), (other, one)] {
        if level(table, blocking, blocked).await? == Some(Level::Block) {
            return Ok(Some(blocking.clone()));
        }
    }
    Ok(None)
}

async fn pin(table: &Table, username: &Username) -> Result<Option<PhotosFinding>, Error> {
    let Some(Entity::User { user, .. }) = user(table, username).await? else { return Ok(None) };
    let Some(photo) = user.pinned_image else { return Ok(None) };
    let username = user.username;
    let Some(item) = get(table, key::<Entity>((user_pk(&username), photo.clone()))).await? else {
        return Ok(Some(PhotosFinding::Pin { username, photo }));
    };
    // Somebody can repair a malformed photo.
    let Ok(Some(pinned)) = photo_from_item(item) else { return Ok(None) };
    let shown = pinned.picture.as_ref().filter(|_| pinned.may_be_pinned());
    let picture = shown.and_then(Picture::sizes).cloned().map(PinnedPicture::from);
    Ok((picture != user.pinned_picture).then_some(PhotosFinding::PinnedPicture { username, photo, picture }))
}

async fn follow_request(table: &Table, asked: &Username, asking: &Username) -> Result<Option<PhotosFinding>, Error> {
    if get(table, Key::follow_request(asked, asking)).await?.is_none() {
        return Ok(None);
    }
    let follows = get(table, Key::friendship(asked, asking)).await?.is_some();
    let blocking = if follows { None } else { blocking(table, asked, asking).await? };
    let (asked, asking) = (asked.clone(), asking.clone());
    Ok((follows || blocking.is_some()).then_some(PhotosFinding::FollowRequest { asked, asking, blocking }))
}

/// Compares a report with the complaints, with the photo or the comment that it is about, and with the last
/// decision.
async fn report(table: &Table, id: &ReportId) -> Result<Option<PhotosFinding>, Error> {
    let content = match Key::reported(id) {
        None => None,
        Some(key) => read::entity(table, key).await?,
    };
    let several = match id {
        ReportId::Photo(owner, photo) => {
            several::of_photo(table, &Position { id: photo.clone(), author: owner.clone() }).await?
        }
        _ => None,
    };
    let (is_removed, marked) = match content {
        // Nobody but its owner ever sees it, so it agrees with any decision.
        Some(Ok(Entity::Photo { photo, .. })) if photo.rejected => (None, None),
        Some(Ok(Entity::Photo { photo, .. })) => {
            (Some(matches!(photo.picture, Some(Picture::Removed { .. }))), Some(decisions::mark(&photo)))
        }
        Some(Ok(Entity::Comment { is_removed, .. })) => (Some(is_removed), None),
        _ => (None, None),
    };
    let (stored, decided) = match read::entity(table, Key::report(id)).await? {
        Some(Ok(Entity::Report { report, complaints })) => (Some(complaints), Some(Decided::from(*report))),
        Some(_) => return Ok(None),
        None => (None, None),
    };
    let decided = decided.as_ref();
    if let Some(stored) = stored {
        let complaints = table.client.query().table_name(&table.name).index_name(INVERTED_INDEX);
        let complaints = complaints.key_condition_expression("SK = :complaint");
        let actual = count(complaints.expression_attribute_values(":complaint", S(complaint_sk(id)))).await?;
        if stored != actual {
            return Ok(Some(PhotosFinding::Report { id: id.clone(), fault: ReportFault::Count { stored, actual } }));
        }
    }
    let fault = match (decided.map(|decided| decided.state), is_removed) {
        (Some(ReportState::Removed), Some(false)) => ReportFault::Shown,
        (
            None | Some(ReportState::Open | ReportState::PartlyRemoved | ReportState::Marked | ReportState::Dismissed),
            Some(true),
        ) => ReportFault::NotShown,
        _ if marked.is_some_and(|mark| mark != decided.and_then(|decided| decided.sensitive)) => ReportFault::Mark,
        _ if several.is_some_and(|several| !several.agrees_with(decided)) => ReportFault::Pictures,
        _ => {
            let Some(decided) = decided else { return Ok(None) };
            let last = decisions::last_of(table, id).await?;
            if decisions::agree(decided, last.as_ref().map(|(time, said)| (time, said))) {
                return Ok(None);
            }
            ReportFault::Decision
        }
    };
    Ok(Some(PhotosFinding::Report { id: id.clone(), fault }))
}

async fn user_count(table: &Table, username: &Username, user_count: UserCount) -> Result<Option<PhotosFinding>, Error> {
    let stored = match user(table, username).await? {
        Some(Entity::User { counts, .. }) => counts.get(&user_count).copied(),
        Some(Entity::Deletion { counts, .. }) if user_count.is_kept_by_deletion() => counts.get(&user_count).copied(),
        _ => return Ok(None),
    };
    let counted = counted_by(table, username, user_count);
    let actual = count(match user_count {
        UserCount::Followers => counted.filter_expression("attribute_not_exists(uncounted)"),
        UserCount::Photos => {
            let filter = counted.get_filter_expression().clone().unwrap_or_default();
            counted.filter_expression(format!("({filter}) AND attribute_not_exists(unready)"))
        }
        _ => counted,
    })
    .await?;
    let wrong = stored.unwrap_or(0) != actual;
    Ok(wrong.then(|| PhotosFinding::UserCount { username: username.clone(), count: user_count, stored, actual }))
}

async fn photo_count(table: &Table, photo: &Position, count: PhotoCount) -> Result<Option<PhotosFinding>, Error> {
    let Some(Ok(Entity::Photo { reactions, comments, .. } | Entity::PhotoDeletion { reactions, comments, .. })) =
        read::entity(table, Key::photo(&photo.author, &photo.id)).await?
    else {
        return Ok(None);
    };
    let (stored, prefix, sks) = match count {
        PhotoCount::Comments => {
            (comments, COMMENT_PREFIX, vec![photo_sk(&photo.author, &photo.id), replies_sk(&photo.author, &photo.id)])
        }
        PhotoCount::Reaction(reaction) => {
            (reactions.get(&reaction).copied(), REACTION_PREFIX, reaction_sks(&photo.author, &photo.id).collect())
        }
    };
    let is_counted = |item: &Item| match count {
        // A tombstone has no author.
        PhotoCount::Comments => item.contains_key("author"),
        PhotoCount::Reaction(reaction) => item.get("reactionType") == Some(&S(reaction.to_string())),
    };
    let mut actual = 0;
    for sk in sks {
        actual += uncounted::count_counted(table, with_prefix(table, &sk, prefix), is_counted).await?;
    }
    if stored.unwrap_or(0) == actual {
        return Ok(None);
    }
    Ok(Some(PhotosFinding::PhotoCount { photo: photo.clone(), count, stored, actual }))
}

/// Compares a count of a comment, or of its tombstone, with what there is. A comment that is gone has
/// nothing. If its photo is gone, a comment is a finding of its own, and so is each reply.
async fn comment_count(
    table: &Table,
    id: &CommentId,
    photo: &Position,
    of: CommentCount,
) -> Result<Option<PhotosFinding>, Error> {
    let (stored, needs_photo) = match read::entity(table, Key::comment(id, &photo.author, &photo.id)).await? {
        Some(Ok(Entity::Comment { counts, .. })) => (Some(counts[of as usize]), true),
        Some(Ok(Entity::CommentDeletion { counts, .. })) => (Some(counts[of as usize]), false),
        Some(_) => return Ok(None),
        None => (None, of == CommentCount::Replies),
    };
    let counted = match of {
        // A tombstone has no text.
        CommentCount::Replies => with_prefix(table, &replies_sk(&photo.author, &photo.id), &replies_prefix(id))
            .filter_expression("attribute_exists(#text)")
            .expression_attribute_names("#text", "text"),
        CommentCount::Likes => with_prefix(table, &likes_sk(id, &photo.author, &photo.id), LIKE_PREFIX),
    };
    let actual = count(counted).await?;
    if stored.unwrap_or(0) == actual
        || (needs_photo && get(table, Key::photo(&photo.author, &photo.id)).await?.is_none())
    {
        return Ok(None);
    }
    let (id, photo) = (id.clone(), photo.clone());
    Ok(Some(PhotosFinding::CommentCount { id, photo, count: of, stored, actual }))
}

/// Compares a photo and a comment, of which one says that the comment is pinned. finish-deletion takes a
/// comment off its photo when it deletes the tombstone.
async fn pinned_comment(table: &Table, id: &CommentId, photo: &Position) -> Result<Option<PhotosFinding>, Error> {
    let comment = match read::entity(table, Key::comment(id, &photo.author, &photo.id)).await? {
        Some(Ok(Entity::Comment { is_pinned, .. })) => is_pinned,
        Some(_) => return Ok(None),
        None => false,
    };
    let of_photo = match read::entity(table, Key::photo(&photo.author, &photo.id)).await? {
        Some(Ok(Entity::Photo { photo, .. })) => photo.pinned_comment.as_ref() == Some(id),
        _ => return Ok(None),
    };
    let (id, photo) = (id.clone(), photo.clone());
    Ok((comment != of_photo).then_some(PhotosFinding::PinnedComment { id, photo, of_photo }))
}

async fn early_reactions(table: &Table, photo: &Position) -> Result<Option<PhotosFinding>, Error> {
    match read::entity(table, Key::photo(&photo.author, &photo.id)).await? {
        Some(Ok(Entity::Photo { photo, .. })) if photo.unready => {}
        _ => return Ok(None),
    }
    let mut responses = 0;
    for sk in reaction_sks(&photo.author, &photo.id) {
        responses += count(responses_to(table, &sk)).await?;
    }
    Ok((responses > 0).then(|| PhotosFinding::EarlyReactions { photo: photo.clone(), responses }))
}

/// Returns the reactions to a photo that does not exist and the comments on it, or nothing if the
/// photo exists.
pub(super) async fn responses_of_photo(table: &Table, photo: &str) -> Result<Vec<Candidate>, Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Response {
        reacting_user: Username,
        reaction_type: ReactionType,
    }

    if find_photo(table, photo).await? != PhotoState::Absent {
        return Ok(vec![]);
    }
    let mut candidates = vec![];
    let id = photo_of_sk(photo).ok();
    let sks = id.as_ref().map_or_else(
        || vec![photo.to_owned()],
        |(owner, photo)| reaction_sks(owner, photo).chain([replies_sk(owner, photo)]).collect(),
    );
    for sk in sks {
        let is_sharded = is_in_shard(&sk);
        let mut items = responses_to(table, &sk).into_paginator().items().send();
        while let Some(item) = items.try_next().await? {
            if let Ok((id, owner, photo)) = comment_of_key(&item) {
                candidates.push(Candidate::Comment(id, Position { id: photo, author: owner }));
                continue;
            }
            if let Ok(Response { reacting_user: reacting, reaction_type: reaction }) =
                serde_dynamo::from_item(from_inverted_index(item))
            {
                let photo = photo.to_owned();
                candidates.push(Candidate::Reaction { reacting, reaction, photo, is_sharded });
            }
        }
    }
    Ok(candidates)
}

/// Builds the query for the reactions to a photo, or the comments on it, by their prefix.
fn with_prefix(table: &Table, photo: &str, prefix: &str) -> QueryFluentBuilder {
    in_inverted_index(table, photo)
        .key_condition_expression("SK = :photo AND begins_with(PK, :prefix)")
        .expression_attribute_values(":prefix", S(prefix.to_owned()))
}

/// Builds the query for the reactions to a photo and the comments on it: all entries but the photo.
fn responses_to(table: &Table, photo: &str) -> QueryFluentBuilder {
    in_inverted_index(table, photo)
        .key_condition_expression("SK = :photo AND PK < :users")
        .expression_attribute_values(":users", S(USER_PREFIX.to_owned()))
}

fn in_inverted_index(table: &Table, sk: &str) -> QueryFluentBuilder {
    let query = table.client.query().table_name(&table.name).index_name(INVERTED_INDEX);
    query.expression_attribute_values(":photo", S(sk.to_owned()))
}

/// Finds the photo with this sort key, or the deletion in its place, which has no `username`. It
/// searches the index, because the sort key of a malformed item may name no owner.
async fn find_photo(table: &Table, sk: &str) -> Result<PhotoState, Error> {
    #[derive(Deserialize)]
    struct Id {
        username: Option<Username>,
        #[serde(rename = "timestamp")]
        photo: PhotoId,
    }
    let photos = with_prefix(table, sk, USER_PREFIX).send().await?;
    let ids = photos.items.unwrap_or_default().into_iter().map(serde_dynamo::from_item::<_, Id>);
    Ok(ids.last().map_or(PhotoState::Absent, |id| {
        let position = id.ok().and_then(|Id { username, photo: id }| {
            let author = username.or_else(|| Some(photo_of_sk(sk).ok()?.0))?;
            Some(Position { id, author })
        });
        position.map_or(PhotoState::Malformed, PhotoState::Present)
    }))
}

async fn user(table: &Table, username: &Username) -> Result<Option<Entity>, Error> {
    Ok(read::entity(table, Key::user(username)).await?.and_then(Result::ok))
}
