//! `DELETE /users/{username}/favorites/{dataId}/tags/{tagId}`: the caller takes a tag off a favorite, by one
//! `TransactWriteItems` that deletes the entry and takes it off the favorite's count. Repeated, it changes nothing.

use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::{Delete, Update};
use shared::dynamodb::transaction;
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::model::favorites::Key;
use shared::values::{DataId, TagId, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(untag_favorite).await
}

async fn untag_favorite(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    let data_id: DataId = path(&request, "dataId")?;
    let tag_id: TagId = path(&request, "tagId")?;
    Caller::of(&request)?.must_be(&username)?;

    let delete_entry = Delete::builder()
        .table_name(&table.name)
        .set_key(Some(Key::favorite_tag(&username, &data_id, &tag_id).into()))
        .condition_expression("attribute_exists(pk)")
        .build()?;
    let one_fewer = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::favorite(&username, &data_id).into()))
        .condition_expression("tagCount > :zero")
        .update_expression("SET tagCount = tagCount - :one")
        .expression_attribute_values(":zero", N("0".to_owned()))
        .expression_attribute_values(":one", N("1".to_owned()))
        .build()?;
    transaction::delete_counted(&table.client, vec![(delete_entry, vec![one_fewer])]).await?;
    Ok(answer::no_content())
}
