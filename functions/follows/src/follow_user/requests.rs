//! Requests to follow users who approve their followers.

use aws_sdk_dynamodb::operation::transact_write_items::builders::TransactWriteItemsFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::{ConditionCheck, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update};
use shared::dynamodb::entity;
use shared::dynamodb::transaction::{self, Outcome};
use shared::http::request::Caller;
use shared::photos::account::{OF_ACCOUNT, refusal, subject_value};
use shared::photos::{FollowRequest, Friendship, Key, MAX_REQUESTS_SENT};
use shared::{Error, Table};

use crate::follow_user::between::Between;

/// The positions of the items of the transaction of [`ask`].
const REQUEST: usize = 0;
const ASKING: usize = 1;
const ASKED: usize = 2;
const FRIENDSHIP: usize = 3;
/// Only if what is between the two was read.
const BLOCKS: usize = 4;

/// The result of the transaction of a request.
pub(crate) enum Asking {
    /// The caller has asked the user, now or earlier.
    Done(FollowRequest),
    /// The caller follows the user already.
    Follows(Friendship),
    /// The user has stopped to approve followers.
    NeedsNoApproval,
    /// There may be something between the two that was not read, or has changed since.
    Unread,
}

/// Puts a request, and increments the count of requests of the caller. The conditions are that the
/// user approves followers, that the caller does not follow the user, and that neither blocks the
/// other.
pub(crate) async fn ask(
    table: &Table,
    caller: &Caller,
    friendship: &Friendship,
    between: Between,
) -> Result<Asking, Error> {
    let Friendship { followed_user: asked, following_user: asking, timestamp } = friendship;
    let request =
        FollowRequest { asked_user: asked.clone(), asking_user: asking.clone(), timestamp: timestamp.clone() };
    let put = Put::builder()
        .table_name(&table.name)
        .set_item(Some(entity::to_item(Key::follow_request(asked, asking), &request)?))
        .condition_expression("attribute_not_exists(PK)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let increment = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(asking).into()))
        .update_expression("ADD requestsSent :one")
        .expression_attribute_values(":subject", subject_value(&caller.subject))
        .expression_attribute_values(":one", N("1".to_owned()))
        .expression_attribute_values(":max", N(MAX_REQUESTS_SENT.to_string()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    let condition = format!("{OF_ACCOUNT} AND NOT requestsSent >= :max");
    let increment = if between == Between::Nothing {
        increment
            .condition_expression(format!("{condition} AND NOT (blocks > :zero OR blockedBy > :zero)"))
            .expression_attribute_values(":zero", N("0".to_owned()))
    } else {
        increment.condition_expression(condition)
    };
    let approves = ConditionCheck::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(asked).into()))
        .condition_expression("attribute_exists(username) AND attribute_exists(approvesFollowers)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let follows_not = ConditionCheck::builder()
        .table_name(&table.name)
        .set_key(Some(Key::friendship(asked, asking).into()))
        .condition_expression("attribute_not_exists(PK)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let transaction = table
        .client
        .transact_write_items()
        .transact_items(TransactWriteItem::builder().put(put).build())
        .transact_items(TransactWriteItem::builder().update(increment.build()?).build())
        .transact_items(TransactWriteItem::builder().condition_check(approves).build())
        .transact_items(TransactWriteItem::builder().condition_check(follows_not).build());
    let checks = between.check_blocks(table, friendship)?.into_iter();
    let transaction = checks.fold(transaction, TransactWriteItemsFluentBuilder::transact_items);

    let mut failed = match transaction::write(transaction).await? {
        Outcome::Committed => return Ok(Asking::Done(request)),
        Outcome::ConditionFailed(failed) => failed,
    };
    if failed.contains(ASKED) {
        let exists = failed.take_item(ASKED).is_some_and(|user| user.contains_key("username"));
        return if exists { Ok(Asking::NeedsNoApproval) } else { Err(Error::no_user(asked)) };
    }
    let is_caller_refused = failed.contains(ASKING);
    let user = failed.take_item(ASKING);
    if is_caller_refused && let Some(refusal) = refusal(user.as_ref(), asking, &caller.subject) {
        return Err(refusal);
    }
    if between.may_be_outdated(user.as_ref()) || failed.contains_any_from(BLOCKS) {
        return Ok(Asking::Unread);
    }
    if let Some(existing) = failed.take_item(FRIENDSHIP) {
        return Ok(Asking::Follows(entity::from_item(existing)?));
    }
    // A repeated request gets the existing one, also at the maximum.
    let existing = failed.take_item(REQUEST).ok_or_else(too_many_requests)?;
    Ok(Asking::Done(entity::from_item(existing)?))
}

fn too_many_requests() -> Error {
    Error::Conflict(format!(
        "You have reached the maximum of {MAX_REQUESTS_SENT} requests that wait for an answer. Withdraw one first."
    ))
}
