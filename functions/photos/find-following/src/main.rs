//! `GET /users/{username}/following`: returns a page of the users whom a user follows.
//!
//! One `Query` on the inverted index reads the friendships. It does not read the user, so the list
//! of an unknown user is empty.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::dynamodb::entity;
use shared::http::answer;
use shared::http::page::Page;
use shared::http::request::{Caller, path};
use shared::photos::{INVERTED_INDEX, Key, friend_sk};
use shared::values::{Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run_with_query(&["limit", "cursor"], find_following).await
}

/// The body of the answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Following {
    following: Vec<Followed>,
    next_cursor: Option<String>,
}

/// A friendship, as the follower sees it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Followed {
    followed_user: Username,
    timestamp: Timestamp,
}

async fn find_following(table: Table, request: Request) -> Result<Response<Following>, Error> {
    let username: Username = path(&request, "username")?;
    Caller::from_request(&request)?;
    let page: Page<Username> = Page::from_request(&request, "following", &username)?;

    let output = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :friend")
        .expression_attribute_values(":friend", S(friend_sk(&username)))
        .set_exclusive_start_key(page.after.as_ref().map(|last| Key::friendship(last, &username).into()))
        .limit(page.limit)
        .send()
        .await?;

    let following: Vec<Followed> = entity::from_items(output.items.unwrap_or_default())?;
    let last = following.last().map(|friendship| friendship.followed_user.clone());
    let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;
    answer::ok(&Following { following, next_cursor })
}
