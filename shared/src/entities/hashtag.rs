//! The hashtags of captions: how a caption is read, and what process-changes derives from photos.
//!
//! - An [entry](HashtagEntry) lets a list find a photo by a hashtag.
//! - The [summary](HashtagSummary) of a hashtag says in which months it has photos, and about how
//!   many.
//! - A [listing](HashtagListing) lets a search find a hashtag by its beginning.
//!
//! Only photos that everyone may see have entries, so nothing of what is derived tells of any other
//! photo.

use std::collections::{BTreeSet, HashMap};

use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::comment::ends_in_word;
use super::key::{FEED_SK, Key};
use super::photo::{IMPORTED, Photo};
use super::position::Position;
use crate::Error;
use crate::dynamodb::expiry::{self, TTL};
use crate::dynamodb::{Item, entity};
use crate::search::prefix;
use crate::values::{Hashtag, HashtagQuery, PhotoId, Timestamp};

/// The prefix of the partition keys of entries. The hashtag and the month follow.
pub(super) const HASHTAG_ENTRIES_PREFIX: &str = "Hashtag#";
/// The prefix of the partition keys of summaries. The hashtag follows.
pub(super) const HASHTAG_SUMMARY_PREFIX: &str = "HashtagSummary#";
/// The prefix of the partition keys of listings. The beginning of hashtags follows.
pub const HASHTAG_LISTINGS_PREFIX: &str = "Hashtags#";

/// The attribute with the hashtag of an item, which nothing reads out of a key.
pub const HASHTAG: &str = "hashtag";

/// The maximum number of hashtags of a caption. Further ones are words as any other.
pub const MAX_HASHTAGS: usize = 30;
/// The maximum number of months of a hashtag. A list shows no photo of an older month.
pub const MAX_HASHTAG_MONTHS: usize = 60;
/// The time after the upload of a photo at which its entries expire, in seconds: five years, which
/// is not shorter than [`MAX_HASHTAG_MONTHS`].
pub const HASHTAG_LIFETIME_SECONDS: u64 = 5 * 366 * 24 * 60 * 60;
/// The maximum number of photos in the sample of a hashtag. With half of them, which is the least
/// after a change of the level, the count is wrong by about 22 %. A summary with as many, with
/// [`MAX_HASHTAG_MONTHS`] and with the longest hashtag has about 1 KB.
pub const MAX_HASHTAG_SAMPLE: usize = 40;
/// The least number of photos in a sample at a level above 0. A sample gets smaller at its level, so that of a summary
/// with fewer is made again from the entries.
const MIN_HASHTAG_SAMPLE: usize = MAX_HASHTAG_SAMPLE / 4;

/// The maximum number of characters of the beginning of a hashtag that has a list.
const MAX_BEGINNING_CHARS: usize = 5;
/// The rank of a hashtag that no photo has, which has no listing.
pub const MAX_HASHTAG_RANK: u32 = 9;
/// The factor between the month and the hash in an element of a sample. A hash has 10 digits at most.
const MONTH: u64 = 10_000_000_000;

/// A hashtag in a caption.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenHashtag<'a> {
    /// The hashtag.
    pub hashtag: Hashtag,
    /// The word as it is written, without its `#`.
    pub written: &'a str,
}

/// Returns the hashtags of a caption in their order and each once, at most [`MAX_HASHTAGS`].
///
/// `#word` is a hashtag if the word has a letter, unless a letter, a digit or one of `_ - = / &`
/// stands right before it, or `://` before it in its word. So neither `C#`, nor `#1`, nor the
/// fragment of a URL is one. A hashtag may follow another one without a space.
///
/// The sign may also be `＃` or `﹟`, [as Unicode has
/// it](https://www.unicode.org/reports/tr31/#hashtag_identifiers). Unlike there, a word has no emoji,
/// because a search ignores them. Letters of scripts that separate no words by spaces may stand
/// before the sign, and end no hashtag.
#[must_use]
pub fn hashtags(caption: &str) -> Vec<WrittenHashtag<'_>> {
    let mut found: Vec<WrittenHashtag<'_>> = vec![];
    let mut end_of_last = 0;
    for (at, sign) in caption.match_indices(['#', '＃', '﹟']) {
        let (before, after) = (&caption[..at], &caption[at + sign.len()..]);
        let is_in_url = before.rsplit(char::is_whitespace).next().is_some_and(|word| word.contains("://"));
        let follows_word = before.ends_with(['_', '-', '=', '/', '&']) || ends_in_word(before);
        if is_in_url || (follows_word && at != end_of_last) {
            continue;
        }
        let end = after.find(|c| !Hashtag::may_contain(c) && !joins(c)).unwrap_or(after.len());
        let written = after[..end].trim_end_matches(joins);
        let Ok(hashtag) = written.parse() else { continue };
        end_of_last = at + sign.len() + end;
        if found.len() < MAX_HASHTAGS && found.iter().all(|other| other.hashtag != hashtag) {
            found.push(WrittenHashtag { hashtag, written });
        }
    }
    found
}

/// Returns whether a character may stand between two letters of a word and is no part of a hashtag:
/// the joiner and the non-joiner of Persian and Indic scripts.
const fn joins(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// A photo in the list of a hashtag.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HashtagEntry {
    /// The hashtag.
    pub hashtag: Hashtag,
    /// The photo.
    pub photo: Position,
}

impl Photo {
    /// Returns the entries of the photo in the lists of hashtags. Only a photo that everyone may see
    /// has some.
    #[must_use]
    pub fn hashtag_entries(&self) -> BTreeSet<HashtagEntry> {
        let caption = self.caption.as_deref().filter(|_| self.is_public()).unwrap_or_default();
        let photo = Position { id: self.id.clone(), author: self.username.clone() };
        hashtags(caption)
            .into_iter()
            .map(|found| HashtagEntry { hashtag: found.hashtag, photo: photo.clone() })
            .collect()
    }
}

impl Key {
    /// Returns the key of a [`HashtagEntry`](super::HashtagEntry).
    #[must_use]
    pub fn hashtag_entry(hashtag: &Hashtag, photo: &Position) -> Self {
        let month = month_of(&photo.id);
        Self::of_feed(hashtag_entries_pk(hashtag, month), format!("{}#{}", photo.id, photo.author))
    }

    /// Returns the key of a [`HashtagSummary`](super::HashtagSummary).
    #[must_use]
    pub fn hashtag_summary(hashtag: &Hashtag) -> Self {
        Self::of_feed(format!("{HASHTAG_SUMMARY_PREFIX}{hashtag}"), "Summary".to_owned())
    }

    /// Returns the key of a [`HashtagListing`](super::HashtagListing) of this rank in a list.
    #[must_use]
    pub fn hashtag_listing(list: &str, rank: u32, hashtag: &Hashtag) -> Self {
        Self::of_feed(hashtag_listings_pk(list), format!("{rank}#{hashtag}"))
    }
}

/// Returns the partition key of the entries of a hashtag in a month.
#[must_use]
pub fn hashtag_entries_pk(hashtag: &Hashtag, month: &str) -> String {
    format!("{HASHTAG_ENTRIES_PREFIX}{hashtag}#{month}")
}

/// Returns the partition key of a list of hashtags with the same beginning.
#[must_use]
pub fn hashtag_listings_pk(list: &str) -> String {
    format!("{HASHTAG_LISTINGS_PREFIX}{list}")
}

/// Returns the month of the upload of a photo, such as `2026-11`, in UTC.
#[must_use]
pub fn month_of(photo: &PhotoId) -> &str {
    // An id begins with the year and the month of its time.
    prefix(photo.as_ref(), 7)
}

/// Returns whether the first entries of a month have expired.
fn has_begun_to_expire(month: &str) -> bool {
    begin_of_month(month).is_none_or(|begin| expiry::is_over(begin + HASHTAG_LIFETIME_SECONDS))
}

/// Returns the time at which a month begins, in seconds since 1970.
fn begin_of_month(month: &str) -> Option<u64> {
    let begin: Timestamp = format!("{month}-01T00:00:00").parse().ok()?;
    Some(begin.seconds())
}

/// Returns the time at which what is about a month expires, in seconds since 1970.
fn expiry_of_month(month: &str) -> u64 {
    begin_of_month(month).map_or(0, |begin| begin + 31 * 24 * 60 * 60 + HASHTAG_LIFETIME_SECONDS)
}

impl HashtagEntry {
    /// Returns the key of the entry.
    #[must_use]
    pub fn key(&self) -> Key {
        Key::hashtag_entry(&self.hashtag, &self.photo)
    }

    /// Returns the item of the entry, which is the same whenever it is made. It says whether an
    /// [import](Photo::imported) has made the photo.
    #[must_use]
    pub fn item(&self, is_imported: bool) -> Item {
        let mut item = Item::from(self.key());
        item.insert(HASHTAG.to_owned(), S(self.hashtag.to_string()));
        item.insert(TTL.to_owned(), N(self.expiry().to_string()));
        item.extend(is_imported.then(|| (IMPORTED.to_owned(), AttributeValue::Bool(true))));
        item
    }

    /// Returns whether DynamoDB may have deleted the entry, because the photo is too old.
    #[must_use]
    pub fn has_expired(&self) -> bool {
        expiry::is_over(self.expiry())
    }

    /// Returns the time at which the entry expires, in seconds since 1970.
    fn expiry(&self) -> u64 {
        self.photo.id.time().seconds() + HASHTAG_LIFETIME_SECONDS
    }

    /// Returns the number that stands for the entry in a sample: the month, and a hash by which the
    /// sample takes it or leaves it out.
    fn element(&self) -> u64 {
        let Self { hashtag, photo } = self;
        let mut hash = [0; 4];
        hash.copy_from_slice(&Sha256::digest(format!("{hashtag}\n{}\n{}", photo.author, photo.id))[..4]);
        number_of_month(month_of(&photo.id)) * MONTH + u64::from(u32::from_be_bytes(hash))
    }
}

/// Returns the photo of an entry, from its sort key.
pub fn photo_of_hashtag_entry(item: &Item) -> Result<Position, Error> {
    let sk = item.get(FEED_SK).and_then(|sk| sk.as_s().ok()).map_or("", String::as_str);
    let photo = sk
        .split_once('#')
        .and_then(|(id, author)| Some(Position { id: id.parse().ok()?, author: author.parse().ok()? }));
    photo.ok_or_else(|| Error::internal(format!("the sort key {sk:?} is not that of an entry of a hashtag")))
}

/// Returns a month as a number, such as 202611.
fn number_of_month(month: &str) -> u64 {
    month.replace('-', "").parse().unwrap_or(0)
}

/// Returns the month of a [number](number_of_month).
fn month_of_number(number: u64) -> String {
    format!("{:04}-{:02}", number / 100, number % 100)
}

/// The summary of the photos of a hashtag: their months, and a sample that tells their number.
///
/// It changes with a photo in the same way however often and in whichever order the changes of
/// photos come, as long as each write has the [condition](Self::condition) that it is as it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HashtagSummary {
    /// The months with entries, at most [`MAX_HASHTAG_MONTHS`]. Above level 0, a month of which all
    /// entries were taken back may stay.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", with = "serde_dynamo::string_set")]
    pub months: BTreeSet<String>,
    /// The binary logarithm of the number of photos for each of which one is in the sample.
    level: u32,
    /// The photos in the sample, a number for each. At level 0, these are all photos of the months.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", with = "serde_dynamo::number_set")]
    sample: BTreeSet<u64>,
    /// The listings that there are. `None` if no search finds the hashtag. They are written before the
    /// summary that says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed: Option<Listed>,
}

/// The rank and the newest month of a hashtag, from which its listings follow.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Listed {
    /// 9 minus the number of decimal digits of the count. So the hashtags with the most photos come
    /// first.
    pub rank: u32,
    /// The newest month with entries, after which the listings expire.
    pub month: String,
}

impl HashtagSummary {
    /// Returns the summary that an item holds, or the empty one without an item.
    pub fn from_item(item: Option<Item>) -> Result<Self, Error> {
        Ok(item.map(entity::from_item).transpose()?.unwrap_or_default())
    }

    /// Returns the item of the summary of a hashtag.
    pub fn item(&self, hashtag: &Hashtag) -> Result<Item, Error> {
        let mut item = entity::to_item(Key::hashtag_summary(hashtag), self)?;
        let expiry = self.months.last().map_or(0, |month| expiry_of_month(month));
        item.insert(HASHTAG.to_owned(), S(hashtag.to_string()));
        item.insert(TTL.to_owned(), N(expiry.to_string()));
        Ok(item)
    }

    /// Returns whether the hashtag has no photo, so that it needs no summary.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the summary with an entry, or without it. It is the same if it was so before.
    #[must_use]
    pub fn with(&self, entry: &HashtagEntry, is_there: bool) -> Self {
        let mut summary = self.clone();
        if is_there {
            summary.months.insert(month_of(&entry.photo.id).to_owned());
            if summary.months.len() > MAX_HASHTAG_MONTHS {
                summary.months.pop_first();
            }
            summary.sample.insert(entry.element());
            let oldest = summary.months.first().map_or(0, |month| number_of_month(month) * MONTH);
            summary.sample.retain(|element| *element >= oldest);
        } else {
            summary.sample.remove(&entry.element());
        }
        loop {
            let level = summary.level;
            summary.sample.retain(|element| level_of(*element) >= level);
            if summary.sample.len() <= MAX_HASHTAG_SAMPLE {
                break;
            }
            summary.level += 1;
        }
        if summary.level == 0 {
            summary.months = summary.sample.iter().map(|element| month_of_number(element / MONTH)).collect();
        }
        summary.listed = summary.listing();
        summary
    }

    /// Returns whether the summary can be that of the entries from which another one was derived. It
    /// may have months of which all entries were taken back, a higher level, because a sample that
    /// gets smaller stays at its level, and photos whose entries have expired since they were counted.
    #[must_use]
    pub fn agrees_with(&self, derived: &Self) -> bool {
        let has_months = derived.months.is_subset(&self.months) || self.months.len() == MAX_HASHTAG_MONTHS;
        let sample: BTreeSet<u64> =
            derived.sample.iter().copied().filter(|element| level_of(*element) >= self.level).collect();
        let mut others = self.sample.difference(&sample);
        has_months
            && self.level >= derived.level
            // The photo that went last would have had all counted again.
            && !(self.is_sparse() && derived.level == 0)
            && sample.is_subset(&self.sample)
            && others.all(|element| has_begun_to_expire(&month_of_number(element / MONTH)))
            && self.listed == self.listing()
    }

    /// Returns whether the sample has so few photos that one at a lower level would tell more.
    #[must_use]
    pub fn is_sparse(&self) -> bool {
        self.level > 0 && self.sample.len() < MIN_HASHTAG_SAMPLE
    }

    /// Returns whether the summary may have a month of which all entries were taken back: the sample has none of it.
    #[must_use]
    pub fn may_lack(&self, month: &str) -> bool {
        let of_month = |element: &u64| element / MONTH == number_of_month(month);
        self.level > 0 && self.months.contains(month) && !self.sample.iter().any(of_month)
    }

    /// Returns the summary with a month, or without it.
    #[must_use]
    pub fn with_month(&self, month: &str, has_entries: bool) -> Self {
        let mut summary = self.clone();
        if has_entries {
            summary.months.insert(month.to_owned());
        } else {
            summary.months.remove(month);
        }
        summary.listed = summary.listing();
        summary
    }

    /// Returns about how many photos the hashtag has. The number is exact at level 0. Above it, an
    /// empty sample does not say that there is none.
    fn photos(&self) -> u64 {
        let sample = self.sample.len().max(usize::from(self.level > 0));
        u64::try_from(sample).unwrap_or(u64::MAX) << self.level
    }

    /// Returns the greatest power of ten that is not greater than the number of photos, or `None` if
    /// there is none.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        self.photos().checked_ilog10().map(|log| 10_u64.pow(log))
    }

    /// Returns what the listings have to be, or `None` if no search may find the hashtag.
    fn listing(&self) -> Option<Listed> {
        let digits = self.photos().checked_ilog10()? + 1;
        Some(Listed { rank: MAX_HASHTAG_RANK.saturating_sub(digits), month: self.months.last()?.clone() })
    }

    /// Returns the condition that the item of a summary is as it was read, with the names and the
    /// values in it. The condition compares everything, because a number of revisions would begin
    /// again after a deletion.
    pub fn condition(&self) -> Result<HashtagCondition, Error> {
        let (mut names, mut values, mut parts) = (HashMap::new(), HashMap::new(), vec![]);
        if self.is_empty() {
            parts.push("attribute_not_exists(pk)".to_owned());
        } else {
            let mut attributes: Item = serde_dynamo::to_item(self)?;
            for name in ["level", "listed", "months", "sample"] {
                names.insert(format!("#{name}"), name.to_owned());
                parts.push(if let Some(value) = attributes.remove(name) {
                    values.insert(format!(":{name}"), value);
                    format!("#{name} = :{name}")
                } else {
                    format!("attribute_not_exists(#{name})")
                });
            }
        }
        // DynamoDB refuses an empty map.
        let (names, values) = ((!names.is_empty()).then_some(names), (!values.is_empty()).then_some(values));
        Ok(HashtagCondition { expression: parts.join(" AND "), names, values })
    }
}

/// A condition of a write.
#[derive(Debug, Clone)]
pub struct HashtagCondition {
    /// The expression.
    pub expression: String,
    /// The names in it, if it has any.
    pub names: Option<HashMap<String, String>>,
    /// The values in it, if it has any.
    pub values: Option<HashMap<String, AttributeValue>>,
}

/// Returns the highest level of a sample at which an element is in it.
fn level_of(element: u64) -> u32 {
    u32::try_from(element % MONTH).map_or(0, u32::trailing_zeros)
}

/// A hashtag in the lists in which a search finds it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HashtagListing {
    /// The [rank](Listed::rank).
    pub rank: u32,
    /// The hashtag.
    pub hashtag: Hashtag,
}

impl HashtagListing {
    /// Returns the key of the listing in a list.
    #[must_use]
    pub fn key(&self, list: &str) -> Key {
        Key::hashtag_listing(list, self.rank, &self.hashtag)
    }

    /// Returns the keys of the listing in all of its lists.
    #[must_use]
    pub fn keys(&self) -> BTreeSet<Key> {
        self.lists().into_iter().map(|list| self.key(list)).collect()
    }

    /// Returns the items of the listing in all of its lists, which expire after a month.
    pub fn items(&self, month: &str) -> Result<Vec<Item>, Error> {
        let expiry = expiry_of_month(month);
        let items = self.lists().into_iter().map(|list| {
            let mut item = entity::to_item(self.key(list), self)?;
            item.insert(TTL.to_owned(), N(expiry.to_string()));
            Ok(item)
        });
        items.collect()
    }

    fn lists(&self) -> BTreeSet<&str> {
        (1..=MAX_BEGINNING_CHARS).map(|chars| prefix(self.hashtag.as_ref(), chars)).collect()
    }
}

impl HashtagQuery {
    /// Returns the list to read. It has all hashtags that the query finds, and may have others.
    #[must_use]
    pub fn list(&self) -> &str {
        prefix(self.as_ref(), MAX_BEGINNING_CHARS)
    }

    /// Returns whether the query finds all hashtags of its list.
    #[must_use]
    pub fn finds_whole_list(&self) -> bool {
        self.list() == self.as_ref()
    }
}

#[cfg(test)]
mod tests;
