//! Deletes the favorites, tags and idempotency keys of a deleted user, from the table of favorites.
//!
//! A token of the user stays valid for a while, and its requests may write favorites and tags at the same time. So every
//! step leaves the table as those requests expect it: no tag without its name, no count that is wrong, no tag on a
//! favorite that is gone. What a request adds behind a step, the next pass deletes. What it adds after the last pass
//! stays.

use std::cell::Cell;
use std::collections::HashMap;

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::{self, S};
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Select, TransactWriteItem};
use shared::dynamodb::transaction::{self, Decrement, Outcome};
use shared::dynamodb::{Item, unless_condition_failed};
use shared::model::favorites::{
    Key, PK, SK, favorites_pk, histories_pk, idempotency_keys_pk, tag_names_pk, tags_of_favorite_pk, tags_pk, unchanged,
};
use shared::values::{DataId, Username};
use shared::{Error, Table};
use tokio::time::Instant;

use crate::items::{delete_each, delete_in_transactions, for_each_page};

/// The maximum number of tags that one transaction deletes.
const MAX_TAGS_PER_TRANSACTION: usize = 50;

/// Deletes the favorites, tags and idempotency keys of a user. `index-favorite` deletes the terms of each favorite.
/// Returns whether it got to the end before the deadline, and no concurrent request has changed what it deletes.
///
/// The tags go first, because nothing can be put on a favorite after that. The histories go before the favorites and
/// after them, because a concurrent request may move a favorite to its history, or back. If the favorites were deleted
/// first and the histories next, a restore in between would escape. In the other order, an unclip would.
pub(crate) async fn delete_all(table: &Table, owner: &Username, page_deadline: Instant) -> Result<bool, Error> {
    let mut is_complete = delete_partition(table, histories_pk(owner), page_deadline).await?;
    is_complete &= delete_tags(table, owner, page_deadline).await?;
    is_complete &= delete_favorites(table, owner, page_deadline).await?;
    is_complete &= delete_partition(table, histories_pk(owner), page_deadline).await?;
    is_complete &= release_names(table, owner, page_deadline).await?;
    is_complete &= delete_partition(table, idempotency_keys_pk(owner), page_deadline).await?;
    Ok(is_complete
        && delete_count(table, Key::tag_count(owner), tags_pk(owner), &["tags", "deletions"]).await?
        && delete_count(table, Key::favorite_count(owner), favorites_pk(owner), &["favorites"]).await?)
}

/// Deletes the tags, and decrements their count in the same transactions. Returns whether it got to the last page.
async fn delete_tags(table: &Table, owner: &Username, page_deadline: Instant) -> Result<bool, Error> {
    let decrement = Decrement {
        table_name: table.name.clone(),
        key: Key::tag_count(owner).into(),
        condition: "tags >= :n",
        // create-tag and restore-favorite know by `deletions` that a tag which they have read may be deleted.
        update: "SET tags = tags - :n ADD deletions :n",
        otherwise: Some("ADD deletions :n"),
        names: None,
    };
    for_each_page(query_keys(table, tags_pk(owner)), page_deadline, async |keys| {
        let delete = |key| {
            let delete = Delete::builder().table_name(&table.name).set_key(Some(key));
            Ok((delete.condition_expression("attribute_exists(pk)").build()?, vec![decrement.clone()]))
        };
        let deletes = keys.into_iter().map(delete).collect::<Result<_, Error>>()?;
        delete_in_transactions(deletes, MAX_TAGS_PER_TRANSACTION, async |deletes| {
            transaction::delete_and_decrement(&table.client, deletes).await.map(drop)
        })
        .await
    })
    .await
}

/// Deletes the favorites, each after the entries of its tags. Returns whether all are deleted.
///
/// A favorite stays if it has changed since it was read, because it may have a tag again. Without the favorite, nothing
/// would find that tag.
async fn delete_favorites(table: &Table, owner: &Username, page_deadline: Instant) -> Result<bool, Error> {
    let are_deleted = Cell::new(true);
    let favorites = query(table, favorites_pk(owner)).projection_expression("pk, sk, clipTime, tagVersion");
    let is_last_page = delete_each(favorites, page_deadline, async |favorite| {
        let tags = tags_of_favorite_pk(owner, &data_id_of(&favorite)?);
        let is_deleted = delete_partition(table, tags, page_deadline).await?
            && delete_unchanged(table, &favorite, &["clipTime", "tagVersion"]).await?;
        are_deleted.set(are_deleted.get() && is_deleted);
        Ok(())
    })
    .await?;
    Ok(is_last_page && are_deleted.get())
}

/// Deletes the name reservations, on the condition that their tags are deleted. Returns whether all are deleted.
async fn release_names(table: &Table, owner: &Username, page_deadline: Instant) -> Result<bool, Error> {
    let are_deleted = Cell::new(true);
    let reservations = query(table, tag_names_pk(owner)).projection_expression("pk, sk, tagId");
    let is_last_page = delete_each(reservations, page_deadline, async |reservation| {
        let Some(tag_id) = reservation.get("tagId").and_then(|id| id.as_s().ok()?.parse().ok()) else {
            return delete_item(table, key_of(reservation)).await;
        };
        let check_tag = ConditionCheck::builder()
            .table_name(&table.name)
            .set_key(Some(Key::tag(owner, &tag_id).into()))
            .condition_expression("attribute_not_exists(pk)")
            .build()?;
        let delete_reservation = Delete::builder()
            .table_name(&table.name)
            .set_key(Some(key_of(reservation)))
            .condition_expression("attribute_not_exists(pk) OR tagId = :tagId")
            .expression_attribute_values(":tagId", S(tag_id.to_string()))
            .build()?;
        let transaction = table
            .client
            .transact_write_items()
            .transact_items(TransactWriteItem::builder().condition_check(check_tag).build())
            .transact_items(TransactWriteItem::builder().delete(delete_reservation).build());
        let is_deleted = matches!(transaction::write(transaction).await?, Outcome::Committed);
        are_deleted.set(are_deleted.get() && is_deleted);
        Ok(())
    })
    .await?;
    Ok(is_last_page && are_deleted.get())
}

/// Deletes the count, in the attributes `names`, of the items of a partition, unless there are items again. Returns
/// whether it is deleted.
///
/// The count itself does not tell, because another program may have left it wrong, and the pass deletes favorites
/// without it. But every new item changes it, so none was created after the Query if the count is still the same.
async fn delete_count(table: &Table, key: Key, counted: String, names: &[&str]) -> Result<bool, Error> {
    let key: Item = key.into();
    let count = table.client.get_item().table_name(&table.name).set_key(Some(key)).consistent_read(true).send().await?;
    let Some(count) = count.item else { return Ok(true) };
    let left = query(table, counted).select(Select::Count).limit(1).send().await?;
    Ok(left.count == 0 && delete_unchanged(table, &count, names).await?)
}

/// Deletes an item, on the condition that the attributes `names` are as they were read. Returns whether there is no
/// such item any more.
async fn delete_unchanged(table: &Table, item: &Item, names: &[&str]) -> Result<bool, Error> {
    let (condition, values) = unchanged(item, names);
    let deleted = table
        .client
        .delete_item()
        .table_name(&table.name)
        .set_key(Some(key_of(item.clone())))
        .condition_expression(format!("attribute_not_exists(pk) OR ({condition})"))
        // DynamoDB refuses an empty map.
        .set_expression_attribute_values(Some(values).filter(|values: &HashMap<_, AttributeValue>| !values.is_empty()))
        .send()
        .await;
    Ok(unless_condition_failed(deleted)?.is_some())
}

/// Deletes all items of a partition. Returns whether it got to the end before the deadline.
async fn delete_partition(table: &Table, pk: String, page_deadline: Instant) -> Result<bool, Error> {
    delete_each(query_keys(table, pk), page_deadline, async |key| delete_item(table, key).await).await
}

/// Builds a consistent query for all items of a partition.
fn query(table: &Table, pk: String) -> QueryFluentBuilder {
    table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("pk = :partition")
        .expression_attribute_values(":partition", S(pk))
        .consistent_read(true)
}

/// Builds a consistent query for the keys of all items of a partition.
fn query_keys(table: &Table, pk: String) -> QueryFluentBuilder {
    query(table, pk).projection_expression("pk, sk")
}

async fn delete_item(table: &Table, key: Item) -> Result<(), Error> {
    table.client.delete_item().table_name(&table.name).set_key(Some(key)).send().await?;
    Ok(())
}

/// Returns the primary key of an item.
fn key_of(mut item: Item) -> Item {
    item.retain(|attribute, _| attribute == PK || attribute == SK);
    item
}

/// Reads the id of a favorite from the sort key.
fn data_id_of(item: &Item) -> Result<DataId, Error> {
    let sk = item.get(SK).and_then(|sk| sk.as_s().ok());
    sk.and_then(|id| id.parse().ok())
        .ok_or_else(|| Error::internal("the sort key of a favorite is not the id of a favorite"))
}
