//! Stream of `<stage>.Favorite`: takes a deleted tag off every favorite that carries it. One
//! consistent `GetItem` checks that the tag is still deleted. Then a consistent, paged `Query`
//! reads the owner's favorites with the ids of their tags. One consistent `BatchGetItem` for every
//! 98 of those that carry the tag reads their entries, and one `TransactWriteItems` for every 49
//! entries deletes them, decrements each favorite's `tagCount` and takes the tag out of its `tagIds`.
//!
//! The index gsiOne lists exactly the entries of the tag, but it follows the table with a delay
//! that has no bound, and an entry that it does not show yet would remain for ever. The table
//! itself misses none: no entry is put after its tag is deleted, because tag-favorite and
//! restore-favorite check the tag in the transaction that puts it. So every favorite that carries
//! the tag existed when the tag was deleted. The price is that the `Query` reads all favorites of the
//! owner.
//!
//! An import puts a tag back under its id. Then the favorites may carry it: each transaction checks
//! that the tag is still deleted, and the attempt after a failed check finds the tag and ends.
//!
//! Every step may be repeated. A retry reads the favorites again and has fewer entries to delete.

use std::collections::BTreeSet;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::Delete;
use serde::Deserialize;
use shared::dynamodb::batch;
use shared::dynamodb::counter::{self, Decrement, Guard};
use shared::dynamodb::entity;
use shared::entities::{FAVORITE_SK, FavoriteTag, Key, favorites_pk, owner_of_tag, tag};
use shared::runtime::stream::{Change, Record};
use shared::values::{DataId, TagId, Username};
use shared::{Error, Handler, Process, StartError, Table};
use tokio::time::Instant;

#[cfg(test)]
mod tests;

/// The maximum number of entries of one transaction. A transaction takes [100
/// items](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html):
/// each entry, the favorite that counts it, and the check of the tag.
const MAX_TRANSACTION_ENTRIES: usize = 49;
/// The maximum number of favorites of one batch, whose entries fill two transactions.
const MAX_BATCH_FAVORITES: usize = 2 * MAX_TRANSACTION_ENTRIES;
/// Time reserved for one batch of favorites. With less time left before the deadline, no batch is
/// begun.
const TIME_FOR_BATCH: Duration = Duration::from_mins(1);

/// The function.
pub struct PurgeDeletedTag {
    table: Table,
}

impl Handler for PurgeDeletedTag {
    const NAME: &'static str = "purge-deleted-tag";

    type Event = Record;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn handle(&self, record: Record) -> Result<(), Error> {
        let Self { table } = self;
        let tag_id: Option<TagId> = record.keys.get(FAVORITE_SK).and_then(|sk| sk.as_s().ok()?.parse().ok());
        let (Change::Remove, Some(owner), Some(tag_id)) = (record.change, owner_of_tag(&record.keys), tag_id) else {
            return Ok(());
        };

        if tag::exists(table, &owner, &tag_id).await? {
            return Ok(());
        }

        let last_start = record.deadline.checked_sub(TIME_FOR_BATCH).unwrap_or(record.deadline);
        let mut pages = table
            .client
            .query()
            .table_name(&table.name)
            .key_condition_expression("pk = :favorites")
            .expression_attribute_values(":favorites", S(favorites_pk(&owner)))
            .projection_expression("sk, tagCount, tagIds")
            .consistent_read(true)
            .into_paginator()
            .send();
        while let Some(page) = pages.try_next().await? {
            let favorites: Vec<Tagged> = entity::from_items(page.items.unwrap_or_default())?;
            let tagged = favorites.into_iter().filter(|favorite| favorite.may_have(&tag_id));
            let tagged: Vec<DataId> = tagged.map(|Tagged { sk, .. }| sk).collect();
            for data_ids in tagged.chunks(MAX_BATCH_FAVORITES) {
                if Instant::now() >= last_start {
                    return Err(Error::Busy(
                        "no time is left for the next favorites; a retry has fewer to write".into(),
                    ));
                }
                untag(table, &owner, &tag_id, data_ids).await?;
            }
        }
        Ok(())
    }
}

/// The attributes of a favorite that are used here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tagged {
    sk: DataId,
    tag_count: Option<u64>,
    #[serde(default)]
    tag_ids: BTreeSet<TagId>,
}

impl Tagged {
    /// Returns whether the favorite may have the tag. If another program wrote it without a count,
    /// it may.
    fn may_have(&self, tag_id: &TagId) -> bool {
        self.tag_count.is_none() || self.tag_ids.contains(tag_id)
    }
}

/// Takes the tag off those of up to [`MAX_BATCH_FAVORITES`] favorites that carry it.
async fn untag(table: &Table, owner: &Username, tag_id: &TagId, data_ids: &[DataId]) -> Result<(), Error> {
    let keys = data_ids.iter().map(|data_id| Key::favorite_tag(owner, data_id, tag_id)).collect();
    let entries = FavoriteTag::from_items(owner, Some(batch::get(table, keys, true).await?))?;
    let is_deleted = Guard {
        table_name: &table.name,
        key: Key::tag(owner, tag_id).into(),
        condition: "attribute_not_exists(pk)",
        value: None,
        refusal: Box::new(|_| Some(Error::Busy("the tag was put back; the next attempt ends".into()))),
    };
    for entries in entries.chunks(MAX_TRANSACTION_ENTRIES) {
        let deletes: Vec<_> =
            entries.iter().map(|entry| delete_entry(&table.name, owner, entry)).collect::<Result<_, Error>>()?;
        counter::delete_and_decrement(&table.client, deletes, Some(&is_deleted)).await?;
    }
    Ok(())
}

/// Builds the writes that delete an entry and take it off its favorite's count.
fn delete_entry(table_name: &str, owner: &Username, entry: &FavoriteTag) -> Result<(Delete, Vec<Decrement>), Error> {
    let delete_entry = Delete::builder()
        .table_name(table_name)
        .set_key(Some(Key::favorite_tag(owner, &entry.data_id, &entry.tag_id).into()))
        .condition_expression("attribute_exists(pk)")
        .build()?;
    let decrement = Decrement::new(table_name, Key::favorite(owner, &entry.data_id), "tagCount")
        .with_member("tagIds", entry.tag_id.as_ref());
    Ok((delete_entry, vec![decrement]))
}
