//! `DELETE /users/{username}/favorites/{dataId}`: takes a favorite out, by one `TransactWriteItems` that deletes it and
//! its tags' entries and puts what restore-favorite needs to undo it. A `GetItem` and a `Query` before it, at the same
//! time, say what there is to delete. Repeated, it changes nothing.

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::{Delete, Put, TransactWriteItem};
use serde::Deserialize;
use shared::dynamodb::transaction;
use shared::dynamodb::transaction::Outcome;
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::model::entity;
use shared::model::favorites::{Favorite, Key, history_item, tags_of_favorite_pk};
use shared::values::{DataId, EpochMillis, TagId, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// One transaction takes [100 items](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html),
/// and two of them are the favorite and its history. Here a favorite gets 50 tags at most; another program may have
/// given it more.
const MAX_TAGS: usize = 98;
/// How often it is read again, where others keep changing it, before the caller is told to come back later.
const ROUNDS: usize = 5;
const SECONDS_OF_DAY: u64 = 24 * 60 * 60;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let days = std::env::var("HISTORY_DAYS").map_err(|_| "HISTORY_DAYS is not set")?;
    let days: u32 = days.parse().map_err(|_| format!("HISTORY_DAYS is no whole number: {days}"))?;
    shared::run(|table, request| unclip_favorite(table, request, days)).await
}

/// An entry of a tag, as far as it is asked for.
#[derive(Deserialize)]
struct Entry {
    sk: TagId,
}

async fn unclip_favorite(table: Table, request: Request, history_days: u32) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    let data_id: DataId = path(&request, "dataId")?;
    Caller::of(&request)?.must_be(&username)?;

    let mut miscounted = None;
    for _ in 0..ROUNDS {
        // Consistently: what was clipped just now would be taken to be gone, and a tag put on just now be left behind.
        let favorite = table
            .client
            .get_item()
            .table_name(&table.name)
            .set_key(Some(Key::favorite(&username, &data_id).into()))
            .consistent_read(true);
        let entries = table
            .client
            .query()
            .table_name(&table.name)
            .key_condition_expression("pk = :tags")
            .expression_attribute_values(":tags", S(tags_of_favorite_pk(&username, &data_id)))
            .projection_expression("sk")
            .consistent_read(true)
            .into_paginator()
            .items();
        let (favorite, entries) = tokio::join!(favorite.send(), entries.send().try_collect());
        let Some(item) = favorite?.item else {
            return Ok(answer::no_content());
        };
        let favorite: Favorite = entity::from_item(item.clone())?;
        let tag_ids: Vec<TagId> = entity::from_items(entries?)?.into_iter().map(|Entry { sk }| sk).collect();
        if tag_ids.len() > MAX_TAGS {
            return Err(Error::Conflict(format!(
                "The favorite {data_id} has {} tags. Take some off first: with more than {MAX_TAGS}, it can't be taken \
                 out.",
                tag_ids.len()
            )));
        }
        // Its tags changed between the two reads, and an entry that wasn't seen would be left behind. If they are the
        // same when they are read again, another program has put tags on it without counting.
        if favorite.tag_count.is_some_and(|tags| tags != tag_ids.len() as u64) {
            let now = Some((favorite.tag_count, tag_ids.clone()));
            if miscounted != now {
                miscounted = now;
                continue;
            }
        }

        // Every entry that was read is still there, and the count says that there are no more. The time tells the
        // favorite from one that was clipped anew.
        let delete_favorite = Delete::builder()
            .table_name(&table.name)
            .set_key(Some(Key::favorite(&username, &data_id).into()))
            .expression_attribute_values(":clipTime", item["clipTime"].clone());
        let delete_favorite = match item.get("tagCount") {
            Some(tags) => delete_favorite
                .condition_expression("clipTime = :clipTime AND tagCount = :tags")
                .expression_attribute_values(":tags", tags.clone()),
            None => delete_favorite.condition_expression("clipTime = :clipTime AND attribute_not_exists(tagCount)"),
        };
        let ttl = EpochMillis::now().seconds() + u64::from(history_days) * SECONDS_OF_DAY;
        let put_history = Put::builder()
            .table_name(&table.name)
            .set_item(Some(history_item(&username, &favorite, item, &tag_ids, ttl)))
            .build()?;
        let mut transaction = table
            .client
            .transact_write_items()
            .transact_items(TransactWriteItem::builder().delete(delete_favorite.build()?).build())
            .transact_items(TransactWriteItem::builder().put(put_history).build());
        for tag_id in &tag_ids {
            let delete_entry = Delete::builder()
                .table_name(&table.name)
                .set_key(Some(Key::favorite_tag(&username, &data_id, tag_id).into()))
                .condition_expression("attribute_exists(pk)")
                .build()?;
            transaction = transaction.transact_items(TransactWriteItem::builder().delete(delete_entry).build());
        }
        if let Outcome::Committed = transaction::write(transaction).await? {
            return Ok(answer::no_content());
        }
    }
    Err(Error::Busy(format!("the favorite changed {ROUNDS} times while it was read").into()))
}
