//! `POST /users/{username}/favorites/{dataId}/restore`: undoes unclip-favorite by one `TransactWriteItems`, which puts
//! the favorite and the entries of its tags, deletes its history, and checks that no tag was deleted concurrently.
//!
//! Before it, one consistent `BatchGetItem` reads the favorite, its history and the tag count, and one for every 100
//! tags reads those tags of the history that still exist. If the favorite exists already, the function changes nothing
//! and returns it, so a caller may repeat the request.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::operation::transact_write_items::builders::TransactWriteItemsFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::{self, S};
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

/// The maximum number of tags that a restored favorite can have. A transaction takes [100
/// items](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html), and three of
/// them are the favorite, its history and the tag count. The API gives a favorite at most 50 tags, but another program
/// may have given it more.
const MAX_TAGS: usize = 97;
/// The retry budget: the maximum number of attempts, each of which reads the history and its tags and sends a
/// transaction. Another attempt follows only if a concurrent request has changed the history or deleted a tag, so it
/// needs no pause.
const MAX_ATTEMPTS: usize = 5;
/// The position of the favorite in the transaction.
const FAVORITE: usize = 0;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(restore_favorite).await
}

async fn restore_favorite(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    let data_id: DataId = path(&request, "dataId")?;
    Caller::of(&request)?.must_be(&username)?;
    Fields::of(&request)?.finish()?;

    for _ in 0..MAX_ATTEMPTS {
        let snapshot = read_snapshot(&table, &username, &data_id).await?;
        if let Some(existing) = snapshot.favorite {
            return answer::ok(&entity::from_item::<Favorite>(existing)?);
        }
        let history = snapshot.history.map(History::from_item).transpose()?.filter(|history| !history.is_expired());
        let history = history.ok_or_else(|| Error::NotFound(format!("favorite {data_id} that could be restored")))?;
        let tag_ids = existing_tags(&table, &username, &history).await?;
        if tag_ids.len() > MAX_TAGS {
            return Err(Error::Conflict(format!(
                "The favorite {data_id} had {} tags that still exist. It can be restored with at most {MAX_TAGS} tags: \
                 delete some of them first.",
                tag_ids.len()
            )));
        }

        let transaction = build_transaction(&table, &username, &history, snapshot.tag_deletions, tag_ids)?;
        match transaction::write(transaction).await? {
            Outcome::Committed => {
                return answer::created(&format!("/users/{username}/favorites/{data_id}"), &history.favorite);
            }
            Outcome::ConditionFailed(mut failed) if failed.contains(FAVORITE) => {
                let existing = failed.take_item(FAVORITE).unwrap_or_default();
                return answer::ok(&entity::from_item::<Favorite>(existing)?);
            }
            Outcome::ConditionFailed(_) => {}
        }
    }
    Err(Error::Busy(format!("the history or the tags changed during each of {MAX_ATTEMPTS} attempts").into()))
}

/// The items that an attempt begins with.
#[derive(Default)]
struct Snapshot {
    favorite: Option<Item>,
    history: Option<Item>,
    /// The attribute `deletions` of the user's tag count.
    tag_deletions: Option<AttributeValue>,
}

/// Reads the favorite, its history and the user's tag count by one `BatchGetItem`. It includes the favorite because a
/// transaction that fails on an existing favorite costs as much as one that writes it. The read is consistent, so that
/// a favorite can be restored at once after it is unclipped.
async fn read_snapshot(table: &Table, username: &Username, data_id: &DataId) -> Result<Snapshot, Error> {
    let keys = [Key::favorite(username, data_id), Key::history(username, data_id), Key::tag_count(username)];
    let mut snapshot = Snapshot::default();
    for mut item in batch::get(table, keys.map(Item::from).into(), true).await? {
        if item[PK] == S(favorites_pk(username)) {
            snapshot.favorite = Some(item);
        } else if item[PK] == S(histories_pk(username)) {
            snapshot.history = Some(item);
        } else {
            snapshot.tag_deletions = item.remove("deletions");
        }
    }
    Ok(snapshot)
}

/// The history of a favorite.
struct History {
    /// The whole item, with the attributes that another program gave it.
    item: Item,
    favorite: Favorite,
    tag_ids: BTreeSet<TagId>,
    ttl: Option<u64>,
}

impl History {
    fn from_item(item: Item) -> Result<Self, Error> {
        /// The attributes that a history has besides those of its favorite.
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Attributes {
            #[serde(default)]
            tag_ids: BTreeSet<TagId>,
            ttl: Option<u64>,
        }
        let Attributes { tag_ids, ttl } = entity::from_item(item.clone())?;
        Ok(Self { favorite: entity::from_item(item.clone())?, item, tag_ids, ttl })
    }

    /// Returns whether the time to live is over. DynamoDB deletes an expired item within a few days, not at once.
    fn is_expired(&self) -> bool {
        self.ttl.is_some_and(|ttl| ttl < EpochMillis::now().seconds())
    }
}

/// Returns the tags of the history that still exist, by a `BatchGetItem` for every 100 of them. The read is consistent,
/// so that a deleted tag is not restored.
async fn existing_tags(table: &Table, username: &Username, history: &History) -> Result<Vec<TagId>, Error> {
    /// The one attribute of a tag that is used here.
    #[derive(Deserialize)]
    struct Tag {
        sk: TagId,
    }
    let keys: Vec<Item> = history.tag_ids.iter().map(|tag_id| Key::tag(username, tag_id).into()).collect();
    let mut tag_ids = vec![];
    for keys in keys.chunks(batch::MAX_GET_KEYS) {
        let tags: Vec<Tag> = entity::from_items(batch::get(table, keys.to_vec(), true).await?)?;
        tag_ids.extend(tags.into_iter().map(|Tag { sk }| sk));
    }
    Ok(tag_ids)
}

/// Builds the transaction. It is written only if nothing has changed since the reads: there is no favorite, the history
/// is the same, and no tag is deleted.
fn build_transaction(
    table: &Table,
    username: &Username,
    history: &History,
    tag_deletions: Option<AttributeValue>,
    tag_ids: Vec<TagId>,
) -> Result<TransactWriteItemsFluentBuilder, Error> {
    let History { item, favorite, .. } = history;
    let put_favorite = Put::builder()
        .table_name(&table.name)
        .set_item(Some(restored_item(username, favorite, item.clone(), tag_ids.len())))
        .condition_expression("attribute_not_exists(pk)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    // A favorite that was restored and unclipped again may have other tags in its history, and one that was clipped
    // again has another clip time.
    let delete_history = Delete::builder()
        .table_name(&table.name)
        .set_key(Some(Key::history(username, &favorite.data_id).into()))
        .expression_attribute_values(":clipTime", item["clipTime"].clone());
    let delete_history = match item.get("tagIds") {
        Some(tag_ids) => delete_history
            .condition_expression("clipTime = :clipTime AND tagIds = :tagIds")
            .expression_attribute_values(":tagIds", tag_ids.clone()),
        None => delete_history.condition_expression("clipTime = :clipTime AND attribute_not_exists(tagIds)"),
    };
    // delete-tag counts its deletions, so one check covers all tags. A check of each tag would double the number of
    // items in the transaction, which would then have room for half as many tags.
    let check_tag_deletions =
        ConditionCheck::builder().table_name(&table.name).set_key(Some(Key::tag_count(username).into()));
    let check_tag_deletions = match tag_deletions {
        Some(deletions) => check_tag_deletions
            .condition_expression("deletions = :deletions")
            .expression_attribute_values(":deletions", deletions),
        None => check_tag_deletions.condition_expression("attribute_not_exists(deletions)"),
    };
    let mut transaction = table
        .client
        .transact_write_items()
        .transact_items(TransactWriteItem::builder().put(put_favorite).build())
        .transact_items(TransactWriteItem::builder().delete(delete_history.build()?).build())
        .transact_items(TransactWriteItem::builder().condition_check(check_tag_deletions.build()?).build());
    for tag_id in tag_ids {
        let put_entry = Put::builder()
            .table_name(&table.name)
            .set_item(Some(FavoriteTag::new(favorite, tag_id).item(username)))
            .build()?;
        transaction = transaction.transact_items(TransactWriteItem::builder().put(put_entry).build());
    }
    Ok(transaction)
}
