//! The steps of one pass over the items that refer to a deleted user.

use std::cell::Cell;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::entities::object::{exports_prefix, imports_prefix, owner_prefixes};
use shared::entities::{
    AFTER_FRIENDS, AFTER_PICTURES, ALERT_PREFIX, Deletion, Kind, PhotoDeletion, photo_of_item, photo_sk_prefix, user_pk,
};
use shared::erasure::{delete_each, key_of};
use shared::runtime::bucket::delete_versions;
use shared::values::{Timestamp, Username};
use shared::{Bucket, Error, Table};
use tokio::time::Instant;

use crate::finish_deletion::photo;

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
    others: &OtherTables,
    bucket: &Bucket,
    username: &Username,
    since: &Timestamp,
    deadline: Instant,
) -> Result<(), Error> {
    let Some(deletion) = users::erasure::current(table, username, since).await? else { return Ok(()) };
    let page_deadline = deadline.checked_sub(LAST_PAGE_RESERVE).unwrap_or(deadline);
    if !delete_items(table, others, bucket, &deletion, page_deadline).await? {
        return users::erasure::start_next_pass(table, &deletion).await;
    }
    delete_files(bucket, &deletion).await?;
    if deletion.last_sweep {
        users::erasure::free_username(table, &deletion).await
    } else {
        users::erasure::begin_rest(table, &deletion).await
    }
}

/// Deletes the items of all nouns in their order. Returns whether it got to the end before the
/// deadline.
async fn delete_items(
    table: &Table,
    OtherTables { favorites, feed }: &OtherTables,
    bucket: &Bucket,
    deletion: &Deletion,
    deadline: Instant,
) -> Result<bool, Error> {
    let user = &deletion.erasing;
    if !feed::erasure::delete_from_feeds_of_others(table, feed, user, deadline).await? {
        return Ok(false);
    }
    let mut is_complete = delete_photos(table, feed, bucket, deletion, deadline).await?;
    is_complete &= delete_before_profile(table, user, deadline).await?;
    is_complete &= follows::erasure::delete_following(table, deletion, deadline).await?;
    is_complete &= follows::erasure::delete_sent_requests(table, deletion, deadline).await?;
    is_complete &= blocks::erasure::delete_of_others(table, deletion, deadline).await?;
    is_complete &= reactions::erasure::delete_given(table, deletion, deadline).await?;
    is_complete &= comments::erasure::delete_likes_given(table, deletion, deadline).await?;
    is_complete &= comments::erasure::delete_written(table, deletion, deadline).await?;
    is_complete &= favorites::erasure::delete_of_user(favorites, user, deadline).await?;
    is_complete &= feed::erasure::delete_of_user(feed, user, deadline).await?;
    is_complete &= links::erasure::delete_of_user(table, deletion, deadline).await?;
    if is_complete {
        live::erasure::delete_of_user(feed, user).await?;
    }
    Ok(is_complete)
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
        .key_condition_expression("PK = :user AND SK BETWEEN :photos AND :after")
        .expression_attribute_values(":user", S(user_pk(&deletion.erasing)))
        .expression_attribute_values(":photos", S(photo_sk_prefix(&deletion.erasing)))
        .expression_attribute_values(":after", S(AFTER_PICTURES.to_owned()))
        .consistent_read(true);
    let are_complete = Cell::new(true);
    let is_last_page = delete_each(photos, page_deadline, async |item| {
        // The key and not the attributes, because another program may have written a photo without
        // them.
        let photo = photo_of_item(&item).ok().filter(|_| !PhotoDeletion::is_trace(&item));
        let Some((_, photo)) = photo else {
            // Nothing is left of the photo of a trace. The several pictures of a photo, and those that were removed,
            // have their files below those of the photo. No request can name a photo with another
            // key, so nobody can have reacted to it or commented on it.
            table.client.delete_item().table_name(&table.name).set_key(Some(key_of(item))).send().await?;
            return Ok(());
        };
        let is_complete = match photos::erasure::replace(table, item, &deletion.erasing, &photo).await? {
            Some(photo) => photo::delete_of_user(table, feed, bucket, &photo, page_deadline).await?,
            // A concurrent request has replaced the photo. The next pass finds its `PhotoDeletion`.
            None => false,
        };
        are_complete.set(are_complete.get() && is_complete);
        Ok(())
    })
    .await?;
    Ok(is_last_page && are_complete.get())
}

/// Deletes the items that lie side by side before the user's own: the friendships in which others
/// follow the user, their requests to follow, the user's alerts, blocks and mutes, the reports about the
/// user with their decisions, the user's complaints, and the hashtags that the user follows. Returns
/// whether it got to the end before the deadline.
async fn delete_before_profile(table: &Table, user: &Username, page_deadline: Instant) -> Result<bool, Error> {
    let items = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :user AND SK BETWEEN :alerts AND :after")
        .expression_attribute_values(":user", S(user_pk(user)))
        .expression_attribute_values(":alerts", S(ALERT_PREFIX.to_owned()))
        .expression_attribute_values(":after", S(AFTER_FRIENDS.to_owned()))
        .consistent_read(true);
    delete_each(items, page_deadline, async |item| match Kind::of(&item) {
        Some(Kind::Report) => reports::erasure::delete_report(table, item, page_deadline).await,
        Some(Kind::Complaint) => reports::erasure::delete_complaint(table, item).await,
        Some(Kind::Friendship) => follows::erasure::delete_follower(table, item).await,
        Some(Kind::Block) => blocks::erasure::delete_own(table, item).await,
        Some(Kind::Alert | Kind::Decision | Kind::FollowedHashtags) => {
            table.client.delete_item().table_name(&table.name).set_key(Some(key_of(item))).send().await?;
            Ok(())
        }
        _ => follows::erasure::delete_received_request(table, item).await,
    })
    .await
}

/// Deletes the files of exports and imports. The last sweep also deletes files that belong to no
/// photo any more: each pass deletes the files of the photos that it finds.
async fn delete_files(bucket: &Bucket, Deletion { erasing, last_sweep, .. }: &Deletion) -> Result<(), Error> {
    let prefixes = if *last_sweep {
        owner_prefixes(erasing).to_vec()
    } else {
        vec![exports_prefix(erasing), imports_prefix(erasing)]
    };
    for prefix in prefixes {
        delete_versions(bucket, &prefix, |_| false).await?;
    }
    Ok(())
}
