//! The newest photos of an author, and the way in which they reach the followers.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::dynamodb::{Item, entity};
use crate::values::{Timestamp, Username};

/// The newest photos of an author that are or were ready, and the way in which they reach the followers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latest {
    /// The author.
    pub author: Username,
    /// The timestamps of the photos, at most about [`MAX_LATEST`](super::MAX_LATEST). DynamoDB has no empty set, so the attribute is absent then.
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
