//! `GET /users/{username}/favorites/{dataId}`: returns a favorite by one `GetItem`.

use shared::dynamodb::entity;
use shared::favorites::{Favorite, Key};
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::values::{DataId, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(get_favorite).await
}

async fn get_favorite(table: Table, request: Request) -> Result<Response<Favorite>, Error> {
    let username: Username = path(&request, "username")?;
    let data_id: DataId = path(&request, "dataId")?;
    Caller::from_request(&request)?.must_be(&username)?;

    let output = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(Key::favorite(&username, &data_id).into()))
        .send()
        .await?;

    let item = output.item.ok_or_else(|| Error::no_favorite(&data_id))?;
    answer::private(&entity::from_item::<Favorite>(item)?)
}
