//! The newest photos of an author, and the way in which they reach the followers.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::key::Key;
use crate::values::{PhotoId, Username};

/// The prefix of the partition keys of [`Latest`](super::Latest). The author follows.
pub const LATEST_PREFIX: &str = "Latest#";
/// The number of photos that a [`Latest`](super::Latest) keeps. With fan-out on read, a reader
/// finds that many photos of an author.
pub const MAX_LATEST: usize = 300;

/// The newest photos of an author that are or were ready, and the way in which they reach the
/// followers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latest {
    /// The author.
    pub author: Username,
    /// The ids of the photos, at most about [`MAX_LATEST`](super::MAX_LATEST). The attribute
    /// is absent if there is none, because DynamoDB has no empty set.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", with = "serde_dynamo::string_set")]
    pub photos: BTreeSet<PhotoId>,
    /// The way in which the photos reach the followers.
    #[serde(default, skip_serializing_if = "Delivery::is_push")]
    pub delivery: Delivery,
    /// The last follower, in the order of names, who has been given a pull or an exception. Only an
    /// author who is being converted has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub converted: Option<Username>,
}

impl Key {
    /// Returns the key of a [`Latest`](super::Latest).
    #[must_use]
    pub fn latest(author: &Username) -> Self {
        Self::of_feed(latest_pk(author), "Latest".to_owned())
    }
}

/// Returns the partition key of the [`Latest`](super::Latest) of an author.
#[must_use]
pub fn latest_pk(author: &Username) -> String {
    format!("{LATEST_PREFIX}{author}")
}

/// The way in which the photos of an author reach the followers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Delivery {
    /// Fan-out on write: entries are written for all followers. No follower has a pull or an
    /// exception.
    #[default]
    Push,
    /// The change to fan-out on read: the author has too many followers, and each of them is being
    /// given a pull or an exception.
    Converting,
    /// Fan-out on read: all followers have a pull or an exception. Entries are written for those
    /// with an exception.
    Pull,
    /// Fan-out on write again: entries are written for all followers. Those who followed during
    /// fan-out on read still have a pull or an exception.
    PushAgain,
}

impl Delivery {
    /// Returns whether the author has always had fan-out on write. Such a [`Latest`] has no
    /// attribute `delivery`.
    #[must_use]
    pub fn is_push(&self) -> bool {
        *self == Self::Push
    }
}
