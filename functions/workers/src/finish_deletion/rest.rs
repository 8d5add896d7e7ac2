//! The rest of the name of a deleted user: how it begins and ends, and the expiry of the
//! `Deletion`.

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::AttributeValue::{Bool, N, S};
use aws_sdk_dynamodb::types::{ConditionCheck, Put, ReturnValuesOnConditionCheckFailure};
use shared::dynamodb::entity;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::dynamodb::{Item, unless_condition_failed};
use shared::entities::{Deletion, Key, Rest};
use shared::values::EpochMillis;
use shared::{Error, Table};

use crate::finish_deletion::items::require_nothing_left;

/// The condition that the pass was complete: the `Deletion` is still this one, and it counts no
/// followed user, no comment, no request and no block any more.
const NOTHING_LEFT: &str = "since = :since AND NOT (following > :zero OR commentsWritten > :zero OR requestsSent > :zero \
                            OR blockedBy > :zero)";

/// The divisor that gives the time for which the name stays taken after the last sweep: a 24th of
/// the rest. A rest takes at least two days, so this time is at least two hours. An overlapping
/// invocation of the sweep takes at most 15 minutes, the maximum timeout of a function.
const AFTER_SWEEP: u64 = 24;

/// Begins the rest after a complete pass: puts the timer, on the condition that the `Deletion`
/// counts nothing any more.
pub(crate) async fn begin(table: &Table, deletion: &Deletion) -> Result<(), Error> {
    let since = deletion.since.clone();
    let until = deletion.until.as_ref().unwrap_or(&since).seconds();
    let timer = Rest { resting: deletion.erasing.clone(), since, ttl: until };
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
pub(crate) async fn end(table: &Table, timer: Item) -> Result<(), Error> {
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
pub(crate) async fn free_username(table: &Table, deletion: &Deletion) -> Result<(), Error> {
    let rest = deletion.until.as_ref().map_or(0, |until| until.seconds().saturating_sub(deletion.since.seconds()));
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
