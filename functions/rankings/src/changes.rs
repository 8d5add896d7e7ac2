//! Keeps the [popular photos](shared::entities::PopularPhoto) as the photos are.
//!
//! A photo that crosses a level of reactions, or that is restricted, marked as sensitive, removed or
//! deleted, changes its popular photo. The requests:
//!
//! - One consistent `GetItem` reads the photo.
//! - `BatchWriteItem` puts the popular photo of the photo as read, and deletes the others of the record.
//! - Another consistent `GetItem` checks that the photo has still the same one.
//!
//! Any other change of a photo costs no request, and neither does one of a photo whose popular photo
//! has expired.
//!
//! **No step relies on the order of records or of writes.** The popular photo comes from the photo and
//! not from the record, which may be late or come again. And whoever writes one reads the photo once
//! more afterwards, so an invocation that has stalled between its read and its write corrects what it
//! has written.

use std::collections::BTreeSet;

use shared::changes::{Context, Work};
use shared::dynamodb::{Item, batch};
use shared::entities::{Key, Kind, PopularPhoto, photo_from_item};
use shared::runtime::stream::Record;
use shared::{Error, Table};

/// The maximum number of times that a record writes: once, and again for each change of the popular
/// photo in between.
const MAX_ATTEMPTS: usize = 5;

/// The attributes of a photo that decide which popular photo it has.
const DECIDES: [&str; 5] = ["reactions", "audience", "picture", "sensitive", "username"];

/// Returns the work that updates the popular photos after the changes of photos.
#[must_use]
pub fn work<'a>(context: &'a Context, records: &'a [Record]) -> Vec<Work<'a>> {
    let of_photos = records.iter().filter(|record| Kind::Photo.is_of(&record.keys));
    of_photos.map(|record| Work::new(vec![record.id.clone()], update(context, record))).collect()
}

/// Updates the popular photo after the change of a photo.
async fn update(Context { table, feed, .. }: &Context, record: &Record) -> Result<(), Error> {
    let Record { old_image: old, new_image: new, .. } = record;
    if DECIDES.iter().all(|name| old.get(*name) == new.get(*name)) {
        return Ok(());
    }
    let (before, after) = (popular(old)?, popular(new)?);
    if before == after {
        return Ok(());
    }
    let mut touched: BTreeSet<PopularPhoto> = before.into_iter().chain(after).collect();
    if touched.iter().all(PopularPhoto::has_expired) {
        return Ok(());
    }
    let mut current = read(table, &record.keys).await?;
    for _ in 0..MAX_ATTEMPTS {
        touched.extend(current.clone());
        let requests = touched.iter().map(|one| {
            if current.as_ref() == Some(one) { batch::put(one.item()) } else { batch::delete(Key::popular_photo(one)) }
        });
        batch::write(feed, requests.collect::<Result<_, _>>()?).await?;
        let now = read(table, &record.keys).await?;
        if now == current {
            return Ok(());
        }
        current = now;
    }
    Err(Error::Busy("the photo changes faster than its popular photo".into()))
}

/// Returns the popular photo of the photo with this key.
async fn read(table: &Table, key: &Item) -> Result<Option<PopularPhoto>, Error> {
    let get = table.client.get_item().table_name(&table.name).set_key(Some(key.clone())).consistent_read(true);
    popular(&get.send().await?.item.unwrap_or_default())
}

/// Returns the popular photo of the photo that an item holds. A tombstone has none.
fn popular(item: &Item) -> Result<Option<PopularPhoto>, Error> {
    Ok(photo_from_item(item.clone())?.and_then(|photo| photo.popular()))
}
