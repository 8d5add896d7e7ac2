//! The photos of a feed without entries: the newest of pulled authors and of followed hashtags.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::AttributeValue::S;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use shared::dynamodb::batch::{self, MAX_GET_KEYS};
use shared::dynamodb::{Item, entity};
use shared::entities::{
    HashtagSummary, IMPORTED, Key, Latest, MAX_FOLLOWED_HASHTAGS, MAX_PULLS, MUTES, Position, has_any, has_blocks,
    hashtag_entries_pk, photo_of_hashtag_entry,
};
use shared::values::{Hashtag, Username};
use shared::{Error, Table};

use super::remembered::Remembered;

/// The number of photos of a hashtag that are in a feed, the newest ones.
pub const MAX_HASHTAG_PHOTOS: usize = 25;
/// The maximum number of months of which photos of a hashtag are in a feed.
const MAX_MONTHS: usize = 2;
/// The maximum number of Queries for the photos of a hashtag. More than [`MAX_MONTHS`] are needed only if all entries
/// of a month were taken back, or are of own and imported photos.
const MAX_QUERIES: usize = 6;
/// The number of entries that a Query reads behind own and imported photos of the same month.
const MAX_LATER_READ: usize = 100;

// One request reads the Latest, the summaries, the decisions and the reader.
const _: () = assert!(MAX_PULLS as usize + 2 * MAX_FOLLOWED_HASHTAGS < MAX_GET_KEYS);

/// The newest photos of pulled authors and of followed hashtags.
pub(super) struct Pulled {
    /// The photos of the authors.
    pub(super) by_author: Vec<Position>,
    /// The photos of the hashtags, each with those that have brought it. None is the reader's own.
    pub(super) by_hashtag: BTreeMap<Position, BTreeSet<Hashtag>>,
    /// The item of a reader who follows hashtags.
    pub(super) reader: Option<Item>,
}

impl Pulled {
    /// Reads the newest photos of authors and hashtags, or those before `position`.
    pub(super) async fn read(
        [table, feed]: [&Table; 2],
        reader: &Username,
        authors: &[Username],
        hashtags: &BTreeSet<Hashtag>,
        position: Option<&Position>,
        remembered: &Remembered,
    ) -> Result<Self, Error> {
        let (mut latest, mut keys) = (vec![], BTreeSet::new());
        for author in authors {
            match remembered.latest.get(author) {
                Some(found) => latest.push(found),
                None => {
                    keys.insert(Key::latest(author));
                }
            }
        }
        let (mut lists, mut missing) = (vec![], vec![]);
        // What was read for others may end after own photos.
        let is_enough = |photos: &Vec<Position>| {
            let others = photos.iter().filter(|photo| photo.author != *reader).count();
            others == photos.len() || others >= MAX_HASHTAG_PHOTOS
        };
        for hashtag in hashtags {
            match remembered.hashtags.get(hashtag).filter(is_enough) {
                Some(found) => lists.push((hashtag.clone(), found)),
                None => missing.push(hashtag.clone()),
            }
        }
        keys.extend(missing.iter().map(Key::hashtag_summary));
        let decisions = missing.iter().map(Key::hidden_hashtag);
        let own = (!hashtags.is_empty()).then(|| Key::user(reader));
        let tables = [(feed, keys), (table, own.into_iter().chain(decisions).collect())];
        let [mut found, decided] = batch::get_from_tables(tables, false).await?;

        let mut unread = vec![];
        for hashtag in missing {
            let is_hidden = batch::find(&decided, Key::hidden_hashtag(&hashtag)).is_some();
            let summary = batch::take(&mut found, Key::hashtag_summary(&hashtag)).filter(|_| !is_hidden);
            unread.push((hashtag, HashtagSummary::from_item(summary)?.months));
        }
        for item in found {
            let found: Latest = entity::from_item(item)?;
            remembered.latest.put(&found.author, || Some(found.clone()));
            latest.push(found);
        }
        let queries = unread.into_iter().map(|(hashtag, months)| async move {
            let photos = newest(feed, reader, &hashtag, &months).await?;
            remembered.hashtags.put(&hashtag, || Some(photos.clone()));
            Ok::<_, Error>((hashtag, photos))
        });
        let read: Vec<_> = stream::iter(queries).buffer_unordered(MAX_FOLLOWED_HASHTAGS).try_collect().await?;

        let is_before = |photo: &Position| position.is_none_or(|position| photo < position);
        let mut by_author = vec![];
        for Latest { author, photos, .. } in latest {
            by_author.extend(photos.into_iter().map(|id| Position { id, author: author.clone() }).filter(is_before));
        }
        let mut by_hashtag: BTreeMap<Position, BTreeSet<Hashtag>> = BTreeMap::new();
        for (hashtag, photos) in lists.into_iter().chain(read) {
            let of_others = photos.into_iter().filter(|photo| photo.author != *reader).take(MAX_HASHTAG_PHOTOS);
            for photo in of_others.filter(is_before) {
                by_hashtag.entry(photo).or_default().insert(hashtag.clone());
            }
        }
        let reader = batch::find(&decided, Key::user(reader)).cloned();
        Ok(Self { by_author, by_hashtag, reader })
    }

    /// Returns whether a block or a mute can hide the photo at a position from the reader. The
    /// friendship says it of a photo that has not come by a hashtag.
    pub(super) fn needs_blocks(&self, position: &Position) -> bool {
        self.by_hashtag.contains_key(position)
            && self.reader.as_ref().is_some_and(|reader| has_blocks(reader) || has_any(reader, MUTES))
    }
}

/// Returns the newest photos in the list of a hashtag, which has no entries in other months, up to the last of
/// [`MAX_HASHTAG_PHOTOS`] that are not the reader's own. Those of imports are left out.
async fn newest(
    feed: &Table,
    reader: &Username,
    hashtag: &Hashtag,
    months: &BTreeSet<String>,
) -> Result<Vec<Position>, Error> {
    let mut months = months.iter().rev().peekable();
    let (mut photos, mut of_others, mut of_others_before, mut found, mut start) = (vec![], 0, 0, 0, None);
    for _ in 0..MAX_QUERIES {
        let Some(month) = months.peek() else { break };
        let limit = if start.is_none() { MAX_HASHTAG_PHOTOS - of_others } else { MAX_LATER_READ };
        let output = feed
            .client
            .query()
            .table_name(&feed.name)
            .key_condition_expression("pk = :month")
            .expression_attribute_values(":month", S(hashtag_entries_pk(hashtag, month)))
            .scan_index_forward(false)
            .set_exclusive_start_key(start)
            .limit(i32::try_from(limit).map_err(Error::internal)?)
            .send()
            .await?;
        let read = output.items.unwrap_or_default();
        for item in read.into_iter().filter(|item| !item.contains_key(IMPORTED)) {
            if of_others == MAX_HASHTAG_PHOTOS {
                break;
            }
            let photo = photo_of_hashtag_entry(&item)?;
            of_others += usize::from(photo.author != *reader);
            photos.push(photo);
        }
        start = output.last_evaluated_key;
        if start.is_none() {
            months.next();
            found += usize::from(of_others > of_others_before);
            of_others_before = of_others;
        }
        if found == MAX_MONTHS || of_others == MAX_HASHTAG_PHOTOS {
            break;
        }
    }
    Ok(photos)
}
