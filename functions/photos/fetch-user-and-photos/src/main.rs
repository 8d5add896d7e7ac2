//! `GET /users/{username}/profile`: returns a user and a page of their photos, oldest first.
//!
//! One `Query` reads both in ascending order: the user's item first, and then the photos, which
//! sort after it. A page is shorter if photos of it are being deleted, or have no picture that the
//! caller may see.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Serialize;
use shared::http::answer;
use shared::http::page::Page;
use shared::http::request::{Caller, path};
use shared::photos::{AFTER_PHOTOS, Key, Profile, existing_user, metadata_sk, photos_of_page, user_pk};
use shared::pictures::{ShownPhoto, Signer};
use shared::values::{Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let signer = Signer::from_environment()?;
    shared::run_with_query(&["limit", "cursor"], |table, request| fetch_user_and_photos(table, request, &signer)).await
}

/// The body of the answer. Only the first page contains the user.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UserAndPhotos {
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<Profile>,
    photos: Vec<ShownPhoto>,
    next_cursor: Option<String>,
}

async fn fetch_user_and_photos(
    table: Table,
    request: Request,
    signer: &Signer,
) -> Result<Response<UserAndPhotos>, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::from_request(&request)?;
    let page: Page<Timestamp> = Page::from_request(&request, "profile", &username)?;
    let is_first_page = page.after.is_none();

    let output = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :user AND SK BETWEEN :metadata AND :photos_end")
        .expression_attribute_values(":user", S(user_pk(&username)))
        .expression_attribute_values(":metadata", S(metadata_sk(&username)))
        .expression_attribute_values(":photos_end", S(AFTER_PHOTOS.to_owned()))
        .set_exclusive_start_key(page.after.as_ref().map(|last| Key::photo(&username, last).into()))
        .limit(page.limit + i32::from(is_first_page))
        .send()
        .await?;

    let mut items = output.items.unwrap_or_default();
    let user = if is_first_page {
        let first = (!items.is_empty()).then(|| items.remove(0));
        Some(existing_user(first, &username)?.seen_by(&caller.username, &caller.subject))
    } else {
        None
    };
    let (photos, last) = photos_of_page(items)?;
    let photos = signer.show_all(photos, &caller.username)?;
    let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;
    answer::seen_by(&caller.username, &username, &UserAndPhotos { user, photos, next_cursor })
}
