//! Hidden hashtags, and the decisions of moderators about hashtags. A hashtag has both in one partition.

use serde::{Deserialize, Serialize};

use super::key::Key;
use crate::Error;
use crate::dynamodb::{Item, entity};
use crate::values::{DecisionNote, Hashtag, HashtagDecisionKind, Subject, Timestamp, Username};

/// The prefix of the partition keys of hidden hashtags and of decisions about hashtags. The hashtag follows.
pub(super) const MODERATED_HASHTAG_PREFIX: &str = "HASHTAG#";
/// The prefix of the sort keys of decisions about hashtags. The time follows.
pub(super) const HASHTAG_DECISION_PREFIX: &str = "#DECISION#";
/// The prefix of the sort keys of hidden hashtags, which sort after the decisions. The hashtag follows.
pub(super) const HIDDEN_HASHTAG_PREFIX: &str = "#HIDDEN#";

/// A hashtag that nobody finds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HiddenHashtag {
    /// The hashtag.
    pub hashtag: Hashtag,
    /// The time of the decision.
    pub timestamp: Timestamp,
}

/// A decision of a moderator about a hashtag. Nothing changes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HashtagDecision {
    /// The hashtag.
    pub hashtag: Hashtag,
    /// The decision.
    pub decision: HashtagDecisionKind,
    /// The moderator's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<DecisionNote>,
    /// The moderator.
    pub moderator: Username,
    /// The account of the moderator, because another account may have the username later.
    pub moderator_account: Subject,
    /// The time of the decision.
    pub timestamp: Timestamp,
    /// The time at which the decision [expires](super::Decision::expiry), in seconds since 1970.
    pub ttl: u64,
}

impl HiddenHashtag {
    /// Returns the item of the hidden hashtag.
    pub fn item(&self) -> Result<Item, Error> {
        entity::to_item(Key::hidden_hashtag(&self.hashtag), self)
    }
}

impl HashtagDecision {
    /// Returns the item of the decision.
    pub fn item(&self) -> Result<Item, Error> {
        entity::to_item(Key::hashtag_decision(&self.hashtag, &self.timestamp), self)
    }
}

impl Key {
    /// Returns the key of a [`HiddenHashtag`](super::HiddenHashtag).
    #[must_use]
    pub fn hidden_hashtag(hashtag: &Hashtag) -> Self {
        Self::of_photos(moderated_hashtag_pk(hashtag), format!("{HIDDEN_HASHTAG_PREFIX}{hashtag}"))
    }

    /// Returns the key of a [`HashtagDecision`](super::HashtagDecision).
    #[must_use]
    pub fn hashtag_decision(hashtag: &Hashtag, timestamp: &Timestamp) -> Self {
        Self::of_photos(moderated_hashtag_pk(hashtag), format!("{HASHTAG_DECISION_PREFIX}{timestamp}"))
    }
}

/// Returns the partition key of a hidden hashtag and of the decisions about it.
#[must_use]
pub fn moderated_hashtag_pk(hashtag: &Hashtag) -> String {
    format!("{MODERATED_HASHTAG_PREFIX}{hashtag}")
}
