//! Deletes the comments on a deleted photo and those of a deleted user, and decrements the counts
//! of the photos and the authors.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Deserialize;
use shared::dynamodb::counter::Guard;
use shared::dynamodb::{Item, entity};
use shared::entities::{COMMENTS_BY_AUTHOR, Deletion, counted_comment, delete_counted, photo_of_sk};
use shared::values::{CommentId, Timestamp, Username};
use shared::{Error, Table};
use tokio::time::Instant;

use crate::finish_deletion::items::{delete_in_transactions, for_each_page};

/// The maximum number of comments of one transaction, each with its photo or its author, who counts
/// it. It is as small as that of friendships, for the same reason.
const MAX_TRANSACTION_COMMENTS: usize = 20;

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
    for_each_page(comments, page_deadline, async |page| delete(table, page, None).await).await
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
pub(crate) async fn delete(table: &Table, entries: Vec<Item>, guard: Option<&Guard<'_>>) -> Result<(), Error> {
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
