//! `DELETE /users/{username}/followers/{follower}`: makes the caller stop following a user.
//!
//! One `TransactWriteItems` deletes the friendship and decrements the counts of both users. If a user is deleted, or
//! their count is zero, a second one leaves that count out. A repeated request changes nothing.

use aws_sdk_dynamodb::types::{AttributeValue, Delete, Update};
use shared::dynamodb::transaction;
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::model::photos::Key;
use shared::values::Username;
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(unfollow_user).await
}

async fn unfollow_user(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    let follower: Username = path(&request, "follower")?;
    let caller = Caller::of(&request)?;
    caller.must_be(&follower)?;

    let delete_friendship = Delete::builder()
        .table_name(&table.name)
        .set_key(Some(Key::friendship(&username, &follower).into()))
        .condition_expression("attribute_exists(PK)")
        .build()?;
    // Users cannot follow themselves any more, but some old friendships say that they do. Both counts are then on one
    // item, and a transaction must not contain the same item twice.
    let counts = if follower == username {
        vec![decrement(
            &table,
            &username,
            "attribute_exists(username) AND followers > :zero AND following > :zero",
            "SET followers = followers - :one, following = following - :one",
        )?]
    } else {
        vec![
            decrement(
                &table,
                &username,
                "attribute_exists(username) AND followers > :zero",
                "SET followers = followers - :one",
            )?,
            decrement(
                &table,
                &follower,
                "attribute_exists(username) AND following > :zero",
                "SET following = following - :one",
            )?,
        ]
    };
    transaction::delete_and_decrement(&table.client, vec![(delete_friendship, counts)]).await?;
    Ok(answer::no_content())
}

/// Builds an update that decrements counts of a user, on the condition that they are greater than zero.
fn decrement(table: &Table, user: &Username, condition: &str, update: &str) -> Result<Update, Error> {
    let update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(user).into()))
        .condition_expression(condition)
        .update_expression(update)
        .expression_attribute_values(":zero", AttributeValue::N("0".to_owned()))
        .expression_attribute_values(":one", AttributeValue::N("1".to_owned()));
    Ok(update.build()?)
}
