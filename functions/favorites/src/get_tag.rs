//! `GET /users/{username}/tags/{tagId}`: returns a tag by one `GetItem`.

use shared::dynamodb::entity;
use shared::favorites::{Key, Tag};
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::values::{TagId, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    shared::run(get_tag).await
}

async fn get_tag(table: Table, request: Request) -> Result<Response<Tag>, Error> {
    let username: Username = path(&request, "username")?;
    let tag_id: TagId = path(&request, "tagId")?;
    Caller::from_request(&request)?.must_be(&username)?;

    let output = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(Key::tag(&username, &tag_id).into()))
        .send()
        .await?;

    let item = output.item.ok_or_else(|| Error::no_tag(&tag_id))?;
    answer::private(&entity::from_item::<Tag>(item)?)
}
