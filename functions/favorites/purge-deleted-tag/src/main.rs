//! Stream of `<stage>.Favorite`: a tag was deleted; takes it off every favorite that carries it, by a `Query` on the
//! global index gsiOne, page by page, and a `TransactWriteItems` for each page, which deletes the entries and takes each off
//! its favorite's count. A tag on 1,000 favorites takes 42 requests.
//!
//! Every step may be repeated, and the index has only what is left, so it can end anywhere and begin again.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::{Delete, Update};
use shared::dynamodb::transaction;
use shared::model::favorites::{FavoriteTag, GSI_ONE, Key, SK, favorites_of_tag_pk, owner_of_tag};
use shared::runtime::stream::{Change, Record};
use shared::values::{TagId, Username};
use shared::{Error, Table};
use tokio::time::Instant;

#[cfg(test)]
mod tests;

/// Entries of one Query, and of the transaction that deletes them, which takes
/// [100 items](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html): each entry, and the
/// favorite that counts it.
const PAGE: i32 = 50;
/// How long before its deadline it begins no more pages.
const PAGE_TIME: Duration = Duration::from_mins(1);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    shared::runtime::stream::run(purge_deleted_tag).await
}

async fn purge_deleted_tag(table: Table, record: Record) -> Result<(), Error> {
    let tag_id: Option<TagId> = record.keys.get(SK).and_then(|sk| sk.as_s().ok()?.parse().ok());
    let (Change::Remove, Some(owner), Some(tag_id)) = (record.change, owner_of_tag(&record.keys), tag_id) else {
        return Ok(());
    };
    record.indexes_have_followed().await;

    // An id is not given again here, but another program may have put the tag back. Consistently: a tag that is still seen
    // where it was would keep its entries.
    let put_back = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(Key::tag(&owner, &tag_id).into()))
        .consistent_read(true)
        .send()
        .await?
        .item;
    if put_back.is_some() {
        return Ok(());
    }

    let last_page = record.deadline.checked_sub(PAGE_TIME).unwrap_or(record.deadline);
    let mut pages = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(GSI_ONE)
        .key_condition_expression("gsiOnePk = :tag")
        .expression_attribute_values(":tag", S(favorites_of_tag_pk(&owner, &tag_id)))
        .limit(PAGE)
        .into_paginator()
        .send();
    loop {
        if Instant::now() >= last_page {
            return Err(Error::Busy(
                "no time for the rest of the favorites; the next attempt goes on with them".into(),
            ));
        }
        let Some(page) = pages.try_next().await? else {
            return Ok(());
        };
        let entries = page.items.unwrap_or_default().into_iter().map(|item| FavoriteTag::of(&owner, item));
        let deletes: Vec<_> =
            entries.map(|entry| take_off(&table.name, &owner, &entry?)).collect::<Result<_, Error>>()?;
        transaction::delete_counted(&table.client, deletes).await?;
    }
}

/// Deletes an entry, and takes it off the favorite's count.
fn take_off(table_name: &str, owner: &Username, entry: &FavoriteTag) -> Result<(Delete, Vec<Update>), Error> {
    let delete_entry = Delete::builder()
        .table_name(table_name)
        .set_key(Some(Key::favorite_tag(owner, &entry.data_id, &entry.tag_id).into()))
        .condition_expression("attribute_exists(pk)")
        .build()?;
    let one_tag_fewer = Update::builder()
        .table_name(table_name)
        .set_key(Some(Key::favorite(owner, &entry.data_id).into()))
        .condition_expression("tagCount > :zero")
        .update_expression("SET tagCount = tagCount - :one")
        .expression_attribute_values(":zero", N("0".to_owned()))
        .expression_attribute_values(":one", N("1".to_owned()))
        .build()?;
    Ok((delete_entry, vec![one_tag_fewer]))
}
