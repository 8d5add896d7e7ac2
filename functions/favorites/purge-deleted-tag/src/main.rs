//! Stream of `<stage>.Favorite`: takes a deleted tag off every favorite that carries it. One consistent `GetItem`
//! checks that the tag is still deleted. Then a paged `Query` on the global secondary index gsiOne finds its entries,
//! and one `TransactWriteItems` per page deletes them and decrements each favorite's `tagCount`
//! ([`tags::decrement_tag_count`]). A tag on 1,000 favorites takes 42 requests.
//!
//! Every step may be repeated, and the index holds only the entries that are left, so a retry continues where the last
//! attempt stopped.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::{Delete, Update};
use shared::dynamodb::transaction;
use shared::model::favorites::{FavoriteTag, GSI_ONE, Key, SK, favorites_of_tag_pk, owner_of_tag};
use shared::model::tags;
use shared::runtime::stream::{Change, Record};
use shared::values::{TagId, Username};
use shared::{Error, Table};
use tokio::time::Instant;

#[cfg(test)]
mod tests;

/// The maximum number of entries of one page, and of the transaction that deletes them. A transaction takes [100
/// items](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html): each entry, and
/// the favorite that counts it.
const MAX_PAGE_ENTRIES: i32 = 50;
/// Time reserved for one page. With less time left before the deadline, no page is begun.
const TIME_FOR_PAGE: Duration = Duration::from_mins(1);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    shared::runtime::stream::run(purge_deleted_tag).await
}

async fn purge_deleted_tag(table: Table, record: Record) -> Result<(), Error> {
    let tag_id: Option<TagId> = record.keys.get(SK).and_then(|sk| sk.as_s().ok()?.parse().ok());
    let (Change::Remove, Some(owner), Some(tag_id)) = (record.change, owner_of_tag(&record.keys), tag_id) else {
        return Ok(());
    };
    record.wait_for_indexes().await;

    // The functions here never use an id twice, but another program may have put the tag back.
    if tags::exists(&table, &owner, &tag_id).await? {
        return Ok(());
    }

    let last_start = record.deadline.checked_sub(TIME_FOR_PAGE).unwrap_or(record.deadline);
    let mut pages = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(GSI_ONE)
        .key_condition_expression("gsiOnePk = :tag")
        .expression_attribute_values(":tag", S(favorites_of_tag_pk(&owner, &tag_id)))
        .limit(MAX_PAGE_ENTRIES)
        .into_paginator()
        .send();
    loop {
        if Instant::now() >= last_start {
            return Err(Error::Busy("no time is left for the next page; a retry continues with it".into()));
        }
        let Some(page) = pages.try_next().await? else {
            return Ok(());
        };
        let entries = tags::entries(&owner, page.items)?;
        let deletes: Vec<_> =
            entries.iter().map(|entry| untag(&table.name, &owner, entry)).collect::<Result<_, Error>>()?;
        transaction::delete_and_decrement(&table.client, deletes).await?;
    }
}

/// Builds the writes that delete an entry and take it off its favorite's count.
fn untag(table_name: &str, owner: &Username, entry: &FavoriteTag) -> Result<(Delete, Vec<Update>), Error> {
    let delete_entry = Delete::builder()
        .table_name(table_name)
        .set_key(Some(Key::favorite_tag(owner, &entry.data_id, &entry.tag_id).into()))
        .condition_expression("attribute_exists(pk)")
        .build()?;
    Ok((delete_entry, vec![tags::decrement_tag_count(table_name, owner, &entry.data_id)?]))
}
