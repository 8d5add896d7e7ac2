//! Keeps the lists of hashtags as the captions of the photos that everyone may see are.
//!
//! A photo that gets ready, edited, restricted, removed or deleted changes its
//! [entries](shared::entities::HashtagEntry). The requests:
//!
//! - One consistent `GetItem` reads the photo.
//! - `BatchWriteItem` puts the entries of the photo as read, and deletes the others of the record.
//!   Entries that both images of the record have are left as they are.
//! - For each of their hashtags, a consistent `GetItem` reads the
//!   [summary](shared::entities::HashtagSummary). Most photos of a popular hashtag change no summary,
//!   because they are neither the first one of a month nor in the sample.
//! - If a summary changes, a `PutItem` or a `DeleteItem` writes it, on the condition that it is as it
//!   was read. If the hashtag gets another power of ten or another newest month, a `BatchWriteItem`
//!   writes its listings before. Afterwards, a `GetItem`, a `BatchWriteItem` and another `GetItem` make
//!   sure that the listings are those of the summary. The photos of a batch take turns at a summary, so that they do not
//!   fail each other's conditions.
//! - If a photo goes and the sample is [small](HashtagSummary::is_sparse) at a level above 0, consistent Queries of
//!   the months read the entries from which the summary is made again. If the sample [has none of the
//!   month](HashtagSummary::may_lack), a consistent Query reads one entry, without which the month goes too. After
//!   the write, they are sent again.
//! - Another consistent `GetItem` checks that the photo is still the same.
//!
//! Any other change of a photo, such as one of the counts, costs no request.
//!
//! **No step relies on the order of records or of writes.** The entries come from the photo and not
//! from the record, which may be late or come again. And whoever writes entries reads the photo once
//! more afterwards, so an invocation that has stalled between its read and its write corrects what it
//! has written. In the same way, whoever writes listings reads the summary once more afterwards, and
//! writes them again until they are those of the summary.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use aws_sdk_dynamodb::operation::query::QueryOutput;
use aws_sdk_dynamodb::types::AttributeValue::S;
use futures_util::lock::Mutex;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use shared::changes::{Context, Work};
use shared::dynamodb::{Item, batch, unless_condition_failed};
use shared::entities::{
    HashtagCondition, HashtagEntry, HashtagListing, HashtagSummary, IMPORTED, Key, Kind, Listed, MAX_HASHTAG_SAMPLE,
    hashtag_entries_pk, month_of, photo_from_item, photo_of_hashtag_entry,
};
use shared::runtime::stream::Record;
use shared::values::Hashtag;
use shared::{Error, Table};

/// The maximum number of times that a record writes entries: once, and again for each change of the
/// photo in between.
const MAX_ATTEMPTS: usize = 5;
/// The maximum number of times that a summary is written for one photo. More than one are needed only
/// if a photo of another batch changes it between the read and the write.
const MAX_SUMMARY_ATTEMPTS: usize = 8;
/// The maximum number of hashtags of a photo whose summaries are written at the same time.
const MAX_CONCURRENT_SUMMARIES: usize = 8;

/// The maximum number of entries from which a summary is made again. If there are more, it stays.
const MAX_COUNTED: usize = 10 * MAX_HASHTAG_SAMPLE;

/// The attributes of a photo that decide which entries it has. Most records change another one, a count.
const DECIDES: [&str; 4] = ["caption", "audience", "picture", "username"];

/// The turns of the photos of a batch at the summaries of their hashtags.
#[derive(Default)]
struct Turns(RefCell<HashMap<Hashtag, Rc<Mutex<()>>>>);

impl Turns {
    /// Returns the lock of a hashtag.
    fn at(&self, hashtag: &Hashtag) -> Rc<Mutex<()>> {
        Rc::clone(self.0.borrow_mut().entry(hashtag.clone()).or_default())
    }
}

/// Returns the work that updates the lists of hashtags after the changes of photos.
#[must_use]
pub fn work<'a>(context: &'a Context, records: &'a [Record]) -> Vec<Work<'a>> {
    let turns = Rc::new(Turns::default());
    let of_photos = records.iter().filter(|record| Kind::Photo.is_of(&record.keys));
    of_photos.map(|record| Work::new(vec![record.id.clone()], update(context, Rc::clone(&turns), record))).collect()
}

/// Updates the lists of hashtags after the change of a photo.
async fn update(Context { table, feed, .. }: &Context, turns: Rc<Turns>, record: &Record) -> Result<(), Error> {
    let Record { old_image: old, new_image: new, .. } = record;
    if DECIDES.iter().all(|name| old.get(*name) == new.get(*name)) {
        return Ok(());
    }
    let (before, after) = (entries(old)?, entries(new)?);
    if before == after {
        return Ok(());
    }
    let mut untouched: BTreeSet<HashtagEntry> = before.intersection(&after).cloned().collect();
    let mut touched: BTreeSet<HashtagEntry> = before.symmetric_difference(&after).cloned().collect();
    let mut current = read(table, &record.keys).await?;
    for _ in 0..MAX_ATTEMPTS {
        let (wanted, is_imported) = &current;
        touched.extend(untouched.symmetric_difference(wanted).cloned());
        untouched.retain(|entry| wanted.contains(entry));
        write(feed, &turns, &touched, wanted, *is_imported).await?;
        let now = read(table, &record.keys).await?;
        if now == current {
            return Ok(());
        }
        current = now;
    }
    Err(Error::Busy("the photo changes faster than the lists of its hashtags".into()))
}

/// Returns the entries of the photo with this key, and whether an import has made it.
async fn read(table: &Table, key: &Item) -> Result<(BTreeSet<HashtagEntry>, bool), Error> {
    let get = table.client.get_item().table_name(&table.name).set_key(Some(key.clone())).consistent_read(true);
    let item = get.send().await?.item.unwrap_or_default();
    Ok((entries(&item)?, item.contains_key(IMPORTED)))
}

/// Returns the entries of the photo that an item holds. A tombstone has none, and neither has a photo whose entries
/// would have expired, such as an old one that is imported.
fn entries(item: &Item) -> Result<BTreeSet<HashtagEntry>, Error> {
    // Most records are of photos without hashtags.
    let has_sign = |text: &String| text.contains(['#', '＃', '﹟']);
    if !item.get("caption").and_then(|caption| caption.as_s().ok()).is_some_and(has_sign) {
        return Ok(BTreeSet::new());
    }
    let mut entries = photo_from_item(item.clone())?.map(|photo| photo.hashtag_entries()).unwrap_or_default();
    entries.retain(|entry| !entry.has_expired());
    Ok(entries)
}

/// Puts those of the entries of a photo that are wanted, and deletes the others, with their part of the summaries.
async fn write(
    feed: &Table,
    turns: &Turns,
    entries: &BTreeSet<HashtagEntry>,
    wanted: &BTreeSet<HashtagEntry>,
    is_imported: bool,
) -> Result<(), Error> {
    let request = |entry: &HashtagEntry| {
        if wanted.contains(entry) { batch::put(entry.item(is_imported)) } else { batch::delete(entry.key()) }
    };
    batch::write(feed, entries.iter().map(request).collect::<Result<_, _>>()?).await?;
    let updates = entries.iter().map(async |entry| {
        let turn = turns.at(&entry.hashtag);
        let _turn = turn.lock().await;
        update_summary(feed, entry, wanted.contains(entry)).await
    });
    stream::iter(updates).buffer_unordered(MAX_CONCURRENT_SUMMARIES).try_collect().await
}

/// Updates the summary of a hashtag and its listings, so that they are with an entry or without it.
async fn update_summary(feed: &Table, entry: &HashtagEntry, is_there: bool) -> Result<(), Error> {
    let hashtag = &entry.hashtag;
    let mut before = read_summary(feed, hashtag).await?;
    // The ranks with which this invocation may have left listings.
    let mut ranks: BTreeSet<u32> = BTreeSet::new();
    // The months of which this invocation has read the entries.
    let mut counted: BTreeSet<String> = BTreeSet::new();
    let (month, mut has_entries) = (month_of(&entry.photo.id), true);
    for _ in 0..MAX_SUMMARY_ATTEMPTS {
        let mut after = before.with(entry, is_there);
        if !counted.is_empty() || (!is_there && after.is_sparse()) {
            let months = &(&counted | &after.months) | &BTreeSet::from([month.to_owned()]);
            if let Some(summary) = count(feed, hashtag, &months).await? {
                (after, counted) = (summary, months);
            }
        } else if !has_entries || (!is_there && after.may_lack(month)) {
            has_entries = read_entries(feed, hashtag, month, 1).await?.count > 0;
            after = after.with_month(month, has_entries);
        }
        let is_listed = ranks.is_empty() && before.listed == after.listed;
        if is_listed && before == after {
            return Ok(());
        }
        if !is_listed {
            ranks.extend(before.listed.as_ref().map(|listed| listed.rank));
            write_listings(feed, hashtag, after.listed.as_ref(), &ranks).await?;
            ranks.extend(after.listed.as_ref().map(|listed| listed.rank));
        }
        // While the summary was as it was read, another one may have come and gone, with the listings. And a photo
        // that has come or gone since the entries were read may not have changed the summary at its level.
        let may_be_last = ranks.is_empty() && counted.is_empty() && has_entries;
        if before != after && put_summary(feed, hashtag, &before, &after).await? && may_be_last {
            return Ok(());
        }
        let now = read_summary(feed, hashtag).await?;
        if before == after && before == now {
            return Ok(());
        }
        before = now;
    }
    Err(Error::Busy(format!("photos change the summary of the hashtag {hashtag} during each attempt").into()))
}

/// Returns the summary of a hashtag, by a consistent `GetItem`.
async fn read_summary(feed: &Table, hashtag: &Hashtag) -> Result<HashtagSummary, Error> {
    let get = feed.client.get_item().table_name(&feed.name).consistent_read(true);
    HashtagSummary::from_item(get.set_key(Some(Key::hashtag_summary(hashtag).into())).send().await?.item)
}

/// Returns the summary that follows from the entries of a hashtag in these months that have not expired, or `None` if
/// there are more than [`MAX_COUNTED`] entries.
async fn count(feed: &Table, hashtag: &Hashtag, months: &BTreeSet<String>) -> Result<Option<HashtagSummary>, Error> {
    let (mut summary, mut left) = (HashtagSummary::default(), MAX_COUNTED + 1);
    for month in months.iter().rev() {
        let output = read_entries(feed, hashtag, month, left).await?;
        if output.last_evaluated_key.is_some() {
            return Ok(None);
        }
        for item in output.items.unwrap_or_default() {
            left -= 1;
            let entry = HashtagEntry { hashtag: hashtag.clone(), photo: photo_of_hashtag_entry(&item)? };
            if !entry.has_expired() {
                summary = summary.with(&entry, true);
            }
        }
    }
    Ok(Some(summary))
}

/// Reads the oldest entries of a hashtag in a month, at most `limit`.
async fn read_entries(feed: &Table, hashtag: &Hashtag, month: &str, limit: usize) -> Result<QueryOutput, Error> {
    let query = feed
        .client
        .query()
        .table_name(&feed.name)
        .consistent_read(true)
        .key_condition_expression("pk = :month")
        .expression_attribute_values(":month", S(hashtag_entries_pk(hashtag, month)))
        .limit(i32::try_from(limit).map_err(Error::internal)?);
    Ok(query.send().await?)
}

/// Puts the listings of a hashtag, and deletes those with any other of the ranks.
async fn write_listings(
    feed: &Table,
    hashtag: &Hashtag,
    listed: Option<&Listed>,
    ranks: &BTreeSet<u32>,
) -> Result<(), Error> {
    let of_rank = |rank| HashtagListing { rank, hashtag: hashtag.clone() };
    let mut requests = vec![];
    for rank in ranks.iter().filter(|rank| listed.is_none_or(|listed| listed.rank != **rank)) {
        requests.extend(of_rank(*rank).keys().into_iter().map(batch::delete));
    }
    if let Some(Listed { rank, month }) = listed {
        requests.extend(of_rank(*rank).items(month)?.into_iter().map(batch::put));
    }
    batch::write(feed, requests.into_iter().collect::<Result<_, _>>()?).await
}

/// Writes a summary, or deletes it if it is empty, on the condition that it is still as it was read.
/// Returns whether it was.
async fn put_summary(
    feed: &Table,
    hashtag: &Hashtag,
    before: &HashtagSummary,
    after: &HashtagSummary,
) -> Result<bool, Error> {
    let HashtagCondition { expression, names, values } = before.condition()?;
    if after.is_empty() {
        let delete = feed
            .client
            .delete_item()
            .table_name(&feed.name)
            .set_key(Some(Key::hashtag_summary(hashtag).into()))
            .condition_expression(expression)
            .set_expression_attribute_names(names)
            .set_expression_attribute_values(values);
        return Ok(unless_condition_failed(delete.send().await)?.is_some());
    }
    let put = feed
        .client
        .put_item()
        .table_name(&feed.name)
        .set_item(Some(after.item(hashtag)?))
        .condition_expression(expression)
        .set_expression_attribute_names(names)
        .set_expression_attribute_values(values);
    Ok(unless_condition_failed(put.send().await)?.is_some())
}
