//! One pass over the items that refer to a deleted user.

use std::cell::Cell;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::ReturnValue;
use shared::dynamodb::{Item, entity, unless_condition_failed};
use shared::entities::object::{exports_prefix, imports_prefix, owner_prefixes};
use shared::entities::{
    Deletion, Key, PhotoDeletion, SK, photo_of_sk, photo_sk_prefix, replace_with_photo_deletion, user_pk,
};
use shared::runtime::bucket::delete_versions;
use shared::values::{ReactionType, Timestamp, Username};
use shared::{Bucket, Error, Table};
use tokio::time::Instant;

use crate::finish_deletion::items::{current, delete_each, key_of};
use crate::finish_deletion::{comments, favorites, feeds, friendships, photo, reactions, rest};

/// The time that is reserved for the last page of a pass: no page begins later than this before the
/// record's deadline.
const LAST_PAGE_RESERVE: Duration = Duration::from_mins(1);

/// The tables besides `quick-photos` that have items of a user.
pub(crate) struct OtherTables {
    pub(crate) favorites: Table,
    pub(crate) feed: Table,
}

/// Deletes the items of a deleted user that one invocation has time for, and then begins the rest
/// of the name, or ends it after the last sweep. If no time is left, starts the next pass instead.
///
/// One pass is enough unless time runs out, because nothing new can be written under the name:
/// every such write checks that there is no `Deletion`. The last sweep deletes items of writes that
/// were under way at that moment.
pub(crate) async fn run_pass(
    table: &Table,
    OtherTables { favorites, feed }: &OtherTables,
    bucket: &Bucket,
    username: &Username,
    since: &Timestamp,
    deadline: Instant,
) -> Result<(), Error> {
    let Some(current) = current(table, &Key::user(username), since).await? else { return Ok(()) };
    let deletion: &Deletion = &entity::from_item(current)?;
    // The last sweep is over, and the name may be free at any moment.
    if deletion.ttl.is_some() {
        return Ok(());
    }
    let page_deadline = deadline.checked_sub(LAST_PAGE_RESERVE).unwrap_or(deadline);
    if !feeds::delete_entries(table, feed, &deletion.erasing, page_deadline).await? {
        return start_next_pass(table, deletion).await;
    }
    let mut is_complete = delete_photos(table, feed, bucket, deletion, page_deadline).await?;
    is_complete &= friendships::delete_followers(table, deletion, page_deadline).await?;
    is_complete &= friendships::delete_following(table, deletion, page_deadline).await?;
    is_complete &= friendships::delete_requests(table, deletion, page_deadline).await?;
    is_complete &= friendships::delete_blocks_of_others(table, deletion, page_deadline).await?;
    for &reaction_type in ReactionType::ALL {
        is_complete &= reactions::delete_given(table, deletion, reaction_type, page_deadline).await?;
    }
    is_complete &= comments::delete_written(table, deletion, page_deadline).await?;
    is_complete &= favorites::delete_all(favorites, &deletion.erasing, page_deadline).await?;
    is_complete &= feeds::delete_feed(feed, &deletion.erasing, page_deadline).await?;
    if is_complete {
        // Each pass deletes the files of the photos that it finds. The last sweep deletes files
        // that belong to no photo any more.
        let all = || owner_prefixes(username).to_vec();
        let prefixes =
            if deletion.last_sweep { all() } else { vec![exports_prefix(username), imports_prefix(username)] };
        for prefix in prefixes {
            delete_versions(bucket, &prefix, |_| false).await?;
        }
    }
    match (is_complete, deletion.last_sweep) {
        (false, _) => start_next_pass(table, deletion).await,
        (true, false) => rest::begin(table, deletion).await,
        (true, true) => rest::free_username(table, deletion).await,
    }
}

/// Deletes the photos of the user, with the reactions to them, the comments on them and their
/// files. Returns whether it got to the end before the deadline.
///
/// Each photo is replaced with a `PhotoDeletion` first, as delete-photo does. But the pass does not
/// leave the reactions and comments to the stream record of that write: it comes after the record
/// of this pass, which ends only when no photo is left.
async fn delete_photos(
    table: &Table,
    feed: &Table,
    bucket: &Bucket,
    deletion: &Deletion,
    page_deadline: Instant,
) -> Result<bool, Error> {
    let photos = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :user AND begins_with(SK, :photos)")
        .expression_attribute_values(":user", S(user_pk(&deletion.erasing)))
        .expression_attribute_values(":photos", S(photo_sk_prefix(&deletion.erasing)))
        .consistent_read(true);
    let are_complete = Cell::new(true);
    let is_last_page = delete_each(photos, page_deadline, async |item| {
        // The key and not the attributes, because another program may have written a photo without
        // them.
        let sk = item.get(SK).and_then(|sk| sk.as_s().ok()).map_or("", String::as_str);
        let photo = photo_of_sk(sk).ok().filter(|_| !PhotoDeletion::is_trace(&item));
        let Some((_, timestamp)) = photo else {
            // Nothing is left of the photo of a trace. No request can name a photo with another
            // key, so nobody can have reacted to it or commented on it.
            table.client.delete_item().table_name(&table.name).set_key(Some(key_of(item))).send().await?;
            return Ok(());
        };
        let is_complete = match photo_deletion_of(table, item, &deletion.erasing, &timestamp).await? {
            Some(photo) => photo::delete_with_responses(table, feed, bucket, &photo, page_deadline).await?,
            // A concurrent request has replaced the photo. The next pass finds its `PhotoDeletion`.
            None => false,
        };
        are_complete.set(are_complete.get() && is_complete);
        Ok(())
    })
    .await?;
    Ok(is_last_page && are_complete.get())
}

/// Returns the `PhotoDeletion` that an item holds. Replaces a photo with one first, unless the item
/// has changed since it was read.
async fn photo_deletion_of(
    table: &Table,
    item: Item,
    owner: &Username,
    timestamp: &Timestamp,
) -> Result<Option<PhotoDeletion>, Error> {
    if item.contains_key("erasing") {
        return entity::from_item(item).map(Some);
    }
    let replace = replace_with_photo_deletion(&table.name, owner, timestamp).build()?;
    let replaced = table
        .client
        .update_item()
        .table_name(replace.table_name)
        .set_key(Some(replace.key))
        .set_condition_expression(replace.condition_expression)
        .update_expression(replace.update_expression)
        .set_expression_attribute_names(replace.expression_attribute_names)
        .set_expression_attribute_values(replace.expression_attribute_values)
        .return_values(ReturnValue::AllNew)
        .send()
        .await;
    let replaced = unless_condition_failed(replaced)?;
    replaced.and_then(|output| output.attributes).map(entity::from_item).transpose()
}

/// Updates the `Deletion`, unless it has been deleted. The record of this update starts the next
/// pass.
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
