//! `PUT /users/{username}/requests/{follower}`: accepts a request to follow the caller.
//!
//! One `TransactWriteItems` replaces the request with the friendship, increments the counts of both
//! users and decrements the follower's count of requests, on the conditions that the follower
//! follows fewer than [`MAX_FOLLOWING`] users and that the caller's profile is of the caller's
//! account. A repeated request changes nothing and returns the friendship.
//!
//! Whether the caller still approves followers does not matter: a request that was made before
//! stays until it is answered.

use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::{Delete, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update};
use shared::dynamodb::entity;
use shared::dynamodb::transaction::{self, Outcome};
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::photos::account::{OF_ACCOUNT, refusal, subject_value};
use shared::photos::{Friendship, Key, MAX_FOLLOWING};
use shared::values::{Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// The positions of the items of the transaction, by which their failed conditions are known.
const FRIENDSHIP: usize = 0;
const REQUEST: usize = 1;
const FOLLOWER: usize = 2;
const FOLLOWED_USER: usize = 3;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(accept_follow_request).await
}

async fn accept_follow_request(table: Table, request: Request) -> Result<Response<Friendship>, Error> {
    let username: Username = path(&request, "username")?;
    let follower: Username = path(&request, "follower")?;
    let caller = Caller::from_request(&request)?;
    caller.must_be(&username)?;
    if follower == username {
        return Err(no_request(&follower));
    }

    let friendship =
        Friendship { followed_user: username.clone(), following_user: follower.clone(), timestamp: Timestamp::now() };
    let put = Put::builder()
        .table_name(&table.name)
        .set_item(Some(entity::to_item(Key::friendship(&username, &follower), &friendship)?))
        .condition_expression("attribute_not_exists(PK)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let delete = Delete::builder()
        .table_name(&table.name)
        .set_key(Some(Key::follow_request(&username, &follower).into()))
        .condition_expression("attribute_exists(PK)")
        .build()?;
    let increment_following = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(&follower).into()))
        .condition_expression("attribute_exists(username) AND (attribute_not_exists(following) OR following < :max)")
        .update_expression("ADD following :one, requestsSent :minus_one")
        .expression_attribute_values(":one", N("1".to_owned()))
        .expression_attribute_values(":minus_one", N("-1".to_owned()))
        .expression_attribute_values(":max", N(MAX_FOLLOWING.to_string()))
        .build()?;
    let increment_followers = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(&username).into()))
        .condition_expression(OF_ACCOUNT)
        .update_expression("ADD followers :one")
        .expression_attribute_values(":subject", subject_value(&caller.subject))
        .expression_attribute_values(":one", N("1".to_owned()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let transaction = table
        .client
        .transact_write_items()
        .transact_items(TransactWriteItem::builder().put(put).build())
        .transact_items(TransactWriteItem::builder().delete(delete).build())
        .transact_items(TransactWriteItem::builder().update(increment_following).build())
        .transact_items(TransactWriteItem::builder().update(increment_followers).build());

    let mut failed = match transaction::write(transaction).await? {
        Outcome::Committed => return answer::created(&friendship),
        Outcome::ConditionFailed(failed) => failed,
    };
    if failed.contains(FOLLOWED_USER)
        && let Some(refusal) = refusal(failed.take_item(FOLLOWED_USER).as_ref(), &username, &caller.subject)
    {
        return Err(refusal);
    }
    // A repeated request gets the existing friendship.
    if let Some(existing) = failed.take_item(FRIENDSHIP) {
        return answer::ok(&entity::from_item::<Friendship>(existing)?);
    }
    // The requests of a deleted user disappear a little later.
    if failed.contains(REQUEST) {
        return Err(no_request(&follower));
    }
    debug_assert!(failed.contains(FOLLOWER));
    Err(Error::Conflict(format!(
        "The user {follower} has been deleted, or follows {MAX_FOLLOWING} users, the maximum."
    )))
}

fn no_request(follower: &Username) -> Error {
    Error::NotFound(format!("request of {follower} to follow you"))
}
