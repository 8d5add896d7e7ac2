//! One pass over the items that refer to a deleted user.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use shared::dynamodb::unless_condition_failed;
use shared::model::photos::{Deletion, Key, photo_sk_prefix, user_pk};
use shared::values::ReactionType;
use shared::{Error, Table};
use tokio::time::Instant;

use crate::items::delete_each;
use crate::{favorites, friendships, reactions};

/// The time that is reserved for the last page of a pass: no page begins later than this before the record's deadline.
const LAST_PAGE_RESERVE: Duration = Duration::from_mins(1);

/// Deletes the items of a deleted user that one invocation has time for, and then starts the next pass or, if nothing
/// was left, frees the username.
///
/// The passes come to an end, because nothing new can refer to the user: every such write requires the attribute
/// `username`, which a `Deletion` does not have.
pub(crate) async fn run_pass(
    table: &Table,
    favorites: &Table,
    deletion: &Deletion,
    deadline: Instant,
) -> Result<(), Error> {
    if !is_current(table, deletion).await? {
        return Ok(());
    }
    let page_deadline = deadline.checked_sub(LAST_PAGE_RESERVE).unwrap_or(deadline);
    let mut needs_another_pass = delete_photos(table, deletion, page_deadline).await?;
    needs_another_pass |= friendships::delete_followers(table, deletion, page_deadline).await?;
    needs_another_pass |= friendships::delete_following(table, deletion, page_deadline).await?;
    for &reaction_type in ReactionType::ALL {
        needs_another_pass |= reactions::delete_given(table, deletion, reaction_type, page_deadline).await?;
    }
    needs_another_pass |= favorites::delete_all(favorites, &deletion.erasing, page_deadline).await?;
    if needs_another_pass { start_next_pass(table, deletion).await } else { free_username(table, deletion).await }
}

/// Returns whether the table still holds this `Deletion`. If it does not, the username may belong to a new user.
///
/// A stale read could delete the items of the new user, so the read is consistent.
async fn is_current(table: &Table, deletion: &Deletion) -> Result<bool, Error> {
    let output = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(Key::user(&deletion.erasing).into()))
        .consistent_read(true)
        .send()
        .await?;
    Ok(output.item.is_some_and(|item| item.get("since") == Some(&S(deletion.since.to_string()))))
}

/// Deletes the photos of the user. The stream record of each photo deletes the reactions to it. Returns whether another
/// pass is needed.
async fn delete_photos(table: &Table, deletion: &Deletion, page_deadline: Instant) -> Result<bool, Error> {
    let photos = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :user AND begins_with(SK, :photos)")
        .expression_attribute_values(":user", S(user_pk(&deletion.erasing)))
        .expression_attribute_values(":photos", S(photo_sk_prefix(&deletion.erasing)))
        .projection_expression("PK, SK");
    delete_each(photos, page_deadline, async |key| {
        table.client.delete_item().table_name(&table.name).set_key(Some(key)).send().await?;
        Ok(())
    })
    .await
}

/// Updates the `Deletion`, unless it has been deleted. The record of this update starts the next pass.
async fn start_next_pass(table: &Table, deletion: &Deletion) -> Result<(), Error> {
    let result = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(Key::user(&deletion.erasing).into()))
        .condition_expression("since = :since")
        .update_expression("ADD passes :one")
        .expression_attribute_values(":since", S(deletion.since.to_string()))
        .expression_attribute_values(":one", N("1".to_owned()))
        .send()
        .await;
    unless_condition_failed(result)?;
    Ok(())
}

/// Deletes the `Deletion`, unless an earlier attempt has deleted it, so that the username can be taken again.
async fn free_username(table: &Table, deletion: &Deletion) -> Result<(), Error> {
    let result = table
        .client
        .delete_item()
        .table_name(&table.name)
        .set_key(Some(Key::user(&deletion.erasing).into()))
        .condition_expression("since = :since")
        .expression_attribute_values(":since", S(deletion.since.to_string()))
        .send()
        .await;
    unless_condition_failed(result)?;
    Ok(())
}
