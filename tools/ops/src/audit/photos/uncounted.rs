//! Reactions, comments and friendships that process-changes has not counted yet.

use std::time::{Duration, SystemTime};

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::builders::UpdateBuilder;
use shared::Table;
use shared::dynamodb::counter::Decrement;
use shared::dynamodb::{Item, batch};
use shared::entities::{COUNTS_RESPONSES, IS_UNCOUNTED, Key, Position, UNCOUNTED, counted_comment, delete_uncounted};
use shared::values::{CommentId, ReactionType, Timestamp, Username};

use crate::audit::error::Error;
use crate::audit::write::{check, check_part, delete, delete_counted, delete_part, number, update, update_part, write};

/// Returns the time at which an item of this age was written.
pub(super) fn time_before(age: Duration) -> Timestamp {
    let time = SystemTime::now().checked_sub(age).unwrap_or(SystemTime::UNIX_EPOCH);
    time.max(SystemTime::UNIX_EPOCH).into()
}

/// Returns the number of the reactions or comments that a query of the inverted index finds, that have no mark, and for
/// which `is_counted` is true. The index does not have the mark, so this reads each of them from the table.
pub(super) async fn count_counted(
    table: &Table,
    query: QueryFluentBuilder,
    is_counted: impl Fn(&Item) -> bool,
) -> Result<i64, Error> {
    let mut pages = query.into_paginator().send();
    let mut counted = 0;
    while let Some(page) = pages.try_next().await? {
        let keys = page.items().iter().map(Key::of_item).collect::<Result<_, _>>()?;
        let items = batch::get(table, keys, true).await?;
        let items = items.iter().filter(|item| !item.contains_key(UNCOUNTED) && is_counted(item));
        counted += items.map(|_| 1).sum::<i64>();
    }
    Ok(counted)
}

/// Counts a reaction that was given at this time, or deletes it if its photo is gone. Returns false
/// if it has no mark any more.
pub(super) async fn count_reaction(
    table: &Table,
    key: Key,
    reaction: ReactionType,
    photo: &Position,
    given: &Timestamp,
) -> Result<bool, Error> {
    let photo = Key::photo(&photo.author, &photo.id);
    let increment = update(table, photo.clone())
        .update_expression("SET reactions.#type = if_not_exists(reactions.#type, :zero) + :one")
        .expression_attribute_names("#type", reaction.as_ref())
        .expression_attribute_values(":zero", number(0));
    count_or_delete(table, (key, given), photo, increment, None).await
}

/// Counts a comment, or deletes it if its photo is gone. Returns false if it has no mark any more.
pub(super) async fn count_comment(table: &Table, id: &CommentId, photo: &Position) -> Result<bool, Error> {
    let increment = update(table, Key::photo(&photo.author, &photo.id)).update_expression("ADD comments :one");
    if count(table, Key::comment(id, &photo.author, &photo.id), &id.timestamp, increment).await? {
        return Ok(true);
    }
    // The next inspection finds out whether it is deleted.
    let comment = counted_comment(&table.name, id, &photo.author, &photo.id);
    delete_uncounted(table, vec![(comment, id.timestamp.clone())]).await?;
    Ok(false)
}

/// Counts a friendship, or deletes it if the followed user is gone. Returns false if it has no mark
/// any more.
pub(super) async fn count_friendship(
    table: &Table,
    followed: &Username,
    following: &Username,
    since: &Timestamp,
) -> Result<bool, Error> {
    let user = Key::user(followed);
    let increment = update(table, user.clone()).update_expression("ADD followers :one");
    let decrement = Decrement::new(&table.name, Key::user(following), "following");
    let friendship = Key::friendship(followed, following);
    count_or_delete(table, (friendship, since), user, increment, Some(decrement)).await
}

/// Adds an item, given at this time, to the count of the item with the key `counting`. If that is
/// gone, also if there is a later photo of this key, deletes the item, and decrements the count
/// that includes it although it has the mark.
async fn count_or_delete(
    table: &Table,
    (item, given): (Key, &Timestamp),
    counting: Key,
    increment: UpdateBuilder,
    decrement: Option<Decrement>,
) -> Result<bool, Error> {
    if count(table, item.clone(), given, increment).await? {
        return Ok(true);
    }
    let delete = delete(table, item).condition_expression(IS_UNCOUNTED);
    let is_gone = check(table, counting)
        .condition_expression(format!("NOT ({COUNTS_RESPONSES})"))
        .expression_attribute_values(":given", S(given.to_string()));
    delete_counted(table, vec![delete_part(delete)?, check_part(is_gone)?], decrement).await
}

/// Adds an item, given at this time, to a count. Returns false if it has no mark any more, or if what counts it is
/// gone.
async fn count(table: &Table, item: Key, given: &Timestamp, increment: UpdateBuilder) -> Result<bool, Error> {
    let remove_mark = update(table, item).condition_expression(IS_UNCOUNTED).update_expression("REMOVE uncounted");
    let increment = increment
        .condition_expression(COUNTS_RESPONSES)
        .expression_attribute_values(":given", S(given.to_string()))
        .expression_attribute_values(":one", number(1));
    write(table, vec![update_part(remove_mark)?, update_part(increment)?]).await
}
