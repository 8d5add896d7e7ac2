//! `DELETE /users/{username}/favorites/{dataId}/tags/{tagId}`: takes a tag off a favorite, by one
//! `TransactWriteItems` that deletes the entry and decrements the favorite's `tagCount`. If there
//! is no count to decrement, because the favorite is deleted or another program wrote it, a second
//! one deletes the entry and checks that there is none. A repeated request changes nothing.
//!
//! The transaction also checks that the name is not that of another account
//! ([`account`](shared::photos::account)).

use aws_sdk_dynamodb::types::Delete;
use shared::dynamodb::counter::{self, Decrement};
use shared::favorites::Key;
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::photos::account::Account;
use shared::values::{DataId, TagId, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    let photos = std::env::var("PHOTOS_TABLE_NAME").map_err(|_| "PHOTOS_TABLE_NAME is not set")?;
    shared::run(|table, request| untag_favorite(table, &photos, request)).await
}

async fn untag_favorite(table: Table, photos: &str, request: Request) -> Result<Response<()>, Error> {
    let username: Username = path(&request, "username")?;
    let data_id: DataId = path(&request, "dataId")?;
    let tag_id: TagId = path(&request, "tagId")?;
    let caller = Caller::from_request(&request)?;
    caller.must_be(&username)?;
    let account = Account { table_name: photos, username: &username, subject: &caller.subject };

    let delete_entry = Delete::builder()
        .table_name(&table.name)
        .set_key(Some(Key::favorite_tag(&username, &data_id, &tag_id).into()))
        .condition_expression("attribute_exists(pk)")
        .build()?;
    let decrement = Decrement::new(&table.name, Key::favorite(&username, &data_id), "tagCount");
    let guard = account.guard();
    counter::delete_and_decrement(&table.client, vec![(delete_entry, vec![decrement])], Some(&guard)).await?;
    Ok(answer::no_content())
}
