//! Deletes the comments on a deleted photo and those of a deleted user, and decrements the counts
//! of the photos and the authors.

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Deserialize;
use shared::dynamodb::entity;
use shared::photos::{
    COMMENT_PREFIX, COMMENTS_BY_AUTHOR, Deletion, INVERTED_INDEX, PhotoDeletion, counted_comment, delete_counted,
    photo_of_sk, photo_sk,
};
use shared::values::{CommentId, Timestamp, Username};
use shared::{Error, Table};
use tokio::time::Instant;

use crate::items::{delete_in_transactions, for_each_page};

/// The maximum number of comments of one transaction, each with its photo or its author, who counts
/// it. It is as small as that of friendships, for the same reason.
const MAX_TRANSACTION_COMMENTS: usize = 20;

/// Deletes the comments on the photo, as far as the index shows them. Decrements the counts of the
/// `PhotoDeletion` and of the authors. Returns whether it got to the end before the deadline.
pub(crate) async fn delete_on_photo(table: &Table, deletion: &PhotoDeletion, deadline: Instant) -> Result<bool, Error> {
    let comments = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :photo AND begins_with(PK, :comments)")
        .expression_attribute_values(":photo", S(photo_sk(&deletion.erasing, &deletion.timestamp)))
        .expression_attribute_values(":comments", S(COMMENT_PREFIX.to_owned()));
    delete(table, comments, deadline).await
}

/// Deletes the comments of the user, as far as the index shows them. Decrements the counts of the
/// photos, and of the `Deletion`. Returns whether it got to the end before the deadline.
pub(crate) async fn delete_written(table: &Table, deletion: &Deletion, page_deadline: Instant) -> Result<bool, Error> {
    let comments = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(COMMENTS_BY_AUTHOR)
        .key_condition_expression("author = :user")
        .expression_attribute_values(":user", S(deletion.erasing.to_string()));
    delete(table, comments, page_deadline).await
}

/// The part of an entry of either index that identifies the comment.
#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "SK")]
    photo: String,
    author: Username,
    timestamp: Timestamp,
}

async fn delete(table: &Table, comments: QueryFluentBuilder, deadline: Instant) -> Result<bool, Error> {
    for_each_page(comments, deadline, async |page| {
        let items = page.into_iter().map(|entry| {
            let Entry { photo, author, timestamp } = entity::from_item(entry)?;
            let (owner, photo) = photo_of_sk(&photo)?;
            Ok(counted_comment(&table.name, &CommentId { timestamp, author }, &owner, &photo))
        });
        let items = items.collect::<Result<_, Error>>()?;
        delete_in_transactions(items, MAX_TRANSACTION_COMMENTS, async |items| delete_counted(table, items, None).await)
            .await
    })
    .await
}
