//! The sizes of keys that [DynamoDB
//! accepts](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-partition-sort-keys).

/// The maximum length of a partition key in bytes.
pub const MAX_PARTITION_KEY_BYTES: usize = 2048;
/// The maximum length of a sort key in bytes.
pub const MAX_SORT_KEY_BYTES: usize = 1024;

/// Returns whether a text can be a key of at most `max_bytes`.
///
/// The rules of [`Artist`](super::Artist), [`SongTitle`](super::SongTitle) and
/// [`Genre`](super::Genre) are stricter, but the items of other programs may have any such key.
#[must_use]
pub fn can_be_a_key(text: &str, max_bytes: usize) -> bool {
    (1..=max_bytes).contains(&text.len())
}
