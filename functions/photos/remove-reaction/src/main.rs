//! `DELETE /users/{username}/photos/{timestamp}/reactions/{type}`: removes the caller's reaction to a photo.
//!
//! One `TransactWriteItems` deletes the reaction and decrements the photo's count of that type. If the photo is deleted, or
//! the count is zero, a second one deletes the reaction alone. A repeated request changes nothing.

use aws_sdk_dynamodb::types::{AttributeValue, Delete, Update};
use shared::dynamodb::transaction;
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::model::photos::Key;
use shared::values::{ReactionType, Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(remove_reaction).await
}

async fn remove_reaction(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    let timestamp: Timestamp = path(&request, "timestamp")?;
    let reaction_type: ReactionType = path(&request, "type")?;
    let caller = Caller::of(&request)?;

    let delete_reaction = Delete::builder()
        .table_name(&table.name)
        .set_key(Some(Key::reaction(&caller.username, reaction_type, &username, &timestamp).into()))
        .condition_expression("attribute_exists(PK)")
        .build()?;
    let decrement_count = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::photo(&username, &timestamp).into()))
        .condition_expression("reactions.#type > :zero")
        .update_expression("SET reactions.#type = reactions.#type - :one")
        .expression_attribute_names("#type", reaction_type.as_ref())
        .expression_attribute_values(":zero", AttributeValue::N("0".to_owned()))
        .expression_attribute_values(":one", AttributeValue::N("1".to_owned()))
        .build()?;
    transaction::delete_and_decrement(&table.client, vec![(delete_reaction, vec![decrement_count])]).await?;
    Ok(answer::no_content())
}
