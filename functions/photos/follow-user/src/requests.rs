//! Requests to follow users who approve their followers.

use aws_sdk_dynamodb::types::AttributeValue::{self, N};
use aws_sdk_dynamodb::types::{
    ConditionCheck, Delete, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update,
};
use shared::dynamodb::transaction::{self, Outcome};
use shared::dynamodb::{Item, entity};
use shared::http::request::Caller;
use shared::photos::account::{OF_ACCOUNT, refusal, subject_value};
use shared::photos::{FollowRequest, Friendship, Key, MAX_REQUESTS_SENT, REQUESTS_SENT};
use shared::{Error, Table};

/// The positions of the items of the transaction of [`ask`].
const REQUEST: usize = 0;
const ASKING: usize = 1;
const ASKED: usize = 2;
const FRIENDSHIP: usize = 3;

/// The users whom the caller has asked, as far as it matters to a follow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Nobody. The count of requests shows it, so nothing has to be read.
    Nobody,
    /// Others.
    Others,
    /// The user. The friendship replaces the request.
    User,
}

/// The result of the transaction of a request.
pub(crate) enum Asking {
    /// The caller has asked the user, now or earlier.
    Done(FollowRequest),
    /// The caller follows the user already.
    Follows(Friendship),
    /// The user has stopped to approve followers.
    NeedsNoApproval,
}

/// Puts a request, and increments the count of requests of the caller. The conditions are that the
/// user approves followers and that the caller does not follow the user.
pub(crate) async fn ask(table: &Table, caller: &Caller, friendship: &Friendship) -> Result<Asking, Error> {
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
        .condition_expression(format!("{OF_ACCOUNT} AND NOT requestsSent >= :max"))
        .update_expression("ADD requestsSent :one")
        .expression_attribute_values(":subject", subject_value(&caller.subject))
        .expression_attribute_values(":one", N("1".to_owned()))
        .expression_attribute_values(":max", N(MAX_REQUESTS_SENT.to_string()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
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
        .transact_items(TransactWriteItem::builder().update(increment).build())
        .transact_items(TransactWriteItem::builder().condition_check(approves).build())
        .transact_items(TransactWriteItem::builder().condition_check(follows_not).build());

    let mut failed = match transaction::write(transaction).await? {
        Outcome::Committed => return Ok(Asking::Done(request)),
        Outcome::ConditionFailed(failed) => failed,
    };
    if failed.contains(ASKED) {
        let exists = failed.take_item(ASKED).is_some_and(|user| user.contains_key("username"));
        return if exists { Ok(Asking::NeedsNoApproval) } else { Err(Error::no_user(asked)) };
    }
    if failed.contains(ASKING)
        && let Some(refusal) = refusal(failed.take_item(ASKING).as_ref(), asking, &caller.subject)
    {
        return Err(refusal);
    }
    if let Some(existing) = failed.take_item(FRIENDSHIP) {
        return Ok(Asking::Follows(entity::from_item(existing)?));
    }
    // A repeated request gets the existing one, also at the maximum.
    let existing = failed.take_item(REQUEST).ok_or_else(too_many_requests)?;
    Ok(Asking::Done(entity::from_item(existing)?))
}

/// Returns whether a user has requests that wait for an answer.
pub(crate) fn has_any(user: &Item) -> bool {
    matches!(user.get(REQUESTS_SENT), Some(AttributeValue::N(number)) if !number.starts_with(['0', '-']))
}

/// Returns whether there is a request of the caller to the user. The transaction that follows
/// checks it.
pub(crate) async fn find(
    table: &Table,
    Friendship { followed_user, following_user, .. }: &Friendship,
) -> Result<Asked, Error> {
    let found = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(Key::follow_request(followed_user, following_user).into()))
        .consistent_read(true)
        .send()
        .await?;
    Ok(if found.item.is_some() { Asked::User } else { Asked::Others })
}

/// Returns the delete of the caller's request to the user, or the check that there is none.
pub(crate) fn delete_or_check(
    table: &Table,
    Friendship { followed_user, following_user, .. }: &Friendship,
    asked: Asked,
) -> Result<Option<TransactWriteItem>, Error> {
    let key = Item::from(Key::follow_request(followed_user, following_user));
    let item = TransactWriteItem::builder();
    Ok(match asked {
        Asked::Nobody => None,
        Asked::Others => {
            let check = ConditionCheck::builder().table_name(&table.name).set_key(Some(key));
            Some(item.condition_check(check.condition_expression("attribute_not_exists(PK)").build()?).build())
        }
        Asked::User => {
            let delete = Delete::builder().table_name(&table.name).set_key(Some(key));
            Some(item.delete(delete.condition_expression("attribute_exists(PK)").build()?).build())
        }
    })
}

fn too_many_requests() -> Error {
    Error::Conflict(format!(
        "You have reached the maximum of {MAX_REQUESTS_SENT} requests that wait for an answer. Withdraw one first."
    ))
}
