//! The terms of a title.

use std::collections::BTreeSet;

use super::words::{MAX_TERM_CHARS, Word, is_mark, pairs};
use crate::values::fold::fold;

/// Returns the terms under which a favorite with this title is found.
#[must_use]
pub fn terms(title: &str) -> BTreeSet<String> {
    let mut terms = BTreeSet::new();
    for word in Word::all(&fold(title)) {
        match word {
            Word::Separated(word) => {
                let prefix_ends = word.char_indices().map(|(start, c)| start + c.len_utf8());
                terms.extend(prefix_ends.take(MAX_TERM_CHARS).map(|end| word[..end].to_owned()));
            }
            Word::Continuous(word) => {
                // No query can consist of a mark alone.
                terms.extend(word.chars().filter(|c| !is_mark(*c)).map(String::from));
                terms.extend(pairs(&word));
            }
        }
    }
    terms
}
