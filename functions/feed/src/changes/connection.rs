//! Connects a reader to an author when a friendship begins, by a pull or by an exception and
//! entries, and disconnects them when it ends.

use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::builders::{DeleteBuilder, PutBuilder};
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Put, Update};
use futures_util::{StreamExt, TryStreamExt, stream};
use shared::Error;
use shared::changes::Context;
use shared::dynamodb::counter::Decrement;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::dynamodb::{Item, batch};
use shared::entities::{
    BACKFILL, Delivery, Friendship, Key, Latest, MAX_PULLS, Position, entry_item, query_followers, reader_of,
};
use shared::values::Username;

use super::latest;

/// The maximum number of followers of a page that get their pulls at the same time.
const MAX_CONCURRENT_PULLS: usize = 16;
/// The number of followers after which a conversion stores how far it has got.
const MAX_CONVERTED_AT_ONCE: i32 = 500;

/// Gives a new follower a pull, or the newest photos of the author.
pub(super) async fn connect(context: &Context, friendship: &Friendship) -> Result<(), Error> {
    let Friendship { followed_user: author, following_user: reader, .. } = friendship;
    match latest::get(&context.feed, author).await? {
        Some(Latest { delivery: Delivery::Converting | Delivery::Pull, .. }) => pull(context, reader, author).await,
        Some(latest) if follows(context, reader, author).await? => backfill(context, reader, latest).await,
        _ => Ok(()),
    }
}

/// Returns whether a reader follows an author at this moment, by a consistent `GetItem`.
async fn follows(context: &Context, reader: &Username, author: &Username) -> Result<bool, Error> {
    let get = context.table.client.get_item().table_name(&context.table.name).consistent_read(true);
    let output = get.set_key(Some(Key::friendship(author, reader).into())).send().await?;
    Ok(output.item.is_some())
}

/// Deletes the pull or the exception of a reader. Only the conditions of the transactions tell
/// which of them exists.
///
/// A reader who follows again meanwhile keeps it, because each transaction checks that there is
/// no friendship.
pub(super) async fn disconnect(context: &Context, friendship: &Friendship) -> Result<(), Error> {
    let Friendship { followed_user: author, following_user: reader, .. } = friendship;
    if let Some(Latest { delivery: Delivery::Push, .. }) = latest::get(&context.feed, author).await? {
        return Ok(());
    }
    let is_gone = check_friendship(context, reader, author, "attribute_not_exists(PK)")?;
    let delete_pull = delete(context, Key::pull(reader, author)).condition_expression("attribute_exists(pk)");
    // finish-deletion may have deleted the count of the reader already, and is about to delete
    // the pull.
    let decrement = Decrement::new(&context.feed.name, Key::pull_count(reader), "pulls").update(1)?;
    let mut transaction = Transaction::new();
    let friendship = transaction.condition_check(is_gone.clone());
    transaction.delete(delete_pull.build()?);
    transaction.update(decrement);
    if let Outcome::ConditionFailed(failed) = transaction.write(&context.feed.client).await?
        && failed.contains(friendship)
    {
        return Ok(());
    }
    let delete_exception = delete(context, Key::exception(author, reader)).build()?;
    let mut transaction = Transaction::new();
    transaction.condition_check(is_gone);
    transaction.delete(delete_exception);
    transaction.write(&context.feed.client).await?;
    Ok(())
}

/// Puts a pull of an author for a reader, if the friendship exists. A reader with [`MAX_PULLS`]
/// pulls becomes an exception instead, and gets entries of the newest photos.
pub(super) async fn pull(context: &Context, reader: &Username, author: &Username) -> Result<(), Error> {
    let exists = check_friendship(context, reader, author, "attribute_exists(PK)")?;
    let put_pull = put(context, Key::pull(reader, author).into()).condition_expression("attribute_not_exists(pk)");
    let increment = Update::builder()
        .table_name(&context.feed.name)
        .set_key(Some(Key::pull_count(reader).into()))
        .condition_expression("attribute_not_exists(pulls) OR pulls < :max")
        .update_expression("ADD pulls :one")
        .expression_attribute_values(":max", N(MAX_PULLS.to_string()))
        .expression_attribute_values(":one", N("1".to_owned()))
        .build()?;
    let mut transaction = Transaction::new();
    let friendship = transaction.condition_check(exists.clone());
    let pull = transaction.put(put_pull.build()?);
    transaction.update(increment);
    match transaction.write(&context.feed.client).await? {
        // The reader has the maximum of pulls.
        Outcome::ConditionFailed(failed) if !failed.contains_any([friendship, pull]) => {}
        Outcome::Committed | Outcome::ConditionFailed(_) => return Ok(()),
    }
    let put_exception = put(context, Key::exception(author, reader).into()).build()?;
    let mut transaction = Transaction::new();
    transaction.condition_check(exists);
    transaction.put(put_exception);
    if let Outcome::ConditionFailed(_) = transaction.write(&context.feed.client).await? {
        return Ok(());
    }
    // The read comes after the exception. So a photo that is published meanwhile is in the
    // `Latest` already, or its publication finds the exception.
    match latest::get(&context.feed, author).await? {
        Some(latest) => backfill(context, reader, latest).await,
        None => Ok(()),
    }
}

/// Writes entries of an author's newest photos into the feed of a new follower.
async fn backfill(context: &Context, reader: &Username, latest: Latest) -> Result<(), Error> {
    let Latest { author, photos, .. } = latest;
    let newest = photos.into_iter().rev().take(BACKFILL);
    let newest = newest.map(|id| Position { id, author: author.clone() });
    let puts = newest.map(|position| batch::put(entry_item(reader, &position))).collect::<Result<_, _>>()?;
    batch::write(&context.feed, puts).await
}

/// Gives every follower of an author a pull or an exception. From then on, the author's photos
/// fan out on read.
///
/// A follower who comes meanwhile finds that the author is being converted, and gets a pull
/// without this. An interrupted invocation has stored the last follower of each page, from
/// which the next one continues.
pub(super) async fn convert(context: &Context, author: &Username) -> Result<(), Error> {
    let converted = latest::get(&context.feed, author).await?.and_then(|latest| latest.converted);
    let start = converted.map(|reader| Key::friendship(author, &reader).into());
    let followers = query_followers(&context.table, author).set_exclusive_start_key(start).limit(MAX_CONVERTED_AT_ONCE);
    let mut pages = followers.into_paginator().send();
    while let Some(page) = pages.try_next().await? {
        let readers = page.items.unwrap_or_default().into_iter().map(reader_of).collect::<Result<Vec<_>, _>>()?;
        let pulls = readers.iter().map(|reader| pull(context, reader, author));
        stream::iter(pulls).buffer_unordered(MAX_CONCURRENT_PULLS).try_collect::<()>().await?;
        if let Some(last) = readers.last() {
            latest::set_converted(&context.feed, author, last).await?;
        }
    }
    latest::set_delivery(&context.feed, author, Delivery::Converting, Delivery::Pull).await
}

fn check_friendship(
    context: &Context,
    reader: &Username,
    author: &Username,
    condition: &str,
) -> Result<ConditionCheck, Error> {
    let check = ConditionCheck::builder()
        .table_name(&context.table.name)
        .set_key(Some(Key::friendship(author, reader).into()))
        .condition_expression(condition)
        .build()?;
    Ok(check)
}

fn put(context: &Context, item: Item) -> PutBuilder {
    Put::builder().table_name(&context.feed.name).set_item(Some(item))
}

fn delete(context: &Context, key: Key) -> DeleteBuilder {
    Delete::builder().table_name(&context.feed.name).set_key(Some(key.into()))
}
