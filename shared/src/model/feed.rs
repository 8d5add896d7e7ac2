//! The keys and entities of the table `<stage>.Feed`, from which the home feeds are read.
//!
//! | entity | `pk` | `sk` | attributes |
//! |---|---|---|---|
//! | entry: a photo of an author whom the reader follows | `Feed#<reader>` | `<timestamp>#<author>` | ttl |
//! | pull: an author whose photos the reader reads from [`Latest`] | `Feed#<reader>` | `PULL#<author>` | |
//! | pull count | `Feed#<reader>` | `#PULLS` | pulls |
//! | [`Latest`] | `Latest#<author>` | `Latest` | author, photos (a set of timestamps), delivery, converted |
//! | exception: a reader to whom the photos of a pulled author are pushed | `Push#<author>` | `<reader>` | |
//!
//! An entry is a reference. Its reader reads the photo and the friendship too, and drops an entry whose photo or friendship
//! is gone. An entry is its key and an expiry, so an entry that is written twice is written once.
//!
//! In byte order, `#PULLS` < the timestamps < `PULL#`. So one Query of a reader's partition, backward, reads all pulls and
//! then the newest entries. No two entities have the same key, because neither a username nor a timestamp has a `#`.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::dynamodb::Item;
use crate::model::expiry::TTL;
use crate::model::photos::Friendship;
use crate::model::{entity, keys};
use crate::values::{EpochMillis, Timestamp, Username};

/// The partition key.
pub const PK: &str = keys::FEED[0];
/// The sort key.
pub const SK: &str = keys::FEED[1];

/// The prefix of the partition keys of feeds. The reader follows.
pub const FEED_PREFIX: &str = "Feed#";
/// The prefix of the partition keys of [`Latest`]. The author follows.
pub const LATEST_PREFIX: &str = "Latest#";
/// The prefix of the partition keys of exceptions. The author follows.
pub const EXCEPTIONS_PREFIX: &str = "Push#";
/// The prefix of the sort keys of pulls. It sorts after all entries.
pub const PULL_PREFIX: &str = "PULL#";
/// A sort key after those of all pulls: `$` follows `#`.
pub const AFTER_PULLS: &str = "PULL$";
/// A sort key before those of all entries, and after the pull count.
pub const BEFORE_ENTRIES: &str = "0";

/// The maximum number of authors whom one reader pulls. A page reads the [`Latest`] of all of them with one `BatchGetItem`.
/// The photos of further authors are pushed to the reader, however many followers an author has.
pub const MAX_PULLS: u8 = 50;
/// The number of timestamps that a [`Latest`] keeps. A reader who pulls an author finds as many photos.
pub const MAX_LATEST: usize = 300;
/// The number of photos of an author that a new follower gets, the newest ones.
pub const BACKFILL: usize = 25;
/// The time for which a feed keeps an entry, in seconds: 30 days.
pub const ENTRY_LIFETIME_SECONDS: u64 = 30 * 24 * 60 * 60;

/// The primary key of an item. Writes, reads, conditions and cursors all use these constructors.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    pk: String,
    sk: String,
}

impl Key {
    /// Returns the key of an entry.
    #[must_use]
    pub fn entry(reader: &Username, position: &Position) -> Self {
        Self { pk: feed_pk(reader), sk: format!("{}#{}", position.timestamp, position.author) }
    }

    /// Returns the key of a pull.
    #[must_use]
    pub fn pull(reader: &Username, author: &Username) -> Self {
        Self { pk: feed_pk(reader), sk: format!("{PULL_PREFIX}{author}") }
    }

    /// Returns the key of the count of a reader's pulls, in the attribute `pulls`.
    #[must_use]
    pub fn pull_count(reader: &Username) -> Self {
        Self { pk: feed_pk(reader), sk: "#PULLS".to_owned() }
    }

    /// Returns the key of a [`Latest`].
    #[must_use]
    pub fn latest(author: &Username) -> Self {
        Self { pk: latest_pk(author), sk: "Latest".to_owned() }
    }

    /// Returns the key of an exception.
    #[must_use]
    pub fn exception(author: &Username, reader: &Username) -> Self {
        Self { pk: exceptions_pk(author), sk: reader.to_string() }
    }
}

/// Converts the key to its attributes, for `Key`, `Keys` and `ExclusiveStartKey` of requests.
impl From<Key> for Item {
    fn from(key: Key) -> Self {
        Self::from([(PK.to_owned(), S(key.pk)), (SK.to_owned(), S(key.sk))])
    }
}

/// Returns the partition key of everything in a reader's feed.
#[must_use]
pub fn feed_pk(reader: &Username) -> String {
    format!("{FEED_PREFIX}{reader}")
}

/// Returns the partition key of the [`Latest`] of an author.
#[must_use]
pub fn latest_pk(author: &Username) -> String {
    format!("{LATEST_PREFIX}{author}")
}

/// Returns the partition key of the exceptions of an author.
#[must_use]
pub fn exceptions_pk(author: &Username) -> String {
    format!("{EXCEPTIONS_PREFIX}{author}")
}

/// The position of a photo in a feed. Positions are in the order of the sort keys of entries.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// The time of the upload.
    pub timestamp: Timestamp,
    /// The owner of the photo.
    pub author: Username,
}

/// An item in a reader's feed, as its sort key says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InFeed {
    /// An entry.
    Entry(Position),
    /// A pull of this author.
    Pull(Username),
}

impl InFeed {
    /// Returns what an item is that lies after [`BEFORE_ENTRIES`] in a reader's partition.
    pub fn of(item: &Item) -> Result<Self, Error> {
        let sk = item.get(SK).and_then(|sk| sk.as_s().ok()).map_or("", String::as_str);
        let author = |text: &str| text.parse().ok();
        let found = match sk.strip_prefix(PULL_PREFIX) {
            Some(rest) => author(rest).map(Self::Pull),
            None => sk.split_once('#').and_then(|(timestamp, rest)| {
                Some(Self::Entry(Position { timestamp: timestamp.parse().ok()?, author: author(rest)? }))
            }),
        };
        found.ok_or_else(|| Error::internal(format!("the sort key {sk:?} is not that of an entry or a pull")))
    }
}

/// Returns the reader of an item that says to whom the photos of an author go: a [`Friendship`] with the author, or an
/// exception.
pub fn reader_of(item: Item) -> Result<Username, Error> {
    match item.get(SK).map(AttributeValue::as_s) {
        Some(Ok(reader)) => {
            reader.parse().map_err(|_| Error::internal(format!("the exception {reader:?} has no reader")))
        }
        _ => Ok(entity::from_item::<Friendship>(item)?.following_user),
    }
}

/// Returns the item of an entry that is written now. It expires after [`ENTRY_LIFETIME_SECONDS`].
#[must_use]
pub fn entry_item(reader: &Username, position: &Position) -> Item {
    let mut item = Item::from(Key::entry(reader, position));
    let expiry = EpochMillis::now().seconds() + ENTRY_LIFETIME_SECONDS;
    item.insert(TTL.to_owned(), N(expiry.to_string()));
    item
}

/// The newest photos of an author that are or were ready, and the way in which they reach the followers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latest {
    /// The author.
    pub author: Username,
    /// The timestamps of the photos, at most about [`MAX_LATEST`]. DynamoDB has no empty set, so the attribute is absent then.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", with = "serde_dynamo::string_set")]
    pub photos: BTreeSet<Timestamp>,
    /// The way in which the photos reach the followers.
    #[serde(default, skip_serializing_if = "Delivery::is_push")]
    pub delivery: Delivery,
    /// The follower up to whom, in the order of names, all have a pull or an exception, while the author is being converted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub converted: Option<Username>,
}

impl Latest {
    /// Returns the [`Latest`] that an item holds, or `None` if it has no author. process-changes has written such an item after
    /// finish-deletion had deleted the author's: it says nothing.
    pub fn from_item(item: Item) -> Result<Option<Self>, Error> {
        item.contains_key("author").then(|| entity::from_item(item)).transpose()
    }
}

/// The way in which the photos of an author reach the followers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Delivery {
    /// Each photo is pushed to all followers. No follower has a pull or an exception.
    #[default]
    Push,
    /// The author has more followers than photos are pushed to, and each of them is being given a pull or an exception.
    Converting,
    /// All followers have a pull or an exception. Photos are pushed to those with an exception.
    Pull,
    /// Each photo is pushed to all followers. Those who followed before have a pull or an exception still.
    PushAgain,
}

impl Delivery {
    /// Returns whether the delivery is that of an author who has never had too many followers. Their [`Latest`] does not
    /// have the attribute.
    #[must_use]
    pub fn is_push(&self) -> bool {
        *self == Self::Push
    }
}
