//! The terms of a title.

use std::collections::HashSet;

use super::words::{MAX_TERM_CHARS, Word, is_mark, pairs, prefix};
use crate::values::fold::fold_for_search;

/// The maximum number of write units that the terms of one title cost. Without it, a title of 200
/// different Chinese characters would cost 399, and a few hundred of them would delay the search of
/// all users.
pub(super) const MAX_WRITE_UNITS: usize = 60;
/// The size in bytes of a term's item without the title, at most: the names of its attributes, and
/// the longest username, term, id, type and time. DynamoDB takes a write unit [for each
/// KB](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html)
/// of an item.
const MAX_BYTES_BESIDE_TITLE: usize = 400;

/// Returns the terms under which a favorite with this title is found, without duplicates.
///
/// They cost at most [`MAX_WRITE_UNITS`]. So a title with more than 60 terms is found by the first
/// 60 only, and one of more than 624 bytes by fewer, because the item of each of its terms takes
/// several units. The most important terms are first:
///
/// 1. The longest term of each separated word, so that every word that is written out finds the
///    favorite.
/// 2. The pairs of adjacent characters of the other scripts, which longer queries need.
/// 3. The shorter prefixes, of 3, 2 and 1 characters, and the single characters. Only queries of
///    fewer than four letters, or of a single character, need them.
///
/// Within each group the terms are in the order of the title.
#[must_use]
pub fn terms(title: &str) -> Vec<String> {
    let words = Word::all(&fold_for_search(title));
    let mut terms: Vec<String> = vec![];
    for word in &words {
        if let Word::Separated(word) = word {
            terms.push(prefix(word, MAX_TERM_CHARS).to_owned());
        }
    }
    for word in &words {
        if let Word::Continuous(word) = word {
            terms.extend(pairs(word));
        }
    }
    for chars in (1..MAX_TERM_CHARS).rev() {
        for word in &words {
            match word {
                Word::Separated(word) => terms.push(prefix(word, chars).to_owned()),
                // No query can consist of a mark alone.
                Word::Continuous(word) if chars == 1 => {
                    terms.extend(word.chars().filter(|c| !is_mark(*c)).map(String::from));
                }
                Word::Continuous(_) => {}
            }
        }
    }
    let mut seen = HashSet::new();
    terms.retain(|term| seen.insert(term.clone()));
    terms.truncate(MAX_WRITE_UNITS / (MAX_BYTES_BESIDE_TITLE + title.len()).div_ceil(1024));
    terms
}
