//! Ends the deletion of a user, whose item is a `Deletion`: the next pass, the rest of the name,
//! and the expiry of the `Deletion`.
//!
//! - A consistent `GetItem` reads the `Deletion` at the start of each pass.
//! - An `UpdateItem` starts the next pass, if no time is left.
//! - After a complete pass, a `TransactWriteItems` puts the timer of the rest, if the `Deletion`
//!   counts nothing any more.
//! - When the name has rested and DynamoDB has deleted the timer, an `UpdateItem` starts the last
//!   sweep, a pass over the items of writes that were under way at the moment of the deletion.
//! - After the last sweep, an `UpdateItem` lets the `Deletion` expire, which frees the username.

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::AttributeValue::{Bool, N, S};
use aws_sdk_dynamodb::types::{ConditionCheck, Put, ReturnValuesOnConditionCheckFailure};
use shared::dynamodb::entity;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::dynamodb::{Item, unless_condition_failed};
use shared::entities::{Deletion, Key, Rest};
use shared::erasure::{began_at, require_nothing_left};
use shared::values::{EpochMillis, Timestamp, Username};
use shared::{Error, Table};

/// The condition that the pass was complete: the `Deletion` is still this one, and it counts no
/// followed user, no comment, no request and no block any more.
const NOTHING_LEFT: &str = "since = :since AND NOT (following > :zero OR commentsWritten > :zero OR requestsSent > :zero \
                            OR blockedBy > :zero)";

/// The divisor that gives the time for which the name stays taken after the last sweep: a 24th of
/// the rest. A rest takes at least two days, so this time is at least two hours. An overlapping
/// invocation of the sweep takes at most 15 minutes, the maximum timeout of a function.
const AFTER_SWEEP: u64 = 24;

/// Returns the `Deletion` of a user that began at `since` as the table holds it now, or `None` if
/// an earlier attempt has completed.
///
/// The name of a user rests for days after that, so no new user can have it while this invocation
/// goes on. After the last sweep, the `Deletion` has a `ttl`, and the name may be free at any
/// moment.
pub async fn current(table: &Table, username: &Username, since: &Timestamp) -> Result<Option<Deletion>, Error> {
    let output = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(Key::user(username).into()))
        .consistent_read(true)
        .send()
        .await?;
    let item = output.item.filter(|item| began_at(item, since));
    let deletion: Option<Deletion> = item.map(entity::from_item).transpose()?;
    Ok(deletion.filter(|deletion| deletion.ttl.is_none()))
}

/// Updates the `Deletion`, unless it has been deleted. The record of this update starts the next
/// pass.
pub async fn start_next_pass(table: &Table, deletion: &Deletion) -> Result<(), Error> {
    let result = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(Key::user(&deletion.erasing).into()))
        .condition_expression("since = :since")
        .update_expression("ADD passes :one")
        .expression_attribute_values(":since", S(deletion.since.to_string()))
        .expression_attribute_values(":one", N("1".to_owned()))
        .send()
        .await;
    unless_condition_failed(result)?;
    Ok(())
}

/// Begins the rest after a complete pass: puts the timer, on the condition that the `Deletion`
/// counts nothing any more.
pub async fn begin_rest(table: &Table, deletion: &Deletion) -> Result<(), Error> {
    let timer =
        Rest { resting: deletion.erasing.clone(), since: deletion.since.clone(), ttl: deletion.until.seconds() };
    let check = ConditionCheck::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(&deletion.erasing).into()))
        .condition_expression(NOTHING_LEFT)
        .expression_attribute_values(":since", S(deletion.since.to_string()))
        .expression_attribute_values(":zero", N("0".to_owned()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let put = Put::builder()
        .table_name(&table.name)
        .set_item(Some(entity::to_item(Key::rest(&timer.resting), &timer)?))
        .build()?;
    let mut transaction = Transaction::new();
    let check = transaction.condition_check(check);
    transaction.put(put);
    match transaction.write(&table.client).await? {
        Outcome::Committed => Ok(()),
        Outcome::ConditionFailed(failed) => require_nothing_left(failed.item(check), &deletion.since),
    }
}

/// Starts the last sweep after DynamoDB has deleted the timer. The record of this update starts the
/// pass.
pub async fn end_rest(table: &Table, timer: Item) -> Result<(), Error> {
    let timer: Rest = entity::from_item(timer)?;
    let result = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(Key::user(&timer.resting).into()))
        .condition_expression("since = :since")
        .update_expression("SET lastSweep = :true ADD passes :one")
        .expression_attribute_values(":since", S(timer.since.to_string()))
        .expression_attribute_values(":true", Bool(true))
        .expression_attribute_values(":one", N("1".to_owned()))
        .send()
        .await;
    unless_condition_failed(result)?;
    Ok(())
}

/// Lets the `Deletion` expire after the last sweep, on the condition that it counts nothing any
/// more. When DynamoDB has deleted it, the name can be taken again.
pub async fn free_username(table: &Table, deletion: &Deletion) -> Result<(), Error> {
    let rest = deletion.until.seconds().saturating_sub(deletion.since.seconds());
    let ttl = EpochMillis::now().seconds() + rest / AFTER_SWEEP;
    let updated = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(Key::user(&deletion.erasing).into()))
        .condition_expression(NOTHING_LEFT)
        .update_expression("SET #ttl = :ttl")
        .expression_attribute_names("#ttl", "ttl")
        .expression_attribute_values(":since", S(deletion.since.to_string()))
        .expression_attribute_values(":zero", N("0".to_owned()))
        .expression_attribute_values(":ttl", N(ttl.to_string()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await;
    let Err(error) = updated else { return Ok(()) };
    match error.as_service_error() {
        Some(UpdateItemError::ConditionalCheckFailedException(failed)) => {
            require_nothing_left(failed.item(), &deletion.since)
        }
        _ => Err(error.into()),
    }
}
