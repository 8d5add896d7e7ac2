//! The hashtags that users follow.
//!
//! All hashtags of a user are one item, so that one write keeps the maximum. process-changes copies it
//! into the feed of the user.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::key::{Key, SK, user_pk};
use crate::Error;
use crate::dynamodb::Item;
use crate::values::{Hashtag, Username};

/// The prefix of the sort keys of followed hashtags. The user follows. It sorts before those of the
/// user's followers, so that no list of a user reads it.
pub const FOLLOWED_HASHTAGS_PREFIX: &str = "#FOLLOWS#";
/// The attribute with the hashtags, a set.
pub const FOLLOWED_HASHTAGS: &str = "hashtags";
/// The maximum number of hashtags that a user follows. A page of a feed reads the newest photos of all
/// of them.
pub const MAX_FOLLOWED_HASHTAGS: usize = 20;

/// The hashtags that a user follows, or their copy in the feed of the user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowedHashtags {
    /// The hashtags, at most [`MAX_FOLLOWED_HASHTAGS`]. The attribute is absent if there is none,
    /// because DynamoDB has no empty set.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", with = "serde_dynamo::string_set")]
    pub hashtags: BTreeSet<Hashtag>,
}

impl Key {
    /// Returns the key of the [`FollowedHashtags`](super::FollowedHashtags) of a user.
    #[must_use]
    pub fn followed_hashtags(user: &Username) -> Self {
        Self::of_photos(user_pk(user), format!("{FOLLOWED_HASHTAGS_PREFIX}{user}"))
    }
}

/// Returns the user of [`FollowedHashtags`] from their key.
pub fn user_of_followed_hashtags(keys: &Item) -> Result<Username, Error> {
    let sk = keys.get(SK).and_then(|sk| sk.as_s().ok()).map_or("", String::as_str);
    let user = sk.strip_prefix(FOLLOWED_HASHTAGS_PREFIX).and_then(|user| user.parse().ok());
    user.ok_or_else(|| Error::internal(format!("the sort key {sk:?} is not that of followed hashtags")))
}
