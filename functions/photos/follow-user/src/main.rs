//! `PUT /users/{username}/followers/{follower}`: makes the caller follow a user.
//!
//! One `TransactWriteItems` puts the friendship and increments the counts of both users, on the condition that the
//! follower follows fewer than [`MAX_FOLLOWING`] users. A repeated request changes nothing and returns the existing
//! friendship, also at the maximum.

use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update};
use shared::dynamodb::Item;
use shared::dynamodb::transaction;
use shared::dynamodb::transaction::Outcome;
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::model::entity;
use shared::model::photos::{Friendship, Key, MAX_FOLLOWING};
use shared::values::{Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// The positions of the transaction's items, by which its failed conditions are known.
const FRIENDSHIP: usize = 0;
const FOLLOWED_USER: usize = 1;
const FOLLOWER: usize = 2;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(follow_user).await
}

async fn follow_user(table: Table, request: Request) -> Result<Response<Friendship>, Error> {
    let username: Username = path(&request, "username")?;
    let follower: Username = path(&request, "follower")?;
    let caller = Caller::of(&request)?;
    caller.must_be(&follower)?;
    if follower == username {
        return Err(Error::invalid("follower", "must be another user, because users cannot follow themselves"));
    }

    let friendship =
        Friendship { followed_user: username.clone(), following_user: follower.clone(), timestamp: Timestamp::now() };
    let put_friendship = Put::builder()
        .table_name(&table.name)
        .set_item(Some(entity::to_item(Key::friendship(&username, &follower), &friendship)?))
        .condition_expression("attribute_not_exists(PK)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let increment_followers = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(&username).into()))
        .condition_expression("attribute_exists(username)")
        .update_expression("ADD followers :one")
        .expression_attribute_values(":one", N("1".to_owned()))
        .build()?;
    let increment_following = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(&follower).into()))
        .condition_expression("attribute_exists(username) AND (attribute_not_exists(following) OR following < :max)")
        .update_expression("ADD following :one")
        .expression_attribute_values(":one", N("1".to_owned()))
        .expression_attribute_values(":max", N(MAX_FOLLOWING.to_string()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let transaction = table
        .client
        .transact_write_items()
        .transact_items(TransactWriteItem::builder().put(put_friendship).build())
        .transact_items(TransactWriteItem::builder().update(increment_followers).build())
        .transact_items(TransactWriteItem::builder().update(increment_following).build());

    match transaction::write(transaction).await? {
        Outcome::Committed => answer::created(&friendship),
        Outcome::ConditionFailed(failed) if failed.contains(FOLLOWED_USER) => Err(Error::no_user(&username)),
        Outcome::ConditionFailed(mut failed) => {
            let is_user = |item: Item| item.contains_key("username");
            if failed.contains(FOLLOWER) && !failed.take_item(FOLLOWER).is_some_and(is_user) {
                return Err(Error::no_user(&follower));
            }
            // A repeated request gets the existing friendship, also if the caller has the maximum.
            let existing = failed.take_item(FRIENDSHIP).ok_or_else(too_many_followed)?;
            answer::ok(&entity::from_item::<Friendship>(existing)?)
        }
    }
}

fn too_many_followed() -> Error {
    Error::Conflict(format!("You follow the maximum of {MAX_FOLLOWING} users or more. Unfollow a user first."))
}
