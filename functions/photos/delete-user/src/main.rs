//! `DELETE /users/{username}`: deletes the caller's profile.
//!
//! One `PutItem` replaces the user with a `Deletion`, on the condition that the user exists. From then on no answer
//! shows the user. A user can have more photos, friendships and reactions than one request can delete, so
//! `finish-deletion` deletes them, from the table's stream, and the `Deletion` last. Until then nobody can take the
//! username. A repeated request changes nothing.

use aws_sdk_dynamodb::operation::put_item::PutItemError;
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::model::entity;
use shared::model::photos::{Deletion, Key};
use shared::values::{Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(delete_user).await
}

async fn delete_user(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::of(&request)?;
    caller.must_be(&username)?;

    let deletion = Deletion { erasing: username.clone(), since: Timestamp::now() };
    let put = table
        .client
        .put_item()
        .table_name(&table.name)
        .set_item(Some(entity::to_item(Key::user(&username), &deletion)?))
        .condition_expression("attribute_exists(username)")
        .send()
        .await;
    match put {
        Ok(_) => Ok(answer::no_content()),
        Err(error) => match error.as_service_error() {
            // The user does not exist, or a `Deletion` has replaced it already.
            Some(PutItemError::ConditionalCheckFailedException(_)) => Ok(answer::no_content()),
            _ => Err(error.into()),
        },
    }
}
