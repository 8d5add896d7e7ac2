//! The steps that the deletions of all kinds of items share.

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::Delete;
use futures_util::{StreamExt, TryStreamExt, stream};
use shared::dynamodb::Item;
use shared::model::photos::{PK, SK};
use shared::{Error, Table};
use tokio::time::Instant;

/// The maximum number of items on one page of a `Query`.
pub(crate) const MAX_PAGE_ITEMS: i32 = 500;
/// The maximum number of items that are deleted concurrently.
const MAX_CONCURRENT_DELETES: usize = 16;

/// Deletes every item that a query finds, with `delete`, until `page_deadline`.
///
/// Returns whether another pass is needed: because there were items, or because no time was left for a page.
pub(crate) async fn delete_each(
    query: QueryFluentBuilder,
    page_deadline: Instant,
    delete: impl AsyncFn(Item) -> Result<(), Error>,
) -> Result<bool, Error> {
    let mut pages = query.limit(MAX_PAGE_ITEMS).into_paginator().send();
    let mut needs_another_pass = false;
    // The loop ends with the last page of the query, or at the deadline.
    loop {
        if Instant::now() >= page_deadline {
            return Ok(true);
        }
        let Some(page) = pages.try_next().await? else {
            return Ok(needs_another_pass);
        };
        let items = page.items.unwrap_or_default();
        needs_another_pass |= !items.is_empty();
        stream::iter(items)
            .map(|item| delete(item))
            .buffer_unordered(MAX_CONCURRENT_DELETES)
            .try_collect::<()>()
            .await?;
    }
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
