//! The entries of feeds: the photos of the authors whom a reader follows.

use aws_sdk_dynamodb::types::AttributeValue::N;

use super::key::Key;
use super::position::Position;
use crate::dynamodb::Item;
use crate::dynamodb::expiry::TTL;
use crate::values::{EpochMillis, Username};

/// The prefix of the partition keys of feeds. The reader follows.
pub const FEED_PREFIX: &str = "Feed#";
/// A sort key before those of all entries, and after the pull count.
pub const BEFORE_ENTRIES: &str = "0";
/// The number of photos of an author that a new follower gets, the newest ones.
pub const BACKFILL: usize = 25;
/// The time for which a feed keeps an entry, in seconds: 30 days.
pub const ENTRY_LIFETIME_SECONDS: u64 = 30 * 24 * 60 * 60;

impl Key {
    /// Returns the key of an entry.
    #[must_use]
    pub fn entry(reader: &Username, position: &Position) -> Self {
        Self::of_feed(feed_pk(reader), format!("{}#{}", position.id, position.author))
    }
}

/// Returns the partition key of everything in a reader's feed.
#[must_use]
pub fn feed_pk(reader: &Username) -> String {
    format!("{FEED_PREFIX}{reader}")
}

/// Returns the item of an entry that is written now. It expires after [`ENTRY_LIFETIME_SECONDS`].
#[must_use]
pub fn entry_item(reader: &Username, position: &Position) -> Item {
    let mut item = Item::from(Key::entry(reader, position));
    let expiry = EpochMillis::now().seconds() + ENTRY_LIFETIME_SECONDS;
    item.insert(TTL.to_owned(), N(expiry.to_string()));
    item
}
