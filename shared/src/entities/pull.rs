//! The pulls in feeds: the authors and the hashtags whose newest photos a reader looks up.

use std::collections::BTreeSet;

use super::feed_entry::feed_pk;
use super::followed_hashtags::FollowedHashtags;
use super::key::{FEED_SK, Key};
use super::position::Position;
use crate::Error;
use crate::dynamodb::{Item, entity};
use crate::values::{Hashtag, Username};

/// The prefix of the sort keys of pulls. It sorts after all entries.
pub const PULL_PREFIX: &str = "PULL#";
/// The sort key of the count of pulls.
pub(super) const PULL_COUNT: &str = "#PULLS";
/// The sort key of the pulled hashtags. It sorts after all pulls, and is the last one of a feed.
pub const PULLED_HASHTAGS: &str = "TAGS";
/// The maximum number of pulls of a reader. A page reads the [`Latest`](super::Latest) of all of
/// these authors with one `BatchGetItem`. For further authors, the reader becomes an exception and
/// gets entries.
pub const MAX_PULLS: u8 = 50;

impl Key {
    /// Returns the key of a pull.
    #[must_use]
    pub fn pull(reader: &Username, author: &Username) -> Self {
        Self::of_feed(feed_pk(reader), format!("{PULL_PREFIX}{author}"))
    }

    /// Returns the key of the count of a reader's pulls, in the attribute `pulls`.
    #[must_use]
    pub fn pull_count(reader: &Username) -> Self {
        Self::of_feed(feed_pk(reader), PULL_COUNT.to_owned())
    }

    /// Returns the key of the copy of the [`FollowedHashtags`](super::FollowedHashtags) in the feed of
    /// their user.
    #[must_use]
    pub fn pulled_hashtags(reader: &Username) -> Self {
        Self::of_feed(feed_pk(reader), PULLED_HASHTAGS.to_owned())
    }
}

/// An item in a reader's feed, as its sort key says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InFeed {
    /// An entry.
    Entry(Position),
    /// A pull of this author.
    Pull(Username),
    /// The pulled hashtags.
    Hashtags(BTreeSet<Hashtag>),
}

impl InFeed {
    /// Returns what an item is that lies after [`BEFORE_ENTRIES`](super::BEFORE_ENTRIES) in a
    /// reader's partition.
    pub fn from_item(item: &Item) -> Result<Self, Error> {
        let sk = item.get(FEED_SK).and_then(|sk| sk.as_s().ok()).map_or("", String::as_str);
        if sk == PULLED_HASHTAGS {
            let FollowedHashtags { hashtags } = entity::from_item(item.clone())?;
            return Ok(Self::Hashtags(hashtags));
        }
        let author = |text: &str| text.parse().ok();
        let found = match sk.strip_prefix(PULL_PREFIX) {
            Some(rest) => author(rest).map(Self::Pull),
            None => sk.split_once('#').and_then(|(photo, rest)| {
                Some(Self::Entry(Position { id: photo.parse().ok()?, author: author(rest)? }))
            }),
        };
        found.ok_or_else(|| Error::internal(format!("the sort key {sk:?} is not that of an entry or a pull")))
    }
}
