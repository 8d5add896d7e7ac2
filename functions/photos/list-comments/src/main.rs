//! `GET /users/{username}/photos/{timestamp}/comments`: returns a page of the comments on a photo,
//! newest first or, with `order=asc`, oldest first.
//!
//! One `Query` on the inverted index reads them, in the order of their keys. With `include=people`,
//! one `BatchGetItem` reads the authors. `include=viewer` needs no request.
//!
//! The function does not read the photo, so the list of an unknown photo is empty. Nobody sees
//! comments on a photo that they may not see: a photo takes none until it is ready, and stays ready
//! until it is deleted. Then finish-deletion deletes the comments, a little later.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Serialize;
use shared::dynamodb::{batch, entity};
use shared::http::answer;
use shared::http::page::Page;
use shared::http::request::{Caller, path, query};
use shared::photos::{COMMENT_PREFIX, Comment, CommentRights, INVERTED_INDEX, Key, People, ShownComment, photo_sk};
use shared::pictures::Signer;
use shared::values::{CommentId, Order, PageParts, Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let signer = Signer::from_environment()?;
    shared::run_with_query(&["order", "include", "limit", "cursor"], |table, request| {
        list_comments(table, request, &signer)
    })
    .await
}

/// The body of the answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CommentsOfPhoto {
    comments: Vec<ShownComment>,
    /// The authors, without those who were deleted. Only with `include=people`.
    #[serde(skip_serializing_if = "Option::is_none")]
    people: Option<People>,
    next_cursor: Option<String>,
}

async fn list_comments(table: Table, request: Request, signer: &Signer) -> Result<Response<CommentsOfPhoto>, Error> {
    let username: Username = path(&request, "username")?;
    let timestamp: Timestamp = path(&request, "timestamp")?;
    let order = query::<Order>(&request, "order")?.unwrap_or(Order::Descending);
    let include = query::<PageParts>(&request, "include")?.unwrap_or_default();
    let caller = Caller::from_request(&request)?;
    let page: Page<CommentId> =
        Page::from_request(&request, "comments", format_args!("{username}/{timestamp} {order}"))?;

    let output = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :photo AND begins_with(PK, :comments)")
        .expression_attribute_values(":photo", S(photo_sk(&username, &timestamp)))
        .expression_attribute_values(":comments", S(COMMENT_PREFIX.to_owned()))
        .scan_index_forward(order == Order::Ascending)
        .set_exclusive_start_key(page.after.as_ref().map(|last| Key::comment(last, &username, &timestamp).into()))
        .limit(page.limit)
        .send()
        .await?;
    let comments: Vec<Comment> = entity::from_items(output.items.unwrap_or_default())?;

    let people = if include.people {
        // A page has at most 100 comments, which is also the maximum of keys in one `BatchGetItem`.
        let authors: BTreeSet<&Username> = comments.iter().map(|comment| &comment.author).collect();
        let keys = authors.into_iter().map(|author| Key::user(author).into()).collect();
        Some(signer.cards(&batch::get(&table, keys, false).await?)?)
    } else {
        None
    };
    let show = |comment: Comment| {
        let viewer = include.viewer.then(|| CommentRights::of(&caller.username, &comment.author, &username));
        ShownComment { viewer, ..comment.into() }
    };
    let comments: Vec<ShownComment> = comments.into_iter().map(show).collect();
    let last = comments.last().map(|comment| comment.id.clone());
    let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;
    answer::ok(&CommentsOfPhoto { comments, people, next_cursor })
}
