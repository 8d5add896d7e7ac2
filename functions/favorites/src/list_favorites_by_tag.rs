//! `GET /users/{username}/tags/{tagId}/favorites`: lists the favorites that carry a tag, newest
//! first, by one `Query` of the tag's entries on the global secondary index gsiOne and one
//! `BatchGetItem` of their favorites.
//!
//! At the same time, the first page records that the tag is used, by one `UpdateItem`. The other
//! pages check that the tag exists, by one consistent `GetItem`. [`list_tagged_favorites`] sends
//! all of these requests.
//!
//! If favorites of the page refer to photos of the app, one `BatchGetItem` reads these.

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::Item;
use shared::favorites::tag::list_tagged_favorites;
use shared::favorites::{ClipPosition, GSI_ONE, GSI_ONE_PK, GSI_ONE_SK, Key, favorites_of_tag_pk};
use shared::http::answer;
use shared::http::page::Page;
use shared::http::request::{Caller, path, query};
use shared::pictures::{Favorites, PhotoTables, Signer};
use shared::values::{PhotosParts, TagId, Username};
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
        list_favorites_by_tag(table, tables, request, &signer)
    })
    .await
}

async fn list_favorites_by_tag(
    table: Table,
    tables: PhotoTables,
    request: Request,
    signer: &Signer,
) -> Result<Response<Favorites>, Error> {
    let username: Username = path(&request, "username")?;
    let tag_id: TagId = path(&request, "tagId")?;
    Caller::from_request(&request)?.must_be(&username)?;
    let include = query::<PhotosParts>(&request, "include")?.unwrap_or_default();
    let page: Page<ClipPosition> = Page::from_request(&request, "favorites-by-tag", format!("{username} {tag_id}"))?;

    let favorites = S(favorites_of_tag_pk(&username, &tag_id));
    let start_key = page.after.as_ref().map(|last| {
        let mut key = Item::from(Key::favorite_tag(&username, &last.data_id, &tag_id));
        key.insert(GSI_ONE_PK.to_owned(), favorites.clone());
        key.insert(GSI_ONE_SK.to_owned(), S(last.to_string()));
        key
    });
    let entries = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(GSI_ONE)
        .key_condition_expression("gsiOnePk = :favorites")
        .expression_attribute_values(":favorites", favorites)
        .scan_index_forward(false)
        .set_exclusive_start_key(start_key)
        .limit(page.limit);

    let is_first_page = page.after.is_none();
    let (favorites, last) = list_tagged_favorites(&table, &username, &tag_id, entries, is_first_page).await?;
    let next_cursor = page.cursor(last)?;
    answer::private(&signer.show_favorites(&tables, favorites, &username, include, next_cursor).await?)
}
