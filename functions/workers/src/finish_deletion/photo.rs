//! The steps of the deletion of a photo.

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::Item;
use shared::entities::{
    INVERTED_INDEX, Kind, PhotoDeletion, USER_PREFIX, from_inverted_index, reaction_sks, replies_sk,
};
use shared::erasure::{for_each_page, require_nothing_left};
use shared::{Bucket, Error, Table};
use tokio::time::Instant;

/// Deletes a photo that its owner has deleted, with its link, the reactions to it, the comments on it
/// and its files. The last step leaves the trace of the photo.
pub(crate) async fn finish(
    table: &Table,
    feed: &Table,
    bucket: &Bucket,
    deletion: &PhotoDeletion,
    deadline: Instant,
) -> Result<(), Error> {
    let Some(begun) = photos::erasure::begin(table, deletion).await? else { return Ok(()) };
    if let Some(link) = begun.link {
        links::erasure::delete_link_of_photo(table, link).await?;
    }
    let end = async || photos::erasure::leave_trace(table, feed, deletion).await;
    if !delete_with_responses(table, feed, bucket, deletion, deadline, end).await? {
        return Err(Error::Busy("no time is left for more of them; the next attempt continues".into()));
    }
    Ok(())
}

/// Deletes a photo of a deleted user, with the reactions to it, the comments on it and its files.
/// The last step leaves nothing. Returns whether it got to the end before the deadline.
///
/// The work comes to an end, because nobody can react to the photo or comment on it any more:
/// add-reaction and add-comment require the attribute `username`, which a `PhotoDeletion` does not
/// have. If one of them has read the photo just before and writes its item uncounted,
/// `process-changes` deletes the item.
pub(crate) async fn delete_of_user(
    table: &Table,
    feed: &Table,
    bucket: &Bucket,
    deletion: &PhotoDeletion,
    deadline: Instant,
) -> Result<bool, Error> {
    let end = async || photos::erasure::leave_nothing(table, deletion).await;
    delete_with_responses(table, feed, bucket, deletion, deadline, end).await
}

/// Deletes the reactions to the photo, the comments on it and its files, and then ends the deletion
/// by `end`, which returns the `PhotoDeletion` if it still counts something: then the reactions in
/// [shards](shared::entities::Key::sharded) and the replies are deleted too. Returns whether it got to
/// the end before the deadline.
async fn delete_with_responses(
    table: &Table,
    feed: &Table,
    bucket: &Bucket,
    deletion: &PhotoDeletion,
    deadline: Instant,
    end: impl AsyncFn() -> Result<Option<Item>, Error>,
) -> Result<bool, Error> {
    let mut sks = reaction_sks(&deletion.erasing, &deletion.id);
    let own: Vec<String> = sks.by_ref().take(1).collect();
    let mut left = None;
    let replies = replies_sk(&deletion.erasing, &deletion.id);
    for sks in [own, sks.chain([replies]).collect()] {
        for sk in sks {
            if !delete_responses_at(table, feed, deletion, sk, deadline).await? {
                return Ok(false);
            }
        }
        photos::erasure::delete_files(table, bucket, deletion).await?;
        left = end().await?;
        if left.is_none() {
            break;
        }
    }
    require_nothing_left(left.as_ref(), &deletion.since)?;
    Ok(true)
}

/// Deletes the reactions and comments with a sort key that the index shows, and decrements the
/// counts of the `PhotoDeletion`. Returns whether it got to the end before the deadline.
async fn delete_responses_at(
    table: &Table,
    feed: &Table,
    deletion: &PhotoDeletion,
    sk: String,
    deadline: Instant,
) -> Result<bool, Error> {
    // Everything in this part of the index but the photo.
    let responses = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :photo AND PK < :users")
        .expression_attribute_values(":photo", S(sk))
        .expression_attribute_values(":users", S(USER_PREFIX.to_owned()));
    let guard = photos::erasure::guard(table, deletion);
    for_each_page(responses, deadline, async |page| {
        let (comments, reactions): (Vec<Item>, Vec<Item>) =
            page.into_iter().map(from_inverted_index).partition(|item| Kind::Comment.is_of(item));
        comments::erasure::delete_found(table, comments, Some(&guard)).await?;
        reactions::erasure::delete_of_photo(table, feed, deletion, reactions, &guard).await
    })
    .await
}
