//! The parts of a repair, which is one transaction whose conditions say that all is still as it was found.
//!
//! A single write would do for some. It can meet somebody else's transaction too, and is refused then, which the SDK
//! does not try again; [`transaction::write`] does.

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::AttributeValue::{self, N};
use aws_sdk_dynamodb::types::builders::{ConditionCheckBuilder, DeleteBuilder, UpdateBuilder};
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, TransactWriteItem, Update};
use shared::Table;
use shared::dynamodb::Item;
use shared::dynamodb::transaction;
use shared::dynamodb::transaction::Outcome;

use super::Error;

/// Writes `parts`. False if a condition failed, and nothing was written.
pub(super) async fn write(table: &Table, parts: Vec<TransactWriteItem>) -> Result<bool, Error> {
    let transaction = table.client.transact_write_items().set_transact_items(Some(parts));
    Ok(matches!(transaction::write(transaction).await?, Outcome::Committed))
}

/// Writes `parts`, and takes one off a count with them. Where there is nothing to take off, that count is wrong anyhow
/// and a finding of its own, so `parts` are written without it.
pub(super) async fn delete_counted(
    table: &Table,
    mut parts: Vec<TransactWriteItem>,
    count: Option<UpdateBuilder>,
) -> Result<bool, Error> {
    let Some(count) = count else {
        return write(table, parts).await;
    };
    let without = parts.clone();
    parts.push(updating(count)?);
    match transaction::write(table.client.transact_write_items().set_transact_items(Some(parts))).await? {
        Outcome::Committed => Ok(true),
        Outcome::ConditionFailed(failed) if (0..without.len()).any(|index| failed.contains(index)) => Ok(false),
        Outcome::ConditionFailed(_) => write(table, without).await,
    }
}

pub(super) fn update(table: &Table, key: impl Into<Item>) -> UpdateBuilder {
    Update::builder().table_name(&table.name).set_key(Some(key.into()))
}

pub(super) fn updating(update: UpdateBuilder) -> Result<TransactWriteItem, BuildError> {
    Ok(TransactWriteItem::builder().update(update.build()?).build())
}

pub(super) fn delete(table: &Table, key: impl Into<Item>) -> DeleteBuilder {
    Delete::builder().table_name(&table.name).set_key(Some(key.into()))
}

pub(super) fn deleting(delete: DeleteBuilder) -> Result<TransactWriteItem, BuildError> {
    Ok(TransactWriteItem::builder().delete(delete.build()?).build())
}

pub(super) fn check(table: &Table, key: impl Into<Item>) -> ConditionCheckBuilder {
    ConditionCheck::builder().table_name(&table.name).set_key(Some(key.into()))
}

pub(super) fn checking(check: ConditionCheckBuilder) -> Result<TransactWriteItem, BuildError> {
    Ok(TransactWriteItem::builder().condition_check(check.build()?).build())
}

/// A value that no expression uses is refused.
pub(super) fn if_it_says(update: UpdateBuilder, says: Option<i64>) -> UpdateBuilder {
    match says {
        Some(says) => update.expression_attribute_values(":says", number(says)),
        None => update,
    }
}

pub(super) fn number(number: i64) -> AttributeValue {
    N(number.to_string())
}
