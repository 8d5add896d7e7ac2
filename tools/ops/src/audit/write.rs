//! The parts of a repair, which is one transaction. Its conditions check that nothing has changed
//! since the inspection.
//!
//! For some repairs a single conditional write would be enough. But DynamoDB rejects a single write
//! that meets another client's transaction, and the SDK does not retry it then;
//! [`transaction::write`] does.

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::AttributeValue::{self, N};
use aws_sdk_dynamodb::types::builders::{ConditionCheckBuilder, DeleteBuilder, UpdateBuilder};
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, TransactWriteItem, Update};
use shared::Table;
use shared::dynamodb::transaction::Outcome;
use shared::dynamodb::{Item, transaction};

use super::error::Error;

/// Writes `parts` in one transaction. Returns false if a condition failed and nothing was written.
pub(super) async fn write(table: &Table, parts: Vec<TransactWriteItem>) -> Result<bool, Error> {
    let transaction = table.client.transact_write_items().set_transact_items(Some(parts));
    Ok(matches!(transaction::write(transaction).await?, Outcome::Committed))
}

/// Writes `parts`, and lowers counts in the same transaction. A count that cannot be lowered is
/// wrong and a finding of its own, so `parts` are then written without it.
pub(super) async fn delete_counted(
    table: &Table,
    mut parts: Vec<TransactWriteItem>,
    counts: impl IntoIterator<Item = UpdateBuilder>,
) -> Result<bool, Error> {
    let counts_from = parts.len();
    parts.extend(counts.into_iter().map(update_part).collect::<Result<Vec<_>, _>>()?);
    let transaction = table.client.transact_write_items().set_transact_items(Some(parts.clone()));
    let failed = match transaction::write(transaction).await? {
        Outcome::Committed => return Ok(true),
        Outcome::ConditionFailed(failed) => failed,
    };
    if (0..counts_from).any(|index| failed.contains(index)) {
        return Ok(false);
    }
    let left = parts.into_iter().enumerate().filter(|(index, _)| !failed.contains(*index));
    write(table, left.map(|(_, part)| part).collect()).await
}

pub(super) fn update(table: &Table, key: impl Into<Item>) -> UpdateBuilder {
    Update::builder().table_name(&table.name).set_key(Some(key.into()))
}

pub(super) fn update_part(update: UpdateBuilder) -> Result<TransactWriteItem, BuildError> {
    Ok(TransactWriteItem::builder().update(update.build()?).build())
}

pub(super) fn delete(table: &Table, key: impl Into<Item>) -> DeleteBuilder {
    Delete::builder().table_name(&table.name).set_key(Some(key.into()))
}

pub(super) fn delete_part(delete: DeleteBuilder) -> Result<TransactWriteItem, BuildError> {
    Ok(TransactWriteItem::builder().delete(delete.build()?).build())
}

pub(super) fn check(table: &Table, key: impl Into<Item>) -> ConditionCheckBuilder {
    ConditionCheck::builder().table_name(&table.name).set_key(Some(key.into()))
}

pub(super) fn check_part(check: ConditionCheckBuilder) -> Result<TransactWriteItem, BuildError> {
    Ok(TransactWriteItem::builder().condition_check(check.build()?).build())
}

/// Adds the value `:stored` if the condition uses it. DynamoDB rejects a value that no expression
/// uses.
pub(super) fn with_stored(update: UpdateBuilder, stored: Option<i64>) -> UpdateBuilder {
    match stored {
        Some(stored) => update.expression_attribute_values(":stored", number(stored)),
        None => update,
    }
}

pub(super) fn number(number: i64) -> AttributeValue {
    N(number.to_string())
}
