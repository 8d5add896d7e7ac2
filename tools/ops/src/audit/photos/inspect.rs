//! Inspects candidates, and finds the items that refer to a user or a photo that does not exist.

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Deserialize;
use shared::Table;
use shared::dynamodb::Item;
use shared::model::photos::{
    FRIEND_PREFIX, INVERTED_INDEX, Key, REACTION_PREFIX, ReactionToPhoto, UNCOUNTED, USER_PREFIX, friend_sk,
    photo_of_sk, photo_sk, photo_sk_prefix, reaction_pk, user_pk,
};
use shared::values::{ReactionType, Timestamp, Username};

use super::candidate::Candidate;
use super::entity::{Entity, PhotosLayout, PictureState, parse_entity, reaction_key};
use super::{ttl, uncounted};
use crate::audit::error::Error;
use crate::audit::finding::{PhotoState, PhotosFinding, UserCount};
use crate::audit::layout::{key, projection};
use crate::audit::read;
use crate::audit::read::count;

/// The item with a user's key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum UserState {
    Absent,
    Deletion,
    /// A user, or a malformed item. The items of a malformed user are not orphans: somebody can repair the user.
    Present,
}

/// Returns the defect of a candidate at this moment, if it has one. The items of a user whose deletion is in progress
/// have no defect, because finish-deletion deletes them.
pub(super) async fn inspect(
    table: &Table,
    candidate: &Candidate,
    uncounted_before: &Timestamp,
) -> Result<Option<PhotosFinding>, Error> {
    match candidate {
        Candidate::Deletion(username) => match user(table, username).await? {
            Some(Entity::Deletion { deletion, .. }) => Ok(Some(PhotosFinding::Deletion(deletion))),
            _ => Ok(None),
        },
        Candidate::PhotoDeletion(username, timestamp) => {
            match get(table, Key::photo(username, timestamp)).await?.map(parse_entity) {
                Some(Ok(Entity::PhotoDeletion { deletion, .. })) if deletion.ttl.is_none() => {
                    Ok(Some(PhotosFinding::PhotoDeletion(deletion)))
                }
                _ => Ok(None),
            }
        }
        Candidate::Photo(username, timestamp) => photo(table, username, timestamp).await,
        Candidate::Reaction { reacting, reaction, photo } => {
            reaction_to_photo(table, reacting, *reaction, photo, uncounted_before).await
        }
        Candidate::Friendship { followed, following } => friendship(table, followed, following, uncounted_before).await,
        Candidate::Pin(username) => pin(table, username).await,
        Candidate::UserCount(username, count) => user_count(table, username, *count).await,
        Candidate::PhotoCount(username, timestamp, reaction) => {
            photo_count(table, username, timestamp, *reaction).await
        }
        Candidate::Ttl(username, timestamp) => ttl::inspect(table, username, timestamp).await,
        Candidate::EarlyReactions(username, timestamp) => early_reactions(table, username, timestamp).await,
        // Without a bucket there are no such candidates.
        Candidate::Picture(..) | Candidate::Object(_) => Ok(None),
    }
}

async fn photo(table: &Table, username: &Username, timestamp: &Timestamp) -> Result<Option<PhotosFinding>, Error> {
    let exists = get(table, Key::photo(username, timestamp)).await?.is_some();
    let orphan = exists && user_state(table, username).await? == UserState::Absent;
    Ok(orphan.then(|| PhotosFinding::Photo { username: username.clone(), timestamp: timestamp.clone() }))
}

async fn reaction_to_photo(
    table: &Table,
    reacting: &Username,
    reaction: ReactionType,
    photo: &str,
    uncounted_before: &Timestamp,
) -> Result<Option<PhotosFinding>, Error> {
    let Some(item) = get(table, reaction_key(reacting, reaction, photo)).await? else {
        return Ok(None);
    };
    let is_uncounted = item.contains_key(UNCOUNTED);
    let user = user_state(table, reacting).await?;
    let photo_state = find_photo(table, photo).await?;
    let sound = user == UserState::Present && photo_state != PhotoState::Absent;
    let reacting = reacting.clone();
    if sound
        && let PhotoState::Present(username, timestamp) = &photo_state
        && let Ok(Entity::Reaction { uncounted: Some(since), .. }) = parse_entity(item)
        && since.as_ref() <= uncounted_before.as_ref()
    {
        let (username, timestamp) = (username.clone(), timestamp.clone());
        return Ok(Some(PhotosFinding::UncountedReaction { reacting, reaction, username, timestamp, since }));
    }
    if sound || user == UserState::Deletion {
        return Ok(None);
    }
    Ok(Some(PhotosFinding::Reaction {
        reacting,
        reaction,
        photo: photo.to_owned(),
        user_absent: user == UserState::Absent,
        photo_state,
        is_uncounted,
    }))
}

async fn friendship(
    table: &Table,
    followed: &Username,
    following: &Username,
    uncounted_before: &Timestamp,
) -> Result<Option<PhotosFinding>, Error> {
    let Some(item) = get(table, Key::friendship(followed, following)).await? else {
        return Ok(None);
    };
    let is_uncounted = item.contains_key(UNCOUNTED);
    let (followed, following) = (followed.clone(), following.clone());
    let states = [user_state(table, &followed).await?, user_state(table, &following).await?];
    if states.iter().all(|state| *state == UserState::Present)
        && let Ok(Entity::Friendship { since, is_uncounted: true, .. }) = parse_entity(item)
        && since.as_ref() <= uncounted_before.as_ref()
    {
        return Ok(Some(PhotosFinding::UncountedFriendship { followed, following, since }));
    }
    if states.contains(&UserState::Deletion) || !states.contains(&UserState::Absent) {
        return Ok(None);
    }
    let [followed_absent, following_absent] = states.map(|state| state == UserState::Absent);
    Ok(Some(PhotosFinding::Friendship { followed, following, followed_absent, following_absent, is_uncounted }))
}

async fn pin(table: &Table, username: &Username) -> Result<Option<PhotosFinding>, Error> {
    let Some(Entity::User { pinned: Some(photo), .. }) = user(table, username).await? else {
        return Ok(None);
    };
    let exists = get(table, key::<PhotosLayout>((user_pk(username), photo.clone()))).await?.is_some();
    Ok((!exists).then(|| PhotosFinding::Pin { username: username.clone(), photo }))
}

async fn user_count(table: &Table, username: &Username, user_count: UserCount) -> Result<Option<PhotosFinding>, Error> {
    let (followers, following, photos) = match user(table, username).await? {
        Some(Entity::User { followers, following, photos, .. }) => (followers, following, photos),
        Some(Entity::Deletion { following, .. }) if user_count == UserCount::Following => (None, following, None),
        _ => return Ok(None),
    };
    let counted = table.client.query().table_name(&table.name);
    let (stored, counted) = match user_count {
        UserCount::Followers => (
            followers,
            counted
                .key_condition_expression("PK = :user AND begins_with(SK, :friends)")
                .expression_attribute_values(":user", S(user_pk(username)))
                .expression_attribute_values(":friends", S(FRIEND_PREFIX.to_owned()))
                .filter_expression("attribute_not_exists(uncounted)")
                .consistent_read(true),
        ),
        UserCount::Following => (
            following,
            counted
                .index_name(INVERTED_INDEX)
                .key_condition_expression("SK = :friend")
                .expression_attribute_values(":friend", S(friend_sk(username))),
        ),
        UserCount::Photos => (
            photos,
            counted
                .key_condition_expression("PK = :user AND begins_with(SK, :photos)")
                .expression_attribute_values(":user", S(user_pk(username)))
                .expression_attribute_values(":photos", S(photo_sk_prefix(username)))
                // Without the traces of expired photos.
                .filter_expression("attribute_not_exists(erasing) OR attribute_not_exists(#ttl)")
                .expression_attribute_names("#ttl", "ttl")
                .consistent_read(true),
        ),
    };
    let actual = count(counted).await?;
    let wrong = stored.unwrap_or(0) != actual;
    Ok(wrong.then(|| PhotosFinding::UserCount { username: username.clone(), count: user_count, stored, actual }))
}

async fn photo_count(
    table: &Table,
    username: &Username,
    timestamp: &Timestamp,
    reaction: ReactionType,
) -> Result<Option<PhotosFinding>, Error> {
    let Some(Ok(Entity::Photo { reactions, .. } | Entity::PhotoDeletion { reactions, .. })) =
        get(table, Key::photo(username, timestamp)).await?.map(parse_entity)
    else {
        return Ok(None);
    };
    let stored = reactions.get(&reaction).copied();
    let of_type = reactions_to(table, &photo_sk(username, timestamp))
        .filter_expression("reactionType = :type")
        .expression_attribute_values(":type", S(reaction.to_string()));
    let actual = uncounted::count_counted(table, of_type).await?;
    if stored.unwrap_or(0) == actual {
        return Ok(None);
    }
    let (username, timestamp) = (username.clone(), timestamp.clone());
    Ok(Some(PhotosFinding::PhotoCount { username, timestamp, reaction, stored, actual }))
}

async fn early_reactions(
    table: &Table,
    username: &Username,
    timestamp: &Timestamp,
) -> Result<Option<PhotosFinding>, Error> {
    let Some(Ok(Entity::Photo { picture: PictureState::Pending | PictureState::Rejected, .. })) =
        get(table, Key::photo(username, timestamp)).await?.map(parse_entity)
    else {
        return Ok(None);
    };
    let reactions = count(reactions_to(table, &photo_sk(username, timestamp))).await?;
    let (username, timestamp) = (username.clone(), timestamp.clone());
    Ok((reactions > 0).then_some(PhotosFinding::EarlyReactions { username, timestamp, reactions }))
}

/// Returns the items that refer to a user who does not exist, or nothing if the user exists.
pub(super) async fn references_to_user(table: &Table, username: &Username) -> Result<Vec<Candidate>, Error> {
    if user_state(table, username).await? != UserState::Absent {
        return Ok(vec![]);
    }
    let query = || table.client.query().table_name(&table.name);
    let (projection, names) = projection::<PhotosLayout>();
    let in_partition = |pk| {
        query()
            .key_condition_expression("#PK = :pk")
            .expression_attribute_values(":pk", S(pk))
            .projection_expression(&projection)
            .set_expression_attribute_names(Some(names.clone()))
            .consistent_read(true)
    };
    let mut queries = vec![
        in_partition(user_pk(username)),
        query()
            .index_name(INVERTED_INDEX)
            .key_condition_expression("SK = :friend")
            .expression_attribute_values(":friend", S(friend_sk(username))),
    ];
    queries.extend(ReactionType::ALL.iter().map(|&reaction| in_partition(reaction_pk(username, reaction))));

    let mut candidates = vec![];
    for query in queries {
        let mut items = query.into_paginator().items().send();
        while let Some(item) = items.try_next().await? {
            candidates.extend(match parse_entity(item) {
                Ok(Entity::Photo { username, timestamp, .. }) => Some(Candidate::Photo(username, timestamp)),
                Ok(Entity::Friendship { followed, following, .. }) => {
                    Some(Candidate::Friendship { followed, following })
                }
                Ok(Entity::Reaction { reacting, reaction, photo, .. }) => {
                    Some(Candidate::Reaction { reacting, reaction, photo })
                }
                _ => None,
            });
        }
    }
    Ok(candidates)
}

/// Returns the reactions to a photo that does not exist, or nothing if the photo exists.
pub(super) async fn reactions_of_photo(table: &Table, photo: &str) -> Result<Vec<Candidate>, Error> {
    if find_photo(table, photo).await? != PhotoState::Absent {
        return Ok(vec![]);
    }
    let mut candidates = vec![];
    let mut items = reactions_to(table, photo).into_paginator().items().send();
    while let Some(item) = items.try_next().await? {
        if let Ok(ReactionToPhoto { reacting_user, reaction_type, .. }) = serde_dynamo::from_item(item) {
            candidates.push(Candidate::Reaction {
                reacting: reacting_user,
                reaction: reaction_type,
                photo: photo.to_owned(),
            });
        }
    }
    Ok(candidates)
}

fn reactions_to(table: &Table, photo: &str) -> QueryFluentBuilder {
    table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :photo AND begins_with(PK, :reactions)")
        .expression_attribute_values(":photo", S(photo.to_owned()))
        .expression_attribute_values(":reactions", S(REACTION_PREFIX.to_owned()))
}

/// Finds the photo with this sort key, or the deletion in its place, which has no `username`. It searches the index,
/// because the sort key of a malformed item may name no owner.
async fn find_photo(table: &Table, sk: &str) -> Result<PhotoState, Error> {
    #[derive(Deserialize)]
    struct Id {
        username: Option<Username>,
        timestamp: Timestamp,
    }
    let photos = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :photo AND begins_with(PK, :users)")
        .expression_attribute_values(":photo", S(sk.to_owned()))
        .expression_attribute_values(":users", S(USER_PREFIX.to_owned()))
        .send()
        .await?;
    let ids = photos.items.unwrap_or_default().into_iter().map(serde_dynamo::from_item::<_, Id>);
    Ok(ids.last().map_or(PhotoState::Absent, |id| {
        let id = id.ok().and_then(|Id { username, timestamp }| {
            let owner = username.or_else(|| Some(photo_of_sk(sk).ok()?.0))?;
            Some((owner, timestamp))
        });
        id.map_or(PhotoState::Malformed, |(owner, timestamp)| PhotoState::Present(owner, timestamp))
    }))
}

async fn user(table: &Table, username: &Username) -> Result<Option<Entity>, Error> {
    Ok(get(table, Key::user(username)).await?.and_then(|item| parse_entity(item).ok()))
}

pub(super) async fn user_state(table: &Table, username: &Username) -> Result<UserState, Error> {
    Ok(match get(table, Key::user(username)).await?.map(parse_entity) {
        None => UserState::Absent,
        Some(Ok(Entity::Deletion { .. })) => UserState::Deletion,
        Some(_) => UserState::Present,
    })
}

async fn get(table: &Table, key: impl Into<Item>) -> Result<Option<Item>, Error> {
    read::get::<PhotosLayout>(table, key).await
}
