//! The names of users who are lost or deleted.
//!
//! A name belongs to a user, to nobody, or to a deletion. While finish-deletion is at work, the
//! deletion has neither a timer nor a `ttl`. Then the name rests: the deletion has a timer, until a
//! last sweep gives the deletion itself a `ttl`. From the timer on, nothing must be left under the
//! name.

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::entities::object::{IMPORTED_PREFIX, INCOMING_PREFIX, PICTURES_PREFIX};
use shared::entities::{
    self, ALERT_PREFIX, ASK_PREFIX, BLOCK_PREFIX, COMMENTS_BY_AUTHOR, COMPLAINT_PREFIX, DEVICES, Deletion,
    FOLLOWED_HASHTAGS_PREFIX, FRIEND_PREFIX, INVERTED_INDEX, Key, REPORT_PREFIX, Rest, SHARE_PREFIX, ask_sk, block_sk,
    friend_sk, likes_pk, photo_sk_prefix, reaction_pk, user_pk,
};
use shared::values::{Level, ReactionType, Timestamp, Username};
use shared::{Bucket, Table};

use super::entity::Entity;
use super::objects;
use super::photos_check::PhotosCheck;
use super::ttl::is_overdue;
use crate::audit::error::Error;
use crate::audit::finding::{PhotosFinding, Remains, UserCount};
use crate::audit::layout::parse;
use crate::audit::read;
use crate::audit::read::count;

/// The kinds of remains that an account without a profile can have.
const NEED_NO_PROFILE: [&str; 5] =
    ["counts of favorites", "counts of tags", "engagements without reactions", "favorites", "tags"];

/// Returns what is wrong with a name.
pub(super) async fn inspect(photos: &PhotosCheck<'_>, username: &Username) -> Result<Option<PhotosFinding>, Error> {
    // The timer is read first: finish-deletion puts it after the deletion, and it is gone long
    // before the deletion.
    let timer = read::get(&photos.table, Key::rest(username)).await?;
    let timer: Option<Rest> = timer.and_then(|item| parse(item).ok());
    let user = read::entity(&photos.table, Key::user(username)).await?;
    let username = username.clone();
    let orphan = |timer: Option<Rest>| {
        timer.map(|Rest { since, .. }| PhotosFinding::OrphanRest { username: username.clone(), since })
    };
    Ok(match (user, timer) {
        (Some(Ok(Entity::Deletion { deletion: Deletion { since, ttl, .. }, .. })), timer) => {
            if timer.as_ref().is_some_and(|timer| timer.since != since) {
                return Ok(orphan(timer));
            }
            let is_deletion = timer.is_none();
            match timer.map(|timer| timer.ttl).or(ttl) {
                None => {
                    let is_old = since.as_ref() <= photos.unfinished_before.as_ref();
                    let (of, key) = (username.to_string(), Key::user(&username));
                    is_old.then_some(PhotosFinding::Deletion { of, key, since })
                }
                Some(ttl) if is_overdue(ttl) => Some(PhotosFinding::OverdueRest { username, is_deletion, ttl }),
                Some(_) => resting(photos, username, since).await?,
            }
        }
        (None, None) => {
            let remains = remains(photos, &username).await?;
            let erase = photos.options.erase.contains(&username);
            let is_lost = remains.keys().any(|kind| !NEED_NO_PROFILE.contains(kind));
            is_lost.then_some(PhotosFinding::LostUser { username, remains, erase })
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
    // The uploads are all photos.
    let is_part = |counted: &UserCount| matches!(counted, UserCount::Photos | UserCount::Rejected);
    for counted in UserCount::ALL.into_iter().filter(|counted| !is_part(counted)) {
        add(counted.kind(), count(counted_by(&photos.table, username, counted)).await?);
    }
    for &reaction in ReactionType::ALL {
        let reactions = in_partition(&photos.table, reaction_pk(username, reaction));
        add("reactions", count(reactions.key_condition_expression("PK = :pk")).await?);
    }
    let likes = in_partition(&photos.table, likes_pk(username));
    add("likes", count(likes.key_condition_expression("PK = :pk")).await?);
    for (kind, prefix) in [
        ("lists of pictures", entities::PICTURES_PREFIX),
        ("deletions of pictures", entities::PICTURE_DELETION_PREFIX),
        ("alerts", ALERT_PREFIX),
        ("reports and decisions", REPORT_PREFIX),
        ("complaints", COMPLAINT_PREFIX),
        ("followed hashtags", FOLLOWED_HASHTAGS_PREFIX),
    ] {
        add(kind, count(with_prefix(&photos.table, username, prefix)).await?);
    }
    let muted_by = at_level(in_inverted_index(&photos.table, block_sk(username)), Level::Mute);
    add("mutes by others", count(muted_by).await?);
    if let Some(table) = &photos.favorites {
        for (kind, pk) in [
            ("favorites", entities::favorites_pk(username)),
            ("favorites", entities::histories_pk(username)),
            ("tags", entities::tags_pk(username)),
            ("tags", entities::tag_names_pk(username)),
            ("counts of favorites", entities::favorite_count_pk(username)),
            ("counts of tags", entities::tag_count_pk(username)),
        ] {
            add(kind, count(in_partition(table, pk).key_condition_expression("pk = :pk")).await?);
        }
    }
    if let Some(table) = &photos.feed {
        for (kind, pk) in [
            ("items of the feed", entities::feed_pk(username)),
            ("lists of the newest photos", entities::latest_pk(username)),
            ("exceptions", entities::exceptions_pk(username)),
            ("vectors", entities::vectors_pk(username)),
        ] {
            add(kind, count(in_partition(table, pk).key_condition_expression("pk = :pk")).await?);
        }
        let engagements = in_partition(table, entities::engagements_pk(username)).key_condition_expression("pk = :pk");
        for (kind, filter) in [
            ("engagements", "attribute_exists(reactions)"),
            ("engagements without reactions", "attribute_not_exists(reactions)"),
        ] {
            add(kind, count(engagements.clone().filter_expression(filter)).await?);
        }
        let inbox = in_partition(table, entities::inbox_pk(username));
        let devices = inbox
            .clone()
            .key_condition_expression("pk = :pk AND sk = :devices")
            .expression_attribute_values(":devices", S(DEVICES.to_owned()));
        let devices = count(devices).await?;
        add("devices", devices);
        add("items of the inbox", count(inbox.key_condition_expression("pk = :pk")).await? - devices);
    }
    if let Some(bucket) = photos.bucket {
        add("objects", count_objects(bucket, username).await?);
    }
    Ok(remains)
}

/// Builds the query for the items that a count of a user includes, and for followers and photos
/// that are not counted. Only an index finds what others have of the user, and the comments.
pub(super) fn counted_by(table: &Table, username: &Username, count: UserCount) -> QueryFluentBuilder {
    match count {
        UserCount::Followers => with_prefix(table, username, FRIEND_PREFIX),
        UserCount::Following => in_inverted_index(table, friend_sk(username)),
        // Without the traces of expired photos.
        UserCount::Photos | UserCount::Uploads => with_prefix(table, username, &photo_sk_prefix(username))
            .filter_expression("attribute_not_exists(erasing) OR attribute_not_exists(#ttl)")
            .expression_attribute_names("#ttl", "ttl"),
        UserCount::Rejected => with_prefix(table, username, &photo_sk_prefix(username))
            .filter_expression(
                "attribute_exists(rejected) AND (attribute_not_exists(erasing) OR attribute_not_exists(#ttl))",
            )
            .expression_attribute_names("#ttl", "ttl"),
        UserCount::Comments => {
            let query = table.client.query().table_name(&table.name).index_name(COMMENTS_BY_AUTHOR);
            query
                .key_condition_expression("author = :user")
                .expression_attribute_values(":user", S(username.to_string()))
        }
        UserCount::Requests => in_inverted_index(table, ask_sk(username)),
        UserCount::ReceivedRequests => with_prefix(table, username, ASK_PREFIX),
        UserCount::Blocks => at_level(with_prefix(table, username, BLOCK_PREFIX), Level::Block),
        UserCount::Mutes => at_level(with_prefix(table, username, BLOCK_PREFIX), Level::Mute),
        UserCount::Links => with_prefix(table, username, SHARE_PREFIX),
        UserCount::BlockedBy => at_level(in_inverted_index(table, block_sk(username)), Level::Block),
    }
}

/// Filters a query for blocks and mutes.
fn at_level(query: QueryFluentBuilder, level: Level) -> QueryFluentBuilder {
    let query = query.filter_expression("#level = :level").expression_attribute_names("#level", "level");
    query.expression_attribute_values(":level", S(level.to_string()))
}

fn in_inverted_index(table: &Table, sk: String) -> QueryFluentBuilder {
    let query = table.client.query().table_name(&table.name).index_name(INVERTED_INDEX);
    query.key_condition_expression("SK = :sk").expression_attribute_values(":sk", S(sk))
}

fn with_prefix(table: &Table, username: &Username, prefix: &str) -> QueryFluentBuilder {
    in_partition(table, user_pk(username))
        .key_condition_expression("PK = :pk AND begins_with(SK, :prefix)")
        .expression_attribute_values(":prefix", S(prefix.to_owned()))
}

fn in_partition(table: &Table, pk: String) -> QueryFluentBuilder {
    let query = table.client.query().table_name(&table.name).consistent_read(true);
    query.expression_attribute_values(":pk", S(pk))
}

async fn count_objects(bucket: &Bucket, username: &Username) -> Result<i64, Error> {
    let mut number = 0;
    for prefix in [PICTURES_PREFIX, INCOMING_PREFIX, IMPORTED_PREFIX] {
        let objects = objects::list(bucket, format!("{prefix}{username}/")).await?;
        number += objects.iter().filter(|object| object.is_current).map(|_| 1).sum::<i64>();
    }
    Ok(number)
}
