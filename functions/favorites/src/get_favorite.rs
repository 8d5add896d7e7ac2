//! `GET /users/{username}/favorites/{dataId}`: returns a favorite by one `GetItem`.
//!
//! If it refers to a photo of the app, one `BatchGetItem` reads the photo.

use shared::dynamodb::entity;
use shared::favorites::Key;
use shared::http::answer;
use shared::http::request::{Caller, path, query};
use shared::pictures::{PhotoTables, ShownFavorite, Signer};
use shared::values::{DataId, PhotosParts, Username, ViewerParts};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    let signer = Signer::from_environment()?;
    let photos = std::env::var("PHOTOS_TABLE_NAME").map_err(|_| "PHOTOS_TABLE_NAME is not set")?;
    let feed = std::env::var("FEED_TABLE_NAME").map_err(|_| "FEED_TABLE_NAME is not set")?;
    shared::run_with_query(&["include"], |table: Table, request| {
        let tables = PhotoTables { photos: table.other(&photos), feed: table.other(&feed) };
        get_favorite(table, tables, request, &signer)
    })
    .await
}

async fn get_favorite(
    table: Table,
    tables: PhotoTables,
    request: Request,
    signer: &Signer,
) -> Result<Response<ShownFavorite>, Error> {
    let username: Username = path(&request, "username")?;
    let data_id: DataId = path(&request, "dataId")?;
    let ViewerParts { viewer } = query::<ViewerParts>(&request, "include")?.unwrap_or_default();
    Caller::from_request(&request)?.must_be(&username)?;

    let output = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(Key::favorite(&username, &data_id).into()))
        .send()
        .await?;

    let item = output.item.ok_or_else(|| Error::no_favorite(&data_id))?;
    let favorites = vec![entity::from_item(item)?];
    let include = PhotosParts { viewer, people: false };
    let shown = signer.show_favorites(&tables, favorites, &username, include, None).await?;
    answer::private(shown.favorites.first().ok_or_else(|| Error::no_favorite(&data_id))?)
}
