//! `DELETE /users/{username}/photos/{timestamp}/reactions/{type}`: removes the caller's reaction to a photo.
//!
//! One `TransactWriteItems` deletes the reaction and decrements the photo's count of that type. If there
//! is nothing to decrement, because the photo is deleted or its count is zero, a second one checks that instead. A
//! repeated request changes nothing.

use aws_sdk_dynamodb::types::Delete;
use shared::dynamodb::transaction;
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::model::photos::{Key, decrement_reaction_count};
use shared::values::{ReactionType, Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(remove_reaction).await
}

async fn remove_reaction(table: Table, request: Request) -> Result<Response<()>, Error> {
    let username: Username = path(&request, "username")?;
    let timestamp: Timestamp = path(&request, "timestamp")?;
    let reaction_type: ReactionType = path(&request, "type")?;
    let caller = Caller::of(&request)?;

    let delete_reaction = Delete::builder()
        .table_name(&table.name)
        .set_key(Some(Key::reaction(&caller.username, reaction_type, &username, &timestamp).into()))
        .condition_expression("attribute_exists(PK)")
        .build()?;
    let decrement_count = decrement_reaction_count(&table.name, &username, &timestamp, reaction_type);
    transaction::delete_and_decrement(&table.client, vec![(delete_reaction, vec![decrement_count])]).await?;
    Ok(answer::no_content())
}
