//! `GET /users/{username}/favorites/{dataId}`: returns a favorite by one `GetItem`.
//!
//! If it refers to a photo of the app, one `BatchGetItem` reads the photo.

use shared::dynamodb::entity;
use shared::favorites::Key;
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::pictures::{ShownFavorite, Signer};
use shared::values::{DataId, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let signer = Signer::from_environment()?;
    let photos = std::env::var("PHOTOS_TABLE_NAME").map_err(|_| "PHOTOS_TABLE_NAME is not set")?;
    shared::run(|table: Table, request| {
        let photos = table.other(&photos);
        get_favorite(table, photos, request, &signer)
    })
    .await
}

async fn get_favorite(
    table: Table,
    photos: Table,
    request: Request,
    signer: &Signer,
) -> Result<Response<ShownFavorite>, Error> {
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
    let shown = signer.show_favorites(&photos, vec![entity::from_item(item)?], &username).await?;
    answer::private(shown.first().ok_or_else(|| Error::no_favorite(&data_id))?)
}
