//! `GET /users/{username}/photos`: returns a page of a user's photos, newest first.
//!
//! One `Query` reads the photos in descending order. It does not read the user, so the list of an
//! unknown user is empty. A page is shorter if photos of it are being deleted, or have no picture
//! that the caller may see.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Serialize;
use shared::http::answer;
use shared::http::page::Page;
use shared::http::request::{Caller, path};
use shared::photos::{Key, photo_sk_prefix, photos_of_page, user_pk};
use shared::pictures::{ShownPhoto, Signer};
use shared::values::{Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let signer = Signer::from_environment()?;
    shared::run_with_query(&["limit", "cursor"], |table, request| list_recent_photos(table, request, &signer)).await
}

/// The body of the answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RecentPhotos {
    photos: Vec<ShownPhoto>,
    next_cursor: Option<String>,
}

async fn list_recent_photos(table: Table, request: Request, signer: &Signer) -> Result<Response<RecentPhotos>, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::from_request(&request)?;
    let page: Page<Timestamp> = Page::from_request(&request, "photos", &username)?;

    let output = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :user AND begins_with(SK, :photos)")
        .expression_attribute_values(":user", S(user_pk(&username)))
        .expression_attribute_values(":photos", S(photo_sk_prefix(&username)))
        .scan_index_forward(false)
        .set_exclusive_start_key(page.after.as_ref().map(|last| Key::photo(&username, last).into()))
        .limit(page.limit)
        .send()
        .await?;

    let (photos, last) = photos_of_page(output.items.unwrap_or_default())?;
    let photos = signer.show_all(photos, &caller.username)?;
    let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;
    answer::seen_by(&caller.username, &username, &RecentPhotos { photos, next_cursor })
}
