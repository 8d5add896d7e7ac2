//! `POST /users/{username}/favorites/{dataId}/restore`: undoes unclip-favorite, by one `TransactWriteItems` that puts
//! the favorite and the entries of its tags back, and deletes its history. Two `BatchGetItem` before it say what it had,
//! and which of its tags there still are. Repeated, it changes nothing.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem};
use serde::Deserialize;
use shared::dynamodb::Item;
use shared::dynamodb::batch;
use shared::dynamodb::transaction;
use shared::dynamodb::transaction::Outcome;
use shared::http::answer;
use shared::http::request::{Caller, Fields, path};
use shared::model::entity;
use shared::model::favorites::{Favorite, FavoriteTag, Key, PK, favorites_pk, histories_pk, restored_item};
use shared::values::{DataId, EpochMillis, TagId, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// One transaction takes [100 items](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html),
/// and three of them are the favorite, its history and the count of tags. Here a favorite gets 50 tags at most; another
/// program may have given it more.
const MAX_TAGS: usize = 97;
/// How often it is read again, where others keep changing it, before the caller is told to come back later.
const ROUNDS: usize = 5;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(restore_favorite).await
}

/// What a history has besides its favorite.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct History {
    #[serde(default)]
    tag_ids: BTreeSet<TagId>,
    ttl: Option<u64>,
}

/// A tag, as far as it matters here.
#[derive(Deserialize)]
struct Tag {
    sk: TagId,
}

async fn restore_favorite(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    let data_id: DataId = path(&request, "dataId")?;
    Caller::of(&request)?.must_be(&username)?;
    Fields::of(&request)?.finish()?;

    for _ in 0..ROUNDS {
        // Consistently, so that what was taken out just now can be restored. The favorite is among them because a
        // transaction that finds it there costs as much as one that writes it.
        let keys = [Key::favorite(&username, &data_id), Key::history(&username, &data_id), Key::tag_count(&username)];
        let mut found = batch::get(&table, keys.map(Item::from).into(), true).await?;
        let mut take = |pk: String| {
            let index = found.iter().position(|item| item[PK] == S(pk.clone()))?;
            Some(found.swap_remove(index))
        };
        if let Some(there_already) = take(favorites_pk(&username)) {
            return answer::ok(&entity::from_item::<Favorite>(there_already)?);
        }
        let no_history = || Error::NotFound(format!("favorite {data_id} that could be restored"));
        let item = take(histories_pk(&username)).ok_or_else(no_history)?;
        let deletions = found.pop().and_then(|mut tag_count| tag_count.remove("deletions"));

        let history: History = entity::from_item(item.clone())?;
        // DynamoDB deletes it within days of that time, not at once.
        if history.ttl.is_some_and(|ttl| ttl < EpochMillis::now().seconds()) {
            return Err(no_history());
        }
        // Consistently, so that no tag comes back that is deleted.
        let keys: Vec<Item> = history.tag_ids.iter().map(|tag_id| Key::tag(&username, tag_id).into()).collect();
        let mut tags = vec![];
        for keys in keys.chunks(batch::MAX_GET_KEYS) {
            tags.extend(entity::from_items::<Tag>(batch::get(&table, keys.to_vec(), true).await?)?);
        }
        if tags.len() > MAX_TAGS {
            return Err(Error::Conflict(format!(
                "The favorite {data_id} had {} tags that are still there. Delete some first: with more than \
                 {MAX_TAGS}, it can't be restored.",
                tags.len()
            )));
        }

        let favorite: Favorite = entity::from_item(item.clone())?;
        let put_favorite = Put::builder()
            .table_name(&table.name)
            .set_item(Some(restored_item(&username, &favorite, item.clone(), tags.len())))
            .condition_expression("attribute_not_exists(pk)")
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()?;
        // It is the history that was read: whoever restores the favorite and takes it out again may have given it other
        // tags, whoever clips it anew another time.
        let delete_history = Delete::builder()
            .table_name(&table.name)
            .set_key(Some(Key::history(&username, &data_id).into()))
            .expression_attribute_values(":clipTime", item["clipTime"].clone());
        let delete_history = match item.get("tagIds") {
            Some(tag_ids) => delete_history
                .condition_expression("clipTime = :clipTime AND tagIds = :tagIds")
                .expression_attribute_values(":tagIds", tag_ids.clone()),
            None => delete_history.condition_expression("clipTime = :clipTime AND attribute_not_exists(tagIds)"),
        };
        // No tag was deleted since: delete-tag counts what it deletes. A check of each tag would be as many items again
        // as there are entries, which don't fit into one transaction together.
        let no_tag_was_deleted =
            ConditionCheck::builder().table_name(&table.name).set_key(Some(Key::tag_count(&username).into()));
        let no_tag_was_deleted = match deletions {
            Some(deletions) => no_tag_was_deleted
                .condition_expression("deletions = :deletions")
                .expression_attribute_values(":deletions", deletions),
            None => no_tag_was_deleted.condition_expression("attribute_not_exists(deletions)"),
        };
        let mut transaction = table
            .client
            .transact_write_items()
            .transact_items(TransactWriteItem::builder().put(put_favorite).build())
            .transact_items(TransactWriteItem::builder().delete(delete_history.build()?).build())
            .transact_items(TransactWriteItem::builder().condition_check(no_tag_was_deleted.build()?).build());
        for Tag { sk: tag_id } in tags {
            let put_entry = Put::builder()
                .table_name(&table.name)
                .set_item(Some(FavoriteTag::new(&favorite, tag_id).item(&username)))
                .build()?;
            transaction = transaction.transact_items(TransactWriteItem::builder().put(put_entry).build());
        }
        match transaction::write(transaction).await? {
            Outcome::Committed => {
                return answer::created(&format!("/users/{username}/favorites/{data_id}"), &favorite);
            }
            Outcome::ConditionFailed(mut failed) if failed.contains(0) => {
                let there_already = failed.take_item(0).unwrap_or_default();
                return answer::ok(&entity::from_item::<Favorite>(there_already)?);
            }
            Outcome::ConditionFailed(_) => {}
        }
    }
    Err(Error::Busy(format!("tags were deleted {ROUNDS} times while the favorite was restored").into()))
}
