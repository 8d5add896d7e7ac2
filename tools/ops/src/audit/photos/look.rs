//! A second look at what is suspected, and where to look when somebody is missing.

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Deserialize;
use shared::Table;
use shared::dynamodb::Item;
use shared::model::photos::{
    FRIEND_PREFIX, INVERTED_INDEX, Key, REACTION_PREFIX, ReactionToPhoto, USER_PREFIX, friend_sk, photo_sk,
    photo_sk_prefix, reaction_pk, user_pk,
};
use shared::values::{ReactionType, Timestamp, Username};

use super::Photos;
use super::entity::{self, Entity, reaction_key};
use super::finding::{Count, Finding, PhotoIs, Suspect};
use crate::audit::Error;
use crate::audit::read;
use crate::audit::read::{key, number, projection};

/// What is in a user's place.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    Empty,
    Deletion,
    /// A user, or something in their place that does not read as one, which is no reason to take away what is theirs.
    Taken,
}

/// What is wrong about a suspect at this moment, if anything is. Nothing is wrong with what belongs to a user who is
/// being deleted: finish-deletion is at work on it.
pub(super) async fn look(table: &Table, deletions: &[Username], suspect: &Suspect) -> Result<Option<Finding>, Error> {
    match suspect {
        Suspect::Deletion(username) => match user(table, username).await? {
            Some(Entity::Deletion(deletion)) => Ok(Some(Finding::Deletion(deletion))),
            _ => Ok(None),
        },
        Suspect::Photo(username, timestamp) => photo(table, username, timestamp).await,
        Suspect::Reaction { reacting, reaction, photo } => {
            reaction_to(table, deletions, reacting, *reaction, photo).await
        }
        Suspect::Friendship { followed, following } => friendship(table, followed, following).await,
        Suspect::Pin(username) => pin(table, username).await,
        Suspect::UserCount(username, count) => user_count(table, username, *count).await,
        Suspect::PhotoCount(username, timestamp, reaction) => photo_count(table, username, timestamp, *reaction).await,
    }
}

async fn photo(table: &Table, username: &Username, timestamp: &Timestamp) -> Result<Option<Finding>, Error> {
    let there = get(table, Key::photo(username, timestamp)).await?.is_some();
    let orphan = there && place(table, username).await? == Place::Empty;
    Ok(orphan.then(|| Finding::Photo { username: username.clone(), timestamp: timestamp.clone() }))
}

async fn reaction_to(
    table: &Table,
    deletions: &[Username],
    reacting: &Username,
    reaction: ReactionType,
    photo: &str,
) -> Result<Option<Finding>, Error> {
    if get(table, reaction_key(reacting, reaction, photo)).await?.is_none() {
        return Ok(None);
    }
    let user = place(table, reacting).await?;
    let photo_is = find_photo(table, photo).await?;
    let fine = user == Place::Taken && photo_is != PhotoIs::Gone;
    // A photo that is gone can't say whose it was.
    let of_deleted = || deletions.iter().any(|username| photo.starts_with(&photo_sk_prefix(username)));
    if fine || user == Place::Deletion || photo_is == PhotoIs::Gone && of_deleted() {
        return Ok(None);
    }
    let (reacting, photo) = (reacting.clone(), photo.to_owned());
    Ok(Some(Finding::Reaction { reacting, reaction, photo, user_is_gone: user == Place::Empty, photo_is }))
}

async fn friendship(table: &Table, followed: &Username, following: &Username) -> Result<Option<Finding>, Error> {
    if get(table, Key::friendship(followed, following)).await?.is_none() {
        return Ok(None);
    }
    let places = [place(table, followed).await?, place(table, following).await?];
    if places.contains(&Place::Deletion) || !places.contains(&Place::Empty) {
        return Ok(None);
    }
    let [followed_is_gone, following_is_gone] = places.map(|place| place == Place::Empty);
    let (followed, following) = (followed.clone(), following.clone());
    Ok(Some(Finding::Friendship { followed, following, followed_is_gone, following_is_gone }))
}

async fn pin(table: &Table, username: &Username) -> Result<Option<Finding>, Error> {
    let Some(Entity::User { pinned: Some(photo), .. }) = user(table, username).await? else {
        return Ok(None);
    };
    let there = get(table, key::<Photos>((user_pk(username), photo.clone()))).await?.is_some();
    Ok((!there).then(|| Finding::Pin { username: username.clone(), photo }))
}

async fn user_count(table: &Table, username: &Username, count: Count) -> Result<Option<Finding>, Error> {
    let Some(Entity::User { followers, following, .. }) = user(table, username).await? else {
        return Ok(None);
    };
    let friendships = table.client.query().table_name(&table.name);
    let (says, friendships) = match count {
        Count::Followers => (
            followers,
            friendships
                .key_condition_expression("PK = :user AND begins_with(SK, :friends)")
                .expression_attribute_values(":user", S(user_pk(username)))
                .expression_attribute_values(":friends", S(FRIEND_PREFIX.to_owned()))
                .consistent_read(true),
        ),
        Count::Following => (
            following,
            friendships
                .index_name(INVERTED_INDEX)
                .key_condition_expression("SK = :friend")
                .expression_attribute_values(":friend", S(friend_sk(username))),
        ),
    };
    let there_are = number(friendships).await?;
    let wrong = says.unwrap_or(0) != there_are;
    Ok(wrong.then(|| Finding::UserCount { username: username.clone(), count, says, there_are }))
}

async fn photo_count(
    table: &Table,
    username: &Username,
    timestamp: &Timestamp,
    reaction: ReactionType,
) -> Result<Option<Finding>, Error> {
    let Some(Ok(Entity::Photo { reactions, .. })) =
        get(table, Key::photo(username, timestamp)).await?.map(entity::read)
    else {
        return Ok(None);
    };
    let says = reactions.get(&reaction).copied();
    let of_type = reactions_to(table, &photo_sk(username, timestamp))
        .filter_expression("reactionType = :type")
        .expression_attribute_values(":type", S(reaction.to_string()));
    let there_are = number(of_type).await?;
    if says.unwrap_or(0) == there_are || place(table, username).await? == Place::Deletion {
        return Ok(None);
    }
    let (username, timestamp) = (username.clone(), timestamp.clone());
    Ok(Some(Finding::PhotoCount { username, timestamp, reaction, says, there_are }))
}

/// All that names a user who is gone. Nothing if they are there after all.
pub(super) async fn left_by_user(table: &Table, username: &Username) -> Result<Vec<Suspect>, Error> {
    if place(table, username).await? != Place::Empty {
        return Ok(vec![]);
    }
    let query = || table.client.query().table_name(&table.name);
    let (projection, names) = projection::<Photos>();
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

    let mut suspects = vec![];
    for query in queries {
        let mut items = query.into_paginator().items().send();
        while let Some(item) = items.try_next().await? {
            suspects.extend(match entity::read(item) {
                Ok(Entity::Photo { username, timestamp, .. }) => Some(Suspect::Photo(username, timestamp)),
                Ok(Entity::Friendship { followed, following }) => Some(Suspect::Friendship { followed, following }),
                Ok(Entity::Reaction { reacting, reaction, photo }) => {
                    Some(Suspect::Reaction { reacting, reaction, photo })
                }
                _ => None,
            });
        }
    }
    Ok(suspects)
}

/// The reactions to a photo that is gone. Nothing if it is there after all.
pub(super) async fn left_by_photo(table: &Table, photo: &str) -> Result<Vec<Suspect>, Error> {
    if find_photo(table, photo).await? != PhotoIs::Gone {
        return Ok(vec![]);
    }
    let mut suspects = vec![];
    let mut items = reactions_to(table, photo).into_paginator().items().send();
    while let Some(item) = items.try_next().await? {
        if let Ok(ReactionToPhoto { reacting_user, reaction_type, .. }) = serde_dynamo::from_item(item) {
            suspects.push(Suspect::Reaction {
                reacting: reacting_user,
                reaction: reaction_type,
                photo: photo.to_owned(),
            });
        }
    }
    Ok(suspects)
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

/// The photo of this sort key, whoever's it is: a reaction does not say.
async fn find_photo(table: &Table, sk: &str) -> Result<PhotoIs, Error> {
    #[derive(Deserialize)]
    struct Id {
        username: Username,
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
    Ok(ids.last().map_or(PhotoIs::Gone, |id| match id {
        Ok(Id { username, timestamp }) => PhotoIs::There(username, timestamp),
        Err(_) => PhotoIs::Shapeless,
    }))
}

async fn user(table: &Table, username: &Username) -> Result<Option<Entity>, Error> {
    Ok(get(table, Key::user(username)).await?.and_then(|item| entity::read(item).ok()))
}

async fn place(table: &Table, username: &Username) -> Result<Place, Error> {
    Ok(match get(table, Key::user(username)).await?.map(entity::read) {
        None => Place::Empty,
        Some(Ok(Entity::Deletion(_))) => Place::Deletion,
        Some(_) => Place::Taken,
    })
}

async fn get(table: &Table, key: impl Into<Item>) -> Result<Option<Item>, Error> {
    read::get::<Photos>(table, key).await
}
