//! `GET /users/{username}/favorites/types/{type}`: lists the caller's favorites of one type, newest
//! first, by one `Query` on the global secondary index gsiOne.
//!
//! If favorites of the page refer to photos of the app, one `BatchGetItem` reads these.

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::{Item, entity};
use shared::favorites::{ClipPosition, Favorite, GSI_ONE, GSI_ONE_PK, GSI_ONE_SK, Key, favorites_of_type_pk};
use shared::http::answer;
use shared::http::page::Page;
use shared::http::request::{Caller, path, query};
use shared::pictures::{Favorites, PhotoTables, Signer};
use shared::values::{DataType, PhotosParts, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    let signer = Signer::from_environment()?;
    let photos = std::env::var("PHOTOS_TABLE_NAME").map_err(|_| "PHOTOS_TABLE_NAME is not set")?;
    let feed = std::env::var("FEED_TABLE_NAME").map_err(|_| "FEED_TABLE_NAME is not set")?;
    shared::run_with_query(&["include", "limit", "cursor"], |table: Table, request| {
        let tables = PhotoTables { photos: table.other(&photos), feed: table.other(&feed) };
        list_favorites_by_type(table, tables, request, &signer)
    })
    .await
}

async fn list_favorites_by_type(
    table: Table,
    tables: PhotoTables,
    request: Request,
    signer: &Signer,
) -> Result<Response<Favorites>, Error> {
    let username: Username = path(&request, "username")?;
    let data_type: DataType = path(&request, "type")?;
    Caller::from_request(&request)?.must_be(&username)?;
    let include = query::<PhotosParts>(&request, "include")?.unwrap_or_default();
    let page: Page<ClipPosition> =
        Page::from_request(&request, "favorites-by-type", format!("{username} {data_type}"))?;

    let favorites_of_type = S(favorites_of_type_pk(&username, data_type));
    let start_key = page.after.as_ref().map(|last| {
        let mut key = Item::from(Key::favorite(&username, &last.data_id));
        key.insert(GSI_ONE_PK.to_owned(), favorites_of_type.clone());
        key.insert(GSI_ONE_SK.to_owned(), S(last.to_string()));
        key
    });
    let output = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(GSI_ONE)
        .key_condition_expression("gsiOnePk = :favorites")
        .expression_attribute_values(":favorites", favorites_of_type)
        .scan_index_forward(false)
        .set_exclusive_start_key(start_key)
        .limit(page.limit)
        .send()
        .await?;

    let favorites: Vec<Favorite> = entity::from_items(output.items.unwrap_or_default())?;
    let last = favorites.last().map(Favorite::clip_position);
    let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;
    answer::private(&signer.show_favorites(&tables, favorites, &username, include, next_cursor).await?)
}
