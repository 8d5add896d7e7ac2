//! The text of a count in an item.

/// Returns the text of a count that an item may lack.
pub(super) fn stored_count(count: Option<i64>) -> String {
    count.map_or_else(|| "missing".to_owned(), |count| count.to_string())
}
