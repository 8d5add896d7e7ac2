//! The count of a user's tags.

use super::key::Key;
use crate::values::Username;

/// The prefix of the partition keys of the counts of tags. The owner follows.
pub const TAG_COUNT_PREFIX: &str = "TagCount#";

impl Key {
    /// Returns the key of the item that counts the tags of a user. Its attributes are `tags`, the
    /// number of tags, and `deletions`, the number of tags deleted so far.
    ///
    /// If another program wrote the tags, there is no such item until this one creates or deletes a
    /// tag.
    #[must_use]
    pub fn tag_count(owner: &Username) -> Self {
        Self::of_favorite(tag_count_pk(owner), "TagCount".to_owned())
    }
}

/// Returns the partition key of the tag count of a user.
#[must_use]
pub fn tag_count_pk(owner: &Username) -> String {
    format!("{TAG_COUNT_PREFIX}{owner}")
}
