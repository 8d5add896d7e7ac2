//! The names of users who are lost or deleted.
//!
//! A name belongs to a user, to nobody, or to a deletion. While finish-deletion is at work, the
//! deletion has neither a timer nor a `ttl`. Then the name rests: the deletion has a timer, until a
//! last sweep gives the deletion itself a `ttl`. From the timer on, nothing must be left under the
//! name.

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::photos::{
    ASK_PREFIX, COMMENTS_BY_AUTHOR, FRIEND_PREFIX, INVERTED_INDEX, Key, Rest, ask_sk, friend_sk, photo_sk_prefix,
    reaction_pk, user_pk,
};
use shared::pictures::keys::{INCOMING_PREFIX, PICTURES_PREFIX};
use shared::values::{EpochMillis, ReactionType, Timestamp, Username};
use shared::{Bucket, Table};
use shared::{favorites, feed};

use super::entity::{Entity, PhotosLayout, parse_entity};
use super::objects;
use super::photos_check::PhotosCheck;
use super::ttl::MAX_DELAY_SECONDS;
use crate::audit::error::Error;
use crate::audit::finding::{PhotosFinding, Remains};
use crate::audit::layout::parse;
use crate::audit::read;
use crate::audit::read::count;

/// Returns what is wrong with a name.
pub(super) async fn inspect(photos: &PhotosCheck<'_>, username: &Username) -> Result<Option<PhotosFinding>, Error> {
    // The timer is read first: finish-deletion puts it after the deletion, and it is gone long
    // before the deletion.
    let timer = read::get::<PhotosLayout>(&photos.table, Key::rest(username)).await?;
    let timer: Option<Rest> = timer.and_then(|item| parse(item).ok());
    let user = read::get::<PhotosLayout>(&photos.table, Key::user(username)).await?.map(parse_entity);
    let username = username.clone();
    let orphan = |timer: Option<Rest>| {
        timer.map(|Rest { since, .. }| PhotosFinding::OrphanRest { username: username.clone(), since })
    };
    Ok(match (user, timer) {
        (Some(Ok(Entity::Deletion { since, ttl, .. })), timer) => {
            if timer.as_ref().is_some_and(|timer| timer.since != since) {
                return Ok(orphan(timer));
            }
            let is_deletion = timer.is_none();
            match timer.map(|timer| timer.ttl).or(ttl) {
                None => {
                    let is_old = since.as_ref() <= photos.unfinished_before.as_ref();
                    is_old.then_some(PhotosFinding::Deletion { username, since })
                }
                Some(ttl) if ttl.saturating_add(MAX_DELAY_SECONDS) < EpochMillis::now().seconds() => {
                    Some(PhotosFinding::OverdueRest { username, is_deletion, ttl })
                }
                Some(_) => resting(photos, username, since).await?,
            }
        }
        (None, None) => {
            let remains = remains(photos, &username).await?;
            let erase = photos.erase.contains(&username);
            (!remains.is_empty()).then_some(PhotosFinding::LostUser { username, remains, erase })
        }
        (_, timer) => orphan(timer),
    })
}

async fn resting(
    photos: &PhotosCheck<'_>,
    username: Username,
    since: Timestamp,
) -> Result<Option<PhotosFinding>, Error> {
    let remains = remains(photos, &username).await?;
    Ok((!remains.is_empty()).then_some(PhotosFinding::Resting { username, since, remains }))
}

/// Counts what is left under a name, in the tables and in the bucket that the audit was given.
async fn remains(photos: &PhotosCheck<'_>, username: &Username) -> Result<Remains, Error> {
    let mut remains = Remains::new();
    let mut add = |kind, number| {
        if number > 0 {
            *remains.entry(kind).or_default() += number;
        }
    };
    add("photos", count(photos_of(&photos.table, username)).await?);
    let followers = in_partition(&photos.table, user_pk(username))
        .key_condition_expression("PK = :pk AND begins_with(SK, :friends)")
        .expression_attribute_values(":friends", S(FRIEND_PREFIX.to_owned()));
    add("followers", count(followers).await?);
    add("followed users", count(followed_by(&photos.table, username)).await?);
    for &reaction in ReactionType::ALL {
        let reactions = in_partition(&photos.table, reaction_pk(username, reaction));
        add("reactions", count(reactions.key_condition_expression("PK = :pk")).await?);
    }
    add("comments", count(comments_of(&photos.table, username)).await?);
    let received = in_partition(&photos.table, user_pk(username))
        .key_condition_expression("PK = :pk AND begins_with(SK, :asks)")
        .expression_attribute_values(":asks", S(ASK_PREFIX.to_owned()));
    add("requests of others", count(received).await?);
    add("requests", count(requests_of(&photos.table, username)).await?);
    if let Some(table) = &photos.favorites {
        for (kind, pk) in [
            ("favorites", favorites::favorites_pk(username)),
            ("favorites", favorites::histories_pk(username)),
            ("tags", favorites::tags_pk(username)),
            ("tags", favorites::tag_names_pk(username)),
            ("counts of favorites", favorites::favorite_count_pk(username)),
            ("counts of tags", favorites::tag_count_pk(username)),
        ] {
            add(kind, count(in_partition(table, pk).key_condition_expression("pk = :pk")).await?);
        }
    }
    if let Some(table) = &photos.feed {
        for (kind, pk) in [
            ("items of the feed", feed::feed_pk(username)),
            ("lists of the newest photos", feed::latest_pk(username)),
            ("exceptions", feed::exceptions_pk(username)),
        ] {
            add(kind, count(in_partition(table, pk).key_condition_expression("pk = :pk")).await?);
        }
    }
    if let Some(bucket) = photos.bucket {
        add("objects", count_objects(bucket, username).await?);
    }
    Ok(remains)
}

/// Builds the query for the photos of a user and their deletions, without the traces of expired
/// photos.
pub(super) fn photos_of(table: &Table, username: &Username) -> QueryFluentBuilder {
    in_partition(table, user_pk(username))
        .key_condition_expression("PK = :pk AND begins_with(SK, :photos)")
        .expression_attribute_values(":photos", S(photo_sk_prefix(username)))
        .filter_expression("attribute_not_exists(erasing) OR attribute_not_exists(#ttl)")
        .expression_attribute_names("#ttl", "ttl")
}

/// Builds the query for the friendships in which a user is the follower. Only the inverted index
/// finds them.
pub(super) fn followed_by(table: &Table, username: &Username) -> QueryFluentBuilder {
    let query = table.client.query().table_name(&table.name).index_name(INVERTED_INDEX);
    query.key_condition_expression("SK = :friend").expression_attribute_values(":friend", S(friend_sk(username)))
}

/// Builds the query for the requests of a user to follow others. Only the inverted index finds
/// them.
pub(super) fn requests_of(table: &Table, username: &Username) -> QueryFluentBuilder {
    let query = table.client.query().table_name(&table.name).index_name(INVERTED_INDEX);
    query.key_condition_expression("SK = :ask").expression_attribute_values(":ask", S(ask_sk(username)))
}

/// Builds the query for the comments of a user. Only an index finds them.
pub(super) fn comments_of(table: &Table, username: &Username) -> QueryFluentBuilder {
    let query = table.client.query().table_name(&table.name).index_name(COMMENTS_BY_AUTHOR);
    query.key_condition_expression("author = :user").expression_attribute_values(":user", S(username.to_string()))
}

fn in_partition(table: &Table, pk: String) -> QueryFluentBuilder {
    let query = table.client.query().table_name(&table.name).consistent_read(true);
    query.expression_attribute_values(":pk", S(pk))
}

async fn count_objects(bucket: &Bucket, username: &Username) -> Result<i64, Error> {
    let mut number = 0;
    for prefix in [PICTURES_PREFIX, INCOMING_PREFIX] {
        let objects = objects::list(bucket, format!("{prefix}{username}/")).await?;
        number += objects.iter().filter(|object| object.is_current).map(|_| 1).sum::<i64>();
    }
    Ok(number)
}
