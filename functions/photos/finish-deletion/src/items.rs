//! The steps that the deletions of all kinds of items share.

use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::delete_item::builders::DeleteItemFluentBuilder;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::{Delete, ReturnValuesOnConditionCheckFailure};
use futures_util::{StreamExt, TryStreamExt, stream};
use shared::dynamodb::Item;
use shared::model::photos::{Key, PK, SK};
use shared::values::Timestamp;
use shared::{Error, Table};
use tokio::time::Instant;

/// The maximum number of items on one page of a `Query`.
const MAX_PAGE_ITEMS: i32 = 500;
/// The maximum number of items that are deleted concurrently.
const MAX_CONCURRENT_DELETES: usize = 16;

/// Returns whether the table still holds the `Deletion` or `PhotoDeletion` that began at `since`. If it does not, an
/// earlier attempt has completed, and the key may belong to a new user.
///
/// A stale read could delete the items of the new user, so the read is consistent.
pub(crate) async fn is_current(table: &Table, key: &Key, since: &Timestamp) -> Result<bool, Error> {
    let output = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(key.clone().into()))
        .consistent_read(true)
        .send()
        .await?;
    Ok(output.item.is_some_and(|item| began_at(&item, since)))
}

/// Calls `delete` with the items of each page of a query, until `deadline`. Returns whether it got to the last page.
pub(crate) async fn for_each_page(
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

/// Calls `delete` with each item that a query finds, until `deadline`. Returns whether it got to the last page.
pub(crate) async fn delete_each(
    query: QueryFluentBuilder,
    deadline: Instant,
    delete: impl AsyncFn(Item) -> Result<(), Error>,
) -> Result<bool, Error> {
    for_each_page(query, deadline, async |items| {
        stream::iter(items).map(|item| delete(item)).buffer_unordered(MAX_CONCURRENT_DELETES).try_collect().await
    })
    .await
}

/// Calls `delete` with up to `batch` counted items at a time, one call after the other, because the transactions of all of
/// them decrement a count of the same item.
pub(crate) async fn delete_in_transactions<T>(
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

/// Sends the delete of the `Deletion` or `PhotoDeletion` that began at `since`. Its condition must require this time,
/// and that nothing is left of what the item counts.
///
/// If something is left, fails with [`Error::Busy`], so that Lambda sends the record again. If the item is gone, an
/// earlier attempt has deleted it.
pub(crate) async fn delete_if_nothing_is_left(delete: DeleteItemFluentBuilder, since: &Timestamp) -> Result<(), Error> {
    let on_failure = ReturnValuesOnConditionCheckFailure::AllOld;
    let Err(error) = delete.return_values_on_condition_check_failure(on_failure).send().await else {
        return Ok(());
    };
    match error.as_service_error() {
        Some(DeleteItemError::ConditionalCheckFailedException(failed)) => require_nothing_left(failed.item(), since),
        _ => Err(error.into()),
    }
}

/// Fails with [`Error::Busy`] if the item for which the last delete failed is the `Deletion` or `PhotoDeletion` that
/// began at `since`: it still counts something.
pub(crate) fn require_nothing_left(left: Option<&Item>, since: &Timestamp) -> Result<(), Error> {
    if left.is_some_and(|item| began_at(item, since)) {
        return Err(Error::Busy(
            "InvertedIndex does not show everything that the deletion counts; the next attempt searches it again"
                .into(),
        ));
    }
    Ok(())
}

fn began_at(item: &Item, since: &Timestamp) -> bool {
    item.get("since") == Some(&S(since.to_string()))
}

/// Builds a delete of an item of the table, on the condition that the item exists.
pub(crate) fn delete(table: &Table, item: Item) -> Result<Delete, Error> {
    let delete = Delete::builder().table_name(&table.name).set_key(Some(key_of(item)));
    Ok(delete.condition_expression("attribute_exists(PK)").build()?)
}

/// Returns the primary key of an item.
pub(crate) fn key_of(mut item: Item) -> Item {
    item.retain(|attribute, _| attribute == PK || attribute == SK);
    item
}
