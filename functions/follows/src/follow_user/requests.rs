//! Requests to follow users who approve their followers.

use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::{ConditionCheck, Put, ReturnValuesOnConditionCheckFailure, Update};
use shared::dynamodb::entity;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::account::{OF_ACCOUNT, refusal, subject_value};
use shared::entities::{FollowRequest, Friendship, Key, MAX_REQUESTS_SENT};
use shared::http::request::Caller;
use shared::{Error, ErrorKind, Table};

use crate::follow_user::between::Between;

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

/// Puts a request, and increments the counts of requests of both users. The conditions are that the
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
    let approves = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(asked).into()))
        .condition_expression("attribute_exists(username) AND attribute_exists(approvesFollowers)")
        .update_expression("ADD requestsReceived :one")
        .expression_attribute_values(":one", N("1".to_owned()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let follows_not = ConditionCheck::builder()
        .table_name(&table.name)
        .set_key(Some(Key::friendship(asked, asking).into()))
        .condition_expression("attribute_not_exists(PK)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let mut transaction = Transaction::new();
    let put = transaction.put(put);
    let increment = transaction.update(increment.build()?);
    let approves = transaction.update(approves);
    let follows_not = transaction.condition_check(follows_not);
    let blocks = between.check_blocks(table, friendship, &mut transaction)?;

    let failed = match transaction.write(&table.client).await? {
        Outcome::Committed => return Ok(Asking::Done(request)),
        Outcome::ConditionFailed(failed) => failed,
    };
    if failed.contains(approves) {
        let exists = failed.item(approves).is_some_and(|user| user.contains_key("username"));
        return if exists { Ok(Asking::NeedsNoApproval) } else { Err(Error::no_user(asked)) };
    }
    let user = failed.item(increment);
    if failed.contains(increment)
        && let Some(refusal) = refusal(user, asking, &caller.subject)
    {
        return Err(refusal);
    }
    if between.may_be_outdated(user) || failed.contains_any(blocks) {
        return Ok(Asking::Unread);
    }
    if let Some(existing) = failed.item(follows_not) {
        return Ok(Asking::Follows(entity::from_item(existing.clone())?));
    }
    // A repeated request gets the existing one, also at the maximum.
    let existing = failed.item(put).ok_or_else(too_many_requests)?;
    Ok(Asking::Done(entity::from_item(existing.clone())?))
}

fn too_many_requests() -> Error {
    let detail = format!(
        "You have reached the maximum of {MAX_REQUESTS_SENT} requests that wait for an answer. Withdraw one first."
    );
    Error::refused(ErrorKind::TooManyFollowRequests, detail)
}
