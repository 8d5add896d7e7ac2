//! Steps of the erasure of a deleted user or photo, which all kinds of items share.
//!
//! A noun's `erasure.rs` deletes the items of its kinds with these steps, and finish-deletion calls
//! the nouns in their order.

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::Delete;
use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::time::Instant;

use crate::dynamodb::Item;
use crate::entities::{PK, SK};
use crate::values::Timestamp;
use crate::{Error, Table};

/// The maximum number of items on one page of a `Query`.
const MAX_PAGE_ITEMS: i32 = 500;
/// The maximum number of items that are deleted concurrently.
const MAX_CONCURRENT_DELETES: usize = 16;

/// Returns the consistent `Query` of the keys of all items of a partition, in the table of
/// favorites or of feeds.
#[must_use]
pub fn keys_of_partition(table: &Table, pk: String) -> QueryFluentBuilder {
    table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("pk = :partition")
        .expression_attribute_values(":partition", S(pk))
        .projection_expression("pk, sk")
        .consistent_read(true)
}

/// Calls `delete` with the items of each page of a query, until `deadline`. Returns whether it got
/// to the last page.
pub async fn for_each_page(
    query: QueryFluentBuilder,
    deadline: Instant,
    delete: impl AsyncFn(Vec<Item>) -> Result<(), Error>,
) -> Result<bool, Error> {
    let mut pages = query.limit(MAX_PAGE_ITEMS).into_paginator().send();
    // The loop ends with the last page of the query, or at the deadline.
    loop {
        if Instant::now() >= deadline {
            return Ok(false);
        }
        let Some(page) = pages.try_next().await? else {
            return Ok(true);
        };
        delete(page.items.unwrap_or_default()).await?;
    }
}

/// Calls `delete` with each item that a query finds, until `deadline`. Returns whether it got to
/// the last page.
pub async fn delete_each(
    query: QueryFluentBuilder,
    deadline: Instant,
    delete: impl AsyncFn(Item) -> Result<(), Error>,
) -> Result<bool, Error> {
    for_each_page(query, deadline, async |items| {
        stream::iter(items).map(|item| delete(item)).buffer_unordered(MAX_CONCURRENT_DELETES).try_collect().await
    })
    .await
}

/// Calls `delete` with up to `batch` counted items at a time, one call after the other, because the
/// transactions of all of them decrement a count of the same item.
pub async fn delete_in_transactions<T>(
    mut items: Vec<T>,
    batch: usize,
    delete: impl AsyncFn(Vec<T>) -> Result<(), Error>,
) -> Result<(), Error> {
    while !items.is_empty() {
        let rest = items.split_off(batch.min(items.len()));
        delete(items).await?;
        items = rest;
    }
    Ok(())
}

/// Fails with [`Error::Busy`], so that Lambda sends the record again, if the item for which the
/// last write failed is the `Deletion` or `PhotoDeletion` that began at `since`: it still counts
/// something. If the item is gone, an earlier attempt has completed.
pub fn require_nothing_left(left: Option<&Item>, since: &Timestamp) -> Result<(), Error> {
    if left.is_some_and(|item| began_at(item, since)) {
        return Err(Error::Busy(
            "an index does not show everything that the deletion counts; the next attempt searches it again".into(),
        ));
    }
    Ok(())
}

/// Returns whether an item is the `Deletion` or `PhotoDeletion` that began at `since`.
#[must_use]
pub fn began_at(item: &Item, since: &Timestamp) -> bool {
    item.get("since") == Some(&S(since.to_string()))
}

/// Builds a delete of an item of the table `quick-photos`, on the condition that the item exists.
pub fn delete_existing(table: &Table, item: Item) -> Result<Delete, Error> {
    let delete = Delete::builder().table_name(&table.name).set_key(Some(key_of(item)));
    Ok(delete.condition_expression("attribute_exists(PK)").build()?)
}

/// Returns the primary key of an item of the table `quick-photos`.
#[must_use]
pub fn key_of(mut item: Item) -> Item {
    item.retain(|attribute, _| attribute == PK || attribute == SK);
    item
}
