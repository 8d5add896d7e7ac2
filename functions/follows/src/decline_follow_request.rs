//! `DELETE /users/{username}/requests/{follower}`: declines a request to follow the caller. The
//! user who asks is not told.
//!
//! One `TransactWriteItems` deletes the request, decrements the count of requests of the user who
//! asks, and checks that the caller's name is not that of another account. If there is nothing to
//! decrement, because the user is deleted, a second one checks that instead. A repeated request
//! changes nothing.

use aws_sdk_dynamodb::types::Delete;
use shared::dynamodb::counter::{Decrement, delete_and_decrement};
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::photos::account::Account;
use shared::photos::{Key, REQUESTS_SENT};
use shared::values::Username;
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    shared::run(decline_follow_request).await
}

async fn decline_follow_request(table: Table, request: Request) -> Result<Response<()>, Error> {
    let username: Username = path(&request, "username")?;
    let follower: Username = path(&request, "follower")?;
    let caller = Caller::from_request(&request)?;
    caller.must_be(&username)?;

    let delete = Delete::builder()
        .table_name(&table.name)
        .set_key(Some(Key::follow_request(&username, &follower).into()))
        .condition_expression("attribute_exists(PK)")
        .build()?;
    let decrement = Decrement::new(&table.name, Key::user(&follower), REQUESTS_SENT);
    let account = Account { table_name: &table.name, username: &caller.username, subject: &caller.subject };
    delete_and_decrement(&table.client, vec![(delete, vec![decrement])], Some(&account.guard())).await?;
    Ok(answer::no_content())
}
