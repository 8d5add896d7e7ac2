//! `GET /users/{username}/profile`: returns a user and a page of their photos, oldest first.
//!
//! One `Query` reads both in ascending order: the user's item first, and then the photos, which
//! sort after it. With `order=desc`, the newest photos come first: then a `GetItem` reads the user,
//! and at the same time a `Query` reads the photos, backward. A page is shorter if photos of it are
//! being deleted, or have no picture that the caller may see.
//!
//! With `include=viewer`, a `Query` of `<stage>.Feed` reads the caller's engagements with the photos
//! of the page, which are neighbors there. On the first page, a `BatchGetItem` reads the friendships
//! between the user and the caller at the same time. If the user approves followers and the caller
//! does not follow them, another one reads the caller's request.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Serialize;
use shared::dynamodb::{Item, batch};
use shared::feed::query_engagements;
use shared::http::answer;
use shared::http::page::Page;
use shared::http::request::{Caller, path, query};
use shared::photos::{
    AFTER_PHOTOS, Key, Profile, Relations, existing_user, metadata_sk, photo_sk_prefix, photos_of_page, user_pk,
};
use shared::pictures::{ShownPhoto, Signer, add_engagements};
use shared::values::{Order, Timestamp, Username, ViewerParts};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let signer = Signer::from_environment()?;
    let feed = std::env::var("FEED_TABLE_NAME").map_err(|_| "FEED_TABLE_NAME is not set")?;
    shared::run_with_query(&["order", "include", "limit", "cursor"], |table: Table, request| {
        let feed = table.other(&feed);
        fetch_user_and_photos(table, feed, request, &signer)
    })
    .await
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
    feed: Table,
    request: Request,
    signer: &Signer,
) -> Result<Response<UserAndPhotos>, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::from_request(&request)?;
    let order = query::<Order>(&request, "order")?.unwrap_or(Order::Ascending);
    let include = query::<ViewerParts>(&request, "include")?.unwrap_or_default();
    let scope = match order {
        Order::Ascending => username.to_string(),
        Order::Descending => format!("{username}/{order}"),
    };
    let page: Page<Timestamp> = Page::from_request(&request, "profile", scope)?;

    let Part { user, photos, end } = match order {
        Order::Ascending => read_oldest(&table, &username, &page).await?,
        Order::Descending => read_newest(&table, &username, &page).await?,
    };
    let is_first_page = page.after.is_none();
    let mut approves_followers = false;
    let mut user = if is_first_page {
        let user = existing_user(user, &username)?;
        approves_followers = user.approves_followers;
        Some(signer.profile(user, &caller.username, &caller.subject)?)
    } else {
        None
    };
    let (photos, last) = photos_of_page(photos)?;
    let mut photos = signer.show_all(photos, &caller.username)?;

    if include.viewer {
        let friendships = if is_first_page { Relations::keys(&caller.username, &username) } else { vec![] };
        let friendships = batch::get(&table, friendships.into_iter().map(Item::from).collect(), false);
        let engagements = read_engagements(&feed, &caller.username, &photos);
        let (friendships, engagements) = tokio::try_join!(friendships, engagements)?;
        if let Some(user) = &mut user {
            let mut relations = Relations::from_items(&friendships)?;
            relations.read_requests(&table, &caller.username, approves_followers.then_some(&username)).await?;
            user.viewer = Some(relations.between(&caller.username, &username));
        }
        add_engagements(&mut photos, engagements)?;
    }
    let next_cursor = page.next_cursor(end, last)?;
    answer::seen_by(&caller.username, &username, &UserAndPhotos { user, photos, next_cursor })
}

/// The items that a page needs. Only the first page reads the user.
struct Part {
    user: Option<Item>,
    photos: Vec<Item>,
    /// The `LastEvaluatedKey` of the Query.
    end: Option<Item>,
}

/// Reads the user and the oldest photos, or the photos after the cursor.
async fn read_oldest(table: &Table, username: &Username, page: &Page<Timestamp>) -> Result<Part, Error> {
    let is_first_page = page.after.is_none();
    let output = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :user AND SK BETWEEN :metadata AND :photos_end")
        .expression_attribute_values(":user", S(user_pk(username)))
        .expression_attribute_values(":metadata", S(metadata_sk(username)))
        .expression_attribute_values(":photos_end", S(AFTER_PHOTOS.to_owned()))
        .set_exclusive_start_key(page.after.as_ref().map(|last| Key::photo(username, last).into()))
        .limit(page.limit + i32::from(is_first_page))
        .send()
        .await?;
    let mut photos = output.items.unwrap_or_default();
    let user = (is_first_page && !photos.is_empty()).then(|| photos.remove(0));
    Ok(Part { user, photos, end: output.last_evaluated_key })
}

/// Reads the user and the newest photos, or the photos before the cursor.
async fn read_newest(table: &Table, username: &Username, page: &Page<Timestamp>) -> Result<Part, Error> {
    let user = async {
        if page.after.is_some() {
            return Ok(None);
        }
        let get = table.client.get_item().table_name(&table.name).set_key(Some(Key::user(username).into()));
        Ok::<_, Error>(get.send().await?.item)
    };
    let photos = async {
        let query = table
            .client
            .query()
            .table_name(&table.name)
            .key_condition_expression("PK = :user AND begins_with(SK, :photos)")
            .expression_attribute_values(":user", S(user_pk(username)))
            .expression_attribute_values(":photos", S(photo_sk_prefix(username)))
            .scan_index_forward(false)
            .set_exclusive_start_key(page.after.as_ref().map(|last| Key::photo(username, last).into()))
            .limit(page.limit);
        Ok(query.send().await?)
    };
    let (user, output) = tokio::try_join!(user, photos)?;
    Ok(Part { user, photos: output.items.unwrap_or_default(), end: output.last_evaluated_key })
}

/// Reads the caller's engagements with these photos of one user, which are sorted by time.
async fn read_engagements(feed: &Table, caller: &Username, photos: &[ShownPhoto]) -> Result<Vec<Item>, Error> {
    let (Some(one), Some(other)) = (photos.first(), photos.last()) else { return Ok(vec![]) };
    let query = query_engagements(feed, caller, &one.username, &one.timestamp, &other.timestamp);
    Ok(query.send().await?.items.unwrap_or_default())
}
