//! Deletes a deleted user from the table of feeds: the entries of the user's photos in the feeds of
//! others, and all items of the user.
//!
//! - A consistent `GetItem` reads the [`Latest`] of the user, a consistent `Query` finds the
//!   followers who have entries, and `BatchWriteItem` deletes the entries.
//! - A consistent `Query` of each partition of the user finds the user's items, and
//!   `BatchWriteItem` deletes them.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use aws_sdk_dynamodb::types::WriteRequest;
use futures_util::{StreamExt, TryStreamExt, stream};
use shared::dynamodb::{Item, batch, entity};
use shared::entities::{
    BACKFILL, Delivery, ENTRY_LIFETIME_SECONDS, Key, Latest, Position, engagements_pk, exceptions_pk, feed_pk,
    inbox_pk, query_followers, reader_of, vectors_pk,
};
use shared::erasure::{for_each_page, keys_of_partition};
use shared::values::{PhotoId, Timestamp, Username};
use shared::{Error, Table};
use tokio::time::Instant;

/// The maximum number of batches that are deleted concurrently.
const MAX_CONCURRENT_BATCHES: usize = 16;

/// The maximum time between the upload of a photo and the entries of it: a photo is pending for
/// a day at most, and its stream record is read within a day.
const MAX_DELIVERY_SECONDS: u64 = 2 * 24 * 60 * 60;

/// Deletes the entries of the user's photos from the feeds of followers. Returns whether it got to
/// the end before the deadline.
///
/// It has to come before the photos and the friendships are deleted, which tell what is in whose
/// feed. If the author has changed to fan-out on read, the entries from before expire instead,
/// because the followers can be millions.
pub async fn delete_from_feeds_of_others(
    table: &Table,
    feed: &Table,
    author: &Username,
    page_deadline: Instant,
) -> Result<bool, Error> {
    let get = feed.client.get_item().table_name(&feed.name).set_key(Some(Key::latest(author).into()));
    let Some(latest) = get.consistent_read(true).send().await?.item else { return Ok(true) };
    let latest: Latest = entity::from_item(latest)?;
    let readers = if latest.delivery == Delivery::Pull {
        keys_of_partition(feed, exceptions_pk(author))
    } else {
        query_followers(table, author)
    };
    for_each_page(readers, page_deadline, async |readers| {
        let mut entries = vec![];
        for reader in readers {
            let reader = reader_of(reader)?;
            let position = |id: &PhotoId| Position { id: id.clone(), author: author.clone() };
            entries.extend(with_entries(&latest.photos).map(|id| Key::entry(&reader, &position(id))));
        }
        delete(feed, entries).await
    })
    .await
}

/// Returns the photos of which feeds can have entries: those that became ready within the lifetime
/// of an entry, and the [`BACKFILL`] photos before them, of which new followers of that time got
/// entries.
fn with_entries(photos: &BTreeSet<PhotoId>) -> impl Iterator<Item = &PhotoId> {
    let lifetime = Duration::from_secs(ENTRY_LIFETIME_SECONDS + MAX_DELIVERY_SECONDS);
    let recent = SystemTime::now()
        .checked_sub(lifetime)
        .map_or(0, |since| photos.range(PhotoId::from(Timestamp::from(since))..).count());
    photos.iter().rev().take(recent + BACKFILL)
}

/// Deletes the feed of the user, the newest photos, the exceptions, the user's engagements, the
/// inbox, the vectors of the photos, and the export and the import, which ends the work at them. It
/// has to come after the photos are replaced with a `PhotoDeletion`. Returns whether it got to the
/// end before the deadline.
pub async fn delete_of_user(feed: &Table, user: &Username, page_deadline: Instant) -> Result<bool, Error> {
    for pk in [feed_pk(user), exceptions_pk(user), engagements_pk(user), inbox_pk(user), vectors_pk(user)] {
        if !for_each_page(keys_of_partition(feed, pk), page_deadline, async |keys| delete(feed, keys).await).await? {
            return Ok(false);
        }
    }
    delete(feed, vec![Key::latest(user), Key::export(user), Key::import(user)]).await?;
    Ok(true)
}

/// Deletes the items at these keys. Each batch is independent of the others.
async fn delete(feed: &Table, keys: Vec<impl Into<Item>>) -> Result<(), Error> {
    let deletes: Vec<WriteRequest> = keys.into_iter().map(batch::delete).collect::<Result<_, _>>()?;
    let batches = deletes.chunks(batch::MAX_WRITE_ITEMS).map(|batch| batch::write(feed, batch.to_vec()));
    stream::iter(batches).buffer_unordered(MAX_CONCURRENT_BATCHES).try_collect().await
}
