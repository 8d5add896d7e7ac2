//! Requests about tags that several functions share.
//!
//! A function's main.rs holds its own Query or transaction. This module holds the lookups and updates that accompany
//! them.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::Update;

use super::entity;
use super::favorites::{self, Favorite, FavoriteTag, Key, Tag, TagNameReservation};
use crate::dynamodb::{Item, batch, unless_condition_failed};
use crate::values::{DataId, EpochMillis, TagId, TagName, Username};
use crate::{Error, Table};

/// Returns the tag that holds a reservation of `name`, by one consistent `GetItem`. Returns `None` if the reservation
/// is stale, because its tag is deleted or has another name now.
///
/// A stale read here could give one name to two tags, so the read is consistent.
pub async fn holder_of_name(
    table: &Table,
    owner: &Username,
    name: &TagName,
    reservation: &TagNameReservation,
) -> Result<Option<Tag>, Error> {
    let item = get(table, owner, &reservation.tag_id).await?;
    let tag: Option<Tag> = item.map(entity::from_item).transpose()?;
    Ok(tag.filter(|tag| tag.has_name(name)))
}

/// Returns the error for a name that another tag of the user holds.
#[must_use]
pub fn name_taken(holder: &Tag) -> Error {
    Error::Conflict(format!("Your tag {} has this name already. Choose another name.", holder.tag_name))
}

/// Returns whether a tag exists, by one consistent `GetItem`.
pub async fn exists(table: &Table, owner: &Username, tag_id: &TagId) -> Result<bool, Error> {
    Ok(get(table, owner, tag_id).await?.is_some())
}

/// Returns the item of a tag, by one consistent `GetItem`.
async fn get(table: &Table, owner: &Username, tag_id: &TagId) -> Result<Option<Item>, Error> {
    let output = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(Key::tag(owner, tag_id).into()))
        .consistent_read(true)
        .send()
        .await?;
    Ok(output.item)
}

/// Sets the time of a tag's last use to now, by one `UpdateItem`. Returns `false`, and writes nothing, if there is no
/// such tag.
async fn record_use(table: &Table, owner: &Username, tag_id: &TagId) -> Result<bool, Error> {
    let now = EpochMillis::now();
    let updated = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(Key::tag(owner, tag_id).into()))
        .condition_expression("attribute_exists(pk)")
        .update_expression("SET lastAccessTime = :now, lsiThreeSk = :time")
        .expression_attribute_values(":now", favorites::number(now))
        .expression_attribute_values(":time", S(now.to_string()))
        .send()
        .await;
    Ok(unless_condition_failed(updated)?.is_some())
}

/// Records the use of a tag by one `UpdateItem` on the first page of a list. On the other pages, checks by one
/// consistent `GetItem` that the tag exists. Returns whether it exists.
///
/// So the use of the tag is recorded once for a list, however many of its pages are read. Every page needs the check,
/// because an index may hold entries of a deleted tag for a while.
pub async fn record_use_or_check(
    table: &Table,
    owner: &Username,
    tag_id: &TagId,
    is_first_page: bool,
) -> Result<bool, Error> {
    if is_first_page { record_use(table, owner, tag_id).await } else { exists(table, owner, tag_id).await }
}

/// Returns the entries that the items of a Query hold, in their order.
pub fn entries(owner: &Username, items: Option<Vec<Item>>) -> Result<Vec<FavoriteTag>, Error> {
    items.unwrap_or_default().into_iter().map(|item| FavoriteTag::from_item(owner, item)).collect()
}

/// Returns the favorites that carry a tag, in the order of `entries`, by one `BatchGetItem` for up to 100 entries. No
/// two entries may be of the same favorite.
///
/// A favorite that no longer exists is left out: the index may still hold the entry of a favorite that was deleted a
/// moment ago.
pub async fn favorites_of(table: &Table, owner: &Username, entries: &[FavoriteTag]) -> Result<Vec<Favorite>, Error> {
    let keys = entries.iter().map(|entry| Key::favorite(owner, &entry.data_id).into()).collect();
    let found: Vec<Favorite> = entity::from_items(batch::get(table, keys, false).await?)?;
    // BatchGetItem returns items in any order.
    let mut found: HashMap<DataId, Favorite> =
        found.into_iter().map(|favorite| (favorite.data_id.clone(), favorite)).collect();
    Ok(entries.iter().filter_map(|entry| found.remove(&entry.data_id)).collect())
}

/// Returns the update that takes one tag off a favorite's `tagCount`. Its condition fails where nothing is counted: the
/// favorite is deleted, its count is 0, or another program wrote it without a count.
pub fn decrement_tag_count(table_name: &str, owner: &Username, data_id: &DataId) -> Result<Update, Error> {
    let update = Update::builder()
        .table_name(table_name)
        .set_key(Some(Key::favorite(owner, data_id).into()))
        .condition_expression("tagCount > :zero")
        .update_expression("SET tagCount = tagCount - :one")
        .expression_attribute_values(":zero", N("0".to_owned()))
        .expression_attribute_values(":one", N("1".to_owned()))
        .build()?;
    Ok(update)
}
