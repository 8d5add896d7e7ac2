//! The keys of the table `<stage>.Feed`: attributes, prefixes, constructors, and maxima.

use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};

use super::inbox::Topic;
use super::position::Position;
use crate::Error;
use crate::dynamodb::expiry::TTL;
use crate::dynamodb::{Item, entity, key_attributes};
use crate::photos::Friendship;
use crate::values::{EpochMillis, Timestamp, Username};

/// The partition key.
pub const PK: &str = key_attributes::FEED[0];
/// The sort key.
pub const SK: &str = key_attributes::FEED[1];

/// The prefix of the partition keys of feeds. The reader follows.
pub const FEED_PREFIX: &str = "Feed#";
/// The prefix of the partition keys of [`Latest`](super::Latest). The author follows.
pub const LATEST_PREFIX: &str = "Latest#";
/// The prefix of the partition keys of exceptions. The author follows.
pub const EXCEPTIONS_PREFIX: &str = "Push#";
/// The prefix of the partition keys of engagements. The caller follows.
pub const ENGAGEMENTS_PREFIX: &str = "Engagement#";
/// The prefix of the partition keys of the lists of the directory. The beginning of a word follows.
pub const DIRECTORY_PREFIX: &str = "People#";
/// The prefix of the partition keys of inboxes. The user follows.
pub const INBOX_PREFIX: &str = "Inbox#";
/// The global secondary index of the notifications: [`PK`] is its partition key, and `changed` its
/// sort key. Other items are not in it, because they have no `changed`.
pub const INBOX_BY_TIME: &str = "InboxByTime";
/// The prefix of the partition keys of the vectors of photos. The owner follows.
pub const VECTORS_PREFIX: &str = "Vector#";
/// The vector index of the photos that everyone may see: it has the attribute
/// [`VECTOR`](super::VECTOR). [Other items are not in
/// it](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/VectorSearchStorage.html).
pub const PHOTOS_BY_LOOK: &str = "PhotosByLook";
/// The sort key of the time up to which a user has seen the inbox.
pub const SEEN: &str = "SEEN";
/// The prefix of the sort keys of pulls. It sorts after all entries.
pub const PULL_PREFIX: &str = "PULL#";
/// The prefix of the partition keys of exports. The user follows.
pub const EXPORT_PREFIX: &str = "Export#";
/// The prefix of the partition keys of imports. The user follows.
pub const IMPORT_PREFIX: &str = "Import#";
/// A sort key after those of all pulls: `$` follows `#`.
pub const AFTER_PULLS: &str = "PULL$";
/// A sort key before those of all entries, and after the pull count.
pub const BEFORE_ENTRIES: &str = "0";

/// The maximum number of pulls of a reader. A page reads the [`Latest`](super::Latest) of all of
/// these authors with one `BatchGetItem`. For further authors, the reader becomes an exception and
/// gets entries.
pub const MAX_PULLS: u8 = 50;
/// The number of timestamps that a [`Latest`](super::Latest) keeps. With fan-out on read, a reader
/// finds that many photos of an author.
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

    /// Returns the key of a [`Latest`](super::Latest).
    #[must_use]
    pub fn latest(author: &Username) -> Self {
        Self { pk: latest_pk(author), sk: "Latest".to_owned() }
    }

    /// Returns the key of an exception.
    #[must_use]
    pub fn exception(author: &Username, reader: &Username) -> Self {
        Self { pk: exceptions_pk(author), sk: reader.to_string() }
    }

    /// Returns the key of the [`Engagement`](super::Engagement) of a caller with a photo of
    /// `owner`.
    #[must_use]
    pub fn engagement(caller: &Username, owner: &Username, timestamp: &Timestamp) -> Self {
        Self { pk: engagements_pk(caller), sk: engagement_sk(owner, timestamp) }
    }

    /// Returns the key of a [`Notification`](super::Notification) in the inbox of a user.
    #[must_use]
    pub fn notification(user: &Username, topic: &Topic) -> Self {
        Self { pk: inbox_pk(user), sk: topic.to_string() }
    }

    /// Returns the key of the time up to which a user has seen the inbox, in the attribute `seen`.
    #[must_use]
    pub fn seen(user: &Username) -> Self {
        Self { pk: inbox_pk(user), sk: SEEN.to_owned() }
    }

    /// Returns the key of the [vector](super::vector_item) of a photo.
    #[must_use]
    pub fn vector(owner: &Username, timestamp: &Timestamp) -> Self {
        Self { pk: vectors_pk(owner), sk: timestamp.to_string() }
    }

    /// Returns the key of the [`Export`](super::Export) of a user. A user has one at most, so the
    /// condition of its put limits how often there is a new one.
    #[must_use]
    pub fn export(user: &Username) -> Self {
        Self { pk: format!("{EXPORT_PREFIX}{user}"), sk: "Export".to_owned() }
    }

    /// Returns the key of the [`Import`](super::Import) of a user. A user has one at most.
    #[must_use]
    pub fn import(user: &Username) -> Self {
        Self { pk: format!("{IMPORT_PREFIX}{user}"), sk: "Import".to_owned() }
    }

    /// Returns the key of a [`Listing`](super::Listing) of this rank and name in a list of the
    /// directory. A name has no `#`.
    #[must_use]
    pub fn listing(list: &str, rank: u32, name: &str, username: &Username) -> Self {
        Self { pk: directory_pk(list), sk: format!("{rank}#{name}#{username}") }
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

/// Returns the partition key of the [`Latest`](super::Latest) of an author.
#[must_use]
pub fn latest_pk(author: &Username) -> String {
    format!("{LATEST_PREFIX}{author}")
}

/// Returns the partition key of the exceptions of an author.
#[must_use]
pub fn exceptions_pk(author: &Username) -> String {
    format!("{EXCEPTIONS_PREFIX}{author}")
}

/// Returns the partition key of all engagements of a caller.
#[must_use]
pub fn engagements_pk(caller: &Username) -> String {
    format!("{ENGAGEMENTS_PREFIX}{caller}")
}

/// Returns the partition key of the inbox of a user.
#[must_use]
pub fn inbox_pk(user: &Username) -> String {
    format!("{INBOX_PREFIX}{user}")
}

/// Returns the partition key of the vectors of a user's photos.
#[must_use]
pub fn vectors_pk(owner: &Username) -> String {
    format!("{VECTORS_PREFIX}{owner}")
}

/// Returns the partition key of a list of the directory.
#[must_use]
pub fn directory_pk(list: &str) -> String {
    format!("{DIRECTORY_PREFIX}{list}")
}

/// Returns the sort key of all engagements with a photo.
#[must_use]
pub(super) fn engagement_sk(owner: &Username, timestamp: &Timestamp) -> String {
    format!("{owner}#{timestamp}")
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
    pub fn from_item(item: &Item) -> Result<Self, Error> {
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

/// Returns the reader whom an item names: the follower of a [`Friendship`] with the author, or an
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
