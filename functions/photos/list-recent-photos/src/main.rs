//! `GET /users/{username}/photos`: returns a page of a user's photos, newest first.
//!
//! One `Query` reads the photos in descending order. It does not read the user, so the list of an
//! unknown user is empty. A page is shorter if photos of it are being deleted, or have no picture
//! that the caller may see.
//!
//! With `include=viewer`, a `Query` of `<stage>.Feed` reads the caller's engagements with the photos
//! of the page, which are neighbors there.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Serialize;
use shared::feed::query_engagements;
use shared::http::answer;
use shared::http::page::Page;
use shared::http::request::{Caller, path, query};
use shared::photos::{Key, photo_sk_prefix, photos_of_page, user_pk};
use shared::pictures::{ShownPhoto, Signer, add_engagements};
use shared::values::{Timestamp, Username, ViewerParts};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let signer = Signer::from_environment()?;
    let feed = std::env::var("FEED_TABLE_NAME").map_err(|_| "FEED_TABLE_NAME is not set")?;
    shared::run_with_query(&["include", "limit", "cursor"], |table: Table, request| {
        let feed = table.other(&feed);
        list_recent_photos(table, feed, request, &signer)
    })
    .await
}

/// The body of the answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RecentPhotos {
    photos: Vec<ShownPhoto>,
    next_cursor: Option<String>,
}

async fn list_recent_photos(
    table: Table,
    feed: Table,
    request: Request,
    signer: &Signer,
) -> Result<Response<RecentPhotos>, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::from_request(&request)?;
    let include = query::<ViewerParts>(&request, "include")?.unwrap_or_default();
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
    let mut photos = signer.show_all(photos, &caller.username)?;
    if include.viewer
        && let (Some(newest), Some(oldest)) = (photos.first(), photos.last())
    {
        let engagements =
            query_engagements(&feed, &caller.username, &username, &newest.timestamp, &oldest.timestamp).send().await?;
        add_engagements(&mut photos, engagements.items.unwrap_or_default())?;
    }
    let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;
    answer::seen_by(&caller.username, &username, &RecentPhotos { photos, next_cursor })
}
