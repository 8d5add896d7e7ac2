//! `PUT /users/{username}/followers/{follower}`: makes the caller follow a user.
//!
//! One `TransactWriteItems` puts the friendship and increments the counts of both users, on the
//! condition that the follower follows fewer than [`MAX_FOLLOWING`] users. A repeated request
//! changes nothing and returns the existing friendship, also at the maximum.
//!
//! If the followed user takes more writes than one item can, the transaction conflicts or is
//! throttled each time. Then an eventually consistent `Query` of `InvertedIndex` reads the user,
//! and another `TransactWriteItems` puts the friendship without the followed user's count, with the
//! mark `uncounted`. `process-changes` adds it to the count.

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update};
use shared::dynamodb::entity;
use shared::dynamodb::transaction::Outcome;
use shared::dynamodb::{Item, transaction};
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::photos::account::{OF_ACCOUNT, refusal, subject_value};
use shared::photos::{Friendship, INVERTED_INDEX, Key, MAX_FOLLOWING, mark_uncounted, metadata_sk, user_pk};
use shared::values::{Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// The positions of the items of both transactions, by which their failed conditions are known.
/// Only the first one has the followed user.
const FRIENDSHIP: usize = 0;
const FOLLOWER: usize = 1;
const FOLLOWED_USER: usize = 2;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(follow_user).await
}

async fn follow_user(table: Table, request: Request) -> Result<Response<Friendship>, Error> {
    let username: Username = path(&request, "username")?;
    let follower: Username = path(&request, "follower")?;
    let caller = Caller::from_request(&request)?;
    caller.must_be(&follower)?;
    if follower == username {
        return Err(Error::invalid("follower", "must be another user, because users cannot follow themselves"));
    }

    let friendship =
        Friendship { followed_user: username.clone(), following_user: follower.clone(), timestamp: Timestamp::now() };
    let item = entity::to_item(Key::friendship(&username, &follower), &friendship)?;
    let increment_following = increment_following(&table, &caller)?;
    let counted = table
        .client
        .transact_write_items()
        .client_request_token(transaction::new_token())
        .transact_items(put_friendship(&table, item.clone())?)
        .transact_items(increment_following.clone())
        .transact_items(increment_followers(&table, &username)?);
    let outcome = match transaction::write_unless_contended(counted.clone()).await? {
        Some(outcome) => outcome,
        None if exists(&table, &username).await? => {
            let uncounted = table
                .client
                .transact_write_items()
                .transact_items(put_friendship(&table, mark_uncounted(item))?)
                .transact_items(increment_following);
            transaction::write(uncounted).await?
        }
        // The read may be out of date, so the condition of the transaction decides.
        None => transaction::write(counted).await?,
    };

    match outcome {
        Outcome::Committed => answer::created(&friendship),
        Outcome::ConditionFailed(failed) if failed.contains(FOLLOWED_USER) => Err(Error::no_user(&username)),
        Outcome::ConditionFailed(mut failed) => {
            if failed.contains(FOLLOWER)
                && let Some(refusal) = refusal(failed.take_item(FOLLOWER).as_ref(), &follower, &caller.subject)
            {
                return Err(refusal);
            }
            // A repeated request gets the existing friendship, also if the caller has the maximum.
            let existing = failed.take_item(FRIENDSHIP).ok_or_else(too_many_followed)?;
            answer::ok(&entity::from_item::<Friendship>(existing)?)
        }
    }
}

fn put_friendship(table: &Table, friendship: Item) -> Result<TransactWriteItem, Error> {
    let put = Put::builder()
        .table_name(&table.name)
        .set_item(Some(friendship))
        .condition_expression("attribute_not_exists(PK)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    Ok(TransactWriteItem::builder().put(put).build())
}

fn increment_following(table: &Table, follower: &Caller) -> Result<TransactWriteItem, Error> {
    let update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(&follower.username).into()))
        .condition_expression(format!("{OF_ACCOUNT} AND (attribute_not_exists(following) OR following < :max)"))
        .expression_attribute_values(":subject", subject_value(&follower.subject))
        .update_expression("ADD following :one")
        .expression_attribute_values(":one", N("1".to_owned()))
        .expression_attribute_values(":max", N(MAX_FOLLOWING.to_string()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    Ok(TransactWriteItem::builder().update(update).build())
}

fn increment_followers(table: &Table, username: &Username) -> Result<TransactWriteItem, Error> {
    let update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(username).into()))
        .condition_expression("attribute_exists(username)")
        .update_expression("ADD followers :one")
        .expression_attribute_values(":one", N("1".to_owned()))
        .build()?;
    Ok(TransactWriteItem::builder().update(update).build())
}

/// Returns whether the user existed a moment ago.
///
/// The entry in the index is small, while the user may have 32 KB of attributes. So the read takes
/// half a read unit, and 5,000 of them a second fit into the [3,000 units of a
/// partition](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html).
/// If the user has been deleted meanwhile, `process-changes` finds no user who could count the
/// friendship, and deletes it.
async fn exists(table: &Table, username: &Username) -> Result<bool, Error> {
    let found = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :metadata AND PK = :user")
        .expression_attribute_values(":metadata", S(metadata_sk(username)))
        .expression_attribute_values(":user", S(user_pk(username)))
        .send()
        .await?;
    Ok(found.items().iter().any(|item| item.contains_key("username")))
}

fn too_many_followed() -> Error {
    Error::Conflict(format!("You have reached the maximum of {MAX_FOLLOWING} followed users. Unfollow a user first."))
}
