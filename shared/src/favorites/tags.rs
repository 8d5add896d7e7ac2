//! Requests about tags that several functions share.
//!
//! A function's main.rs holds its own Query or transaction. This module holds the lookups and updates that accompany
//! them.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, TransactWriteItem};

use super::{Favorite, FavoriteTag, Key, Tag, TagNameReservation, number};
use crate::dynamodb::entity;
use crate::dynamodb::transaction::Decrement;
use crate::dynamodb::{Item, batch, unless_condition_failed};
use crate::values::{DataId, EpochMillis, TagId, TagName, Username};
use crate::{Error, Table};

/// The tag behind a reservation of a name, as one read found it.
#[derive(Debug)]
pub enum Holder {
    /// The tag has the reserved name.
    Tag(Tag),
    /// The tag is deleted or has another name, so another tag may take the reservation over.
    Stale(StaleReservation),
}

/// A reservation of a name that its tag did not have when it was read.
#[derive(Debug)]
pub struct StaleReservation {
    /// The id of the tag that the reservation refers to.
    pub tag_id: TagId,
    /// The name that the tag had instead. `None` if there was no such tag.
    other_name: Option<String>,
}

impl StaleReservation {
    /// Returns the check that the reservation is still stale, because its tag still does not exist or still has the
    /// other name. A transaction that takes the reservation over must contain it.
    ///
    /// A condition on the reservation is not enough. If its tag takes the name back, the reservation is as it was, and
    /// overwriting it would give one name to two tags.
    pub fn check(&self, table_name: &str, owner: &Username) -> Result<TransactWriteItem, Error> {
        let check =
            ConditionCheck::builder().table_name(table_name).set_key(Some(Key::tag(owner, &self.tag_id).into()));
        let check = match &self.other_name {
            None => check.condition_expression("attribute_not_exists(pk)"),
            Some(name) => check
                .condition_expression("tagName = :otherName")
                .expression_attribute_values(":otherName", S(name.clone())),
        };
        Ok(TransactWriteItem::builder().condition_check(check.build()?).build())
    }
}

/// Returns the tag that holds a reservation of `name`, by one consistent `GetItem`, or the evidence that the
/// reservation is stale.
///
/// An eventually consistent read could report the reservation of a new tag as stale, over and over, so the read is
/// consistent.
pub async fn holder_of_name(
    table: &Table,
    owner: &Username,
    name: &TagName,
    reservation: TagNameReservation,
) -> Result<Holder, Error> {
    let TagNameReservation { tag_id } = reservation;
    let item = get(table, owner, &tag_id).await?;
    let tag: Option<Tag> = item.map(entity::from_item).transpose()?;
    Ok(match tag {
        Some(tag) if tag.has_name(name) => Holder::Tag(tag),
        other => Holder::Stale(StaleReservation { tag_id, other_name: other.map(|tag| tag.tag_name) }),
    })
}

/// Returns the part of a transaction that releases the name of a tag: the delete of its reservation, on the condition
/// that it is the tag's own or does not exist.
///
/// If `is_of_another`, it is the check of the opposite instead: the reservation belongs to another tag and must stay.
/// Only another program can have given both tags this name. A transaction that left out the check could leave the tag's
/// own reservation behind, if the tag got it after the delete failed.
pub fn release_name(
    table_name: &str,
    owner: &Username,
    tag_id: &TagId,
    name: &TagName,
    is_of_another: bool,
) -> Result<TransactWriteItem, Error> {
    let key = Key::tag_name_reservation(owner, name).into();
    let tag_id = S(tag_id.to_string());
    if is_of_another {
        let check = ConditionCheck::builder()
            .table_name(table_name)
            .set_key(Some(key))
            .condition_expression("attribute_exists(pk) AND tagId <> :tagId")
            .expression_attribute_values(":tagId", tag_id)
            .build()?;
        return Ok(TransactWriteItem::builder().condition_check(check).build());
    }
    let delete = Delete::builder()
        .table_name(table_name)
        .set_key(Some(key))
        .condition_expression("attribute_not_exists(pk) OR tagId = :tagId")
        .expression_attribute_values(":tagId", tag_id)
        .build()?;
    Ok(TransactWriteItem::builder().delete(delete).build())
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
        .expression_attribute_values(":now", number(now))
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

/// Returns the decrement of a favorite's `tagCount`. There is nothing to decrement if the favorite is deleted, its
/// count is 0, or another program wrote it without a count.
#[must_use]
pub fn decrement_tag_count(table_name: &str, owner: &Username, data_id: &DataId) -> Decrement {
    Decrement {
        table_name: table_name.to_owned(),
        key: Key::favorite(owner, data_id).into(),
        condition: "tagCount >= :n",
        update: "SET tagCount = tagCount - :n",
        otherwise: None,
        names: None,
    }
}
