//! The parts of a repair, which is one transaction. Its conditions check that nothing has changed
//! since the inspection.
//!
//! For some repairs a single conditional write would be enough. But DynamoDB rejects a single write
//! that meets another client's transaction, and the SDK does not retry it then;
//! [`Transaction::write`] does.

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::AttributeValue::{self, N};
use aws_sdk_dynamodb::types::builders::{ConditionCheckBuilder, DeleteBuilder, PutBuilder, UpdateBuilder};
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Put, TransactWriteItem, Update};
use shared::Table;
use shared::dynamodb::Item;
use shared::dynamodb::counter::Decrement;
use shared::dynamodb::transaction::{Outcome, Transaction, Write};

use super::error::Error;

/// Writes `parts` in one transaction. Returns false if a condition failed and nothing was written.
pub(super) async fn write(table: &Table, parts: Vec<TransactWriteItem>) -> Result<bool, Error> {
    let mut transaction = Transaction::new();
    for part in parts {
        transaction.add(part);
    }
    Ok(matches!(transaction.write(&table.client).await?, Outcome::Committed))
}

/// Writes `parts`, and lowers counts in the same transaction. A count that cannot be lowered is
/// wrong and a finding of its own, so `parts` are then written without it.
pub(super) async fn delete_counted(
    table: &Table,
    parts: Vec<TransactWriteItem>,
    counts: impl IntoIterator<Item = Decrement>,
) -> Result<bool, Error> {
    let mut transaction = Transaction::new();
    let writes: Vec<Write> = parts.iter().map(|part| transaction.add(part.clone())).collect();
    let mut lowered = vec![];
    for count in counts {
        let count = TransactWriteItem::builder().update(count.update(1)?).build();
        lowered.push((transaction.add(count.clone()), count));
    }
    let failed = match transaction.write(&table.client).await? {
        Outcome::Committed => return Ok(true),
        Outcome::ConditionFailed(failed) => failed,
    };
    if failed.contains_any(writes) {
        return Ok(false);
    }
    let left = lowered.into_iter().filter(|(write, _)| !failed.contains(*write)).map(|(_, count)| count);
    write(table, parts.into_iter().chain(left).collect()).await
}

pub(super) fn put(table: &Table, item: impl Into<Item>) -> PutBuilder {
    Put::builder().table_name(&table.name).set_item(Some(item.into()))
}

pub(super) fn put_part(put: PutBuilder) -> Result<TransactWriteItem, BuildError> {
    Ok(TransactWriteItem::builder().put(put.build()?).build())
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

/// Sets a count, if it still is `stored` or is still missing, and if the update's own condition is met.
pub(super) fn set_count(update: UpdateBuilder, count: &str, stored: Option<i64>, actual: i64) -> UpdateBuilder {
    let exists = update.get_condition_expression().as_ref().map(|exists| format!("{exists} AND ")).unwrap_or_default();
    let update = update
        .update_expression(format!("SET {count} = :actual"))
        .expression_attribute_values(":actual", number(actual));
    match stored {
        Some(stored) => update
            .condition_expression(format!("{exists}{count} = :stored"))
            .expression_attribute_values(":stored", number(stored)),
        None => update.condition_expression(format!("{exists}attribute_not_exists({count})")),
    }
}

pub(super) fn number(number: i64) -> AttributeValue {
    N(number.to_string())
}

/// Deletes an item that DynamoDB should have deleted, if its `ttl` is still the same.
pub(super) async fn delete_expired(table: &Table, key: impl Into<Item>, ttl: u64) -> Result<bool, Error> {
    let item = delete(table, key)
        .condition_expression("#ttl = :ttl")
        .expression_attribute_names("#ttl", "ttl")
        .expression_attribute_values(":ttl", N(ttl.to_string()));
    write(table, vec![delete_part(item)?]).await
}
