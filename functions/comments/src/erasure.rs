//! Deletes the comments on a deleted photo, those of a deleted user and the replies to a deleted
//! comment, and decrements the counts of the photos, the authors and the answered comments. So it does
//! with the likes of a deleted user and of a deleted comment.
//!
//! - A `Query` of `CommentsByAuthor` finds the comments of a user, and one of `InvertedIndex` the
//!   replies to a comment and its likes. A consistent `Query` finds the likes of a user. finish-deletion finds those on a photo, beside the reactions to it.
//! - `TransactWriteItems` deletes up to 20 comments, and decrements the counts. It replaces a comment
//!   that has replies or likes, or is pinned, with a tombstone, whose stream record begins the deletion of these.
//! - A `TransactWriteItems` deletes up to 99 likes, and decrements the count of their comment.
//! - An `UpdateItem` takes a pinned comment off its photo, and a `DeleteItem` deletes the tombstone, on the condition that it counts neither replies nor likes.

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use shared::dynamodb::counter::Guard;
use shared::dynamodb::{Item, unless_condition_failed};
use shared::entities::{
    COMMENTS_BY_AUTHOR, Deletion, INVERTED_INDEX, Key, PINNED, PINNED_COMMENT, comment_of_key, counted_comment,
    counted_like, delete_counted, likes_pk, likes_sk, replies_prefix, replies_sk,
};
use shared::erasure::{delete_each, delete_in_transactions, for_each_page, key_of};
use shared::{Error, Table};
use tokio::time::Instant;

/// The maximum number of comments of one transaction, each with its photo, its author and the comment
/// that it answers, which count it.
///
/// A transaction could take more. But any concurrent write to one of these photos
/// conflicts with all of it, so the transactions that include a very popular photo should be short.
const MAX_TRANSACTION_COMMENTS: usize = 20;
/// The maximum number of likes of one comment in a transaction, which has the comment too.
const MAX_TRANSACTION_LIKES: usize = 99;

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

/// Deletes the likes of the user, and decrements the counts of the comments. Returns whether it got to
/// the end before the deadline.
pub async fn delete_likes_given(table: &Table, deletion: &Deletion, page_deadline: Instant) -> Result<bool, Error> {
    let likes = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :likes")
        .expression_attribute_values(":likes", S(likes_pk(&deletion.erasing)))
        .consistent_read(true);
    delete_each(likes, page_deadline, async |like| delete_likes(table, vec![like]).await).await
}

/// Deletes the replies to a comment that was replaced with a tombstone, and its likes, takes it off its
/// photo, if it is pinned there, and then deletes the tombstone. Fails with [`Error::Busy`], so that the next attempt continues, if there is no time
/// left, or if the index does not show all of them.
///
/// No reply and no like is added any more, because both require that the comment has an author.
pub async fn finish(table: &Table, tombstone: &Item, deadline: Instant) -> Result<(), Error> {
    let (id, owner, photo) = comment_of_key(tombstone)?;
    let replies = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :replies AND begins_with(PK, :comment)")
        .expression_attribute_values(":replies", S(replies_sk(&owner, &photo)))
        .expression_attribute_values(":comment", S(replies_prefix(&id)));
    for_each_page(replies, deadline, async |page| delete_found(table, page, None).await).await?;
    let likes = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :likes")
        .expression_attribute_values(":likes", S(likes_sk(&id, &owner, &photo)));
    for_each_page(likes, deadline, async |page| delete_likes(table, page).await).await?;
    if tombstone.contains_key(PINNED) {
        let unpinned = table
            .client
            .update_item()
            .table_name(&table.name)
            .set_key(Some(Key::photo(&owner, &photo).into()))
            .condition_expression("#pinned = :comment")
            .update_expression("REMOVE #pinned")
            .expression_attribute_names("#pinned", PINNED_COMMENT)
            .expression_attribute_values(":comment", S(id.to_string()))
            .send()
            .await;
        unless_condition_failed(unpinned)?;
    }
    let deleted = table
        .client
        .delete_item()
        .table_name(&table.name)
        .set_key(Some(key_of(tombstone.clone())))
        .condition_expression(
            "attribute_not_exists(PK) OR (attribute_exists(erasing) AND NOT replies > :zero AND NOT likes > :zero)",
        )
        .expression_attribute_values(":zero", N("0".to_owned()))
        .send()
        .await;
    match unless_condition_failed(deleted)? {
        Some(_) => Ok(()),
        None => Err(Error::Busy("replies to the comment or likes of it are left; the next attempt continues".into())),
    }
}

/// Deletes comments that an index shows. Decrements the counts of their photos and authors, or of
/// the tombstones in their place, if the condition of the `guard` holds.
pub async fn delete_found(table: &Table, entries: Vec<Item>, guard: Option<&Guard<'_>>) -> Result<(), Error> {
    let items = entries.into_iter().map(|entry| {
        let (id, owner, photo) = comment_of_key(&entry)?;
        Ok(counted_comment(&table.name, &id, &owner, &photo))
    });
    let items = items.collect::<Result<_, Error>>()?;
    delete_in_transactions(items, MAX_TRANSACTION_COMMENTS, async |items| {
        delete_counted(table, items, guard).await.map(drop)
    })
    .await
}

/// Deletes likes of one comment, and decrements its count, or that of the tombstone in its place.
async fn delete_likes(table: &Table, likes: Vec<Item>) -> Result<(), Error> {
    let likes = likes.into_iter().map(|like| counted_like(&table.name, key_of(like))).collect::<Result<_, _>>()?;
    delete_in_transactions(likes, MAX_TRANSACTION_LIKES, async |likes| {
        delete_counted(table, likes, None).await.map(drop)
    })
    .await
}
