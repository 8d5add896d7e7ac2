//! Deletes the comments on a deleted photo and those of a deleted user, and decrements the counts
//! of the photos and the authors.
//!
//! - A `Query` of `CommentsByAuthor` finds the comments of a user. finish-deletion finds those on a
//!   photo, beside the reactions to it.
//! - `TransactWriteItems` deletes up to 20 comments, and decrements the counts.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Deserialize;
use shared::dynamodb::counter::Guard;
use shared::dynamodb::{Item, entity};
use shared::entities::{COMMENTS_BY_AUTHOR, Deletion, counted_comment, delete_counted, photo_of_sk};
use shared::erasure::{delete_in_transactions, for_each_page};
use shared::values::{CommentId, Timestamp, Username};
use shared::{Error, Table};
use tokio::time::Instant;

/// The maximum number of comments of one transaction, each with its photo or its author, who counts
/// it.
///
/// A transaction could take twice as many. But any concurrent write to one of these photos
/// conflicts with all of it, so the transactions that include a very popular photo should be short.
const MAX_TRANSACTION_COMMENTS: usize = 20;

/// Deletes the comments of the user, as far as the index shows them. Decrements the counts of the
/// photos, and of the `Deletion`. Returns whether it got to the end before the deadline.
pub async fn delete_written(table: &Table, deletion: &Deletion, page_deadline: Instant) -> Result<bool, Error> {
    let comments = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(COMMENTS_BY_AUTHOR)
        .key_condition_expression("author = :user")
        .expression_attribute_values(":user", S(deletion.erasing.to_string()));
    for_each_page(comments, page_deadline, async |page| delete_found(table, page, None).await).await
}

/// The part of an entry of either index that identifies the comment.
#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "SK")]
    photo: String,
    author: Username,
    timestamp: Timestamp,
}

/// Deletes comments that an index shows. Decrements the counts of their photos and authors, or of
/// the tombstones in their place, if the condition of the `guard` holds.
pub async fn delete_found(table: &Table, entries: Vec<Item>, guard: Option<&Guard<'_>>) -> Result<(), Error> {
    let items = entries.into_iter().map(|entry| {
        let Entry { photo, author, timestamp } = entity::from_item(entry)?;
        let (owner, photo) = photo_of_sk(&photo)?;
        Ok(counted_comment(&table.name, &CommentId { timestamp, author }, &owner, &photo))
    });
    let items = items.collect::<Result<_, Error>>()?;
    delete_in_transactions(items, MAX_TRANSACTION_COMMENTS, async |items| {
        delete_counted(table, items, guard).await.map(drop)
    })
    .await
}
