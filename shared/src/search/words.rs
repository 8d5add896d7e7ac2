//! Words: the split of a folded text, and the match of a word of a query with a word of a title.

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup, LineBreak};

use crate::values::fold::fold_for_search;

/// The maximum length of a term in characters. A longer word of a query is read by its prefix of
/// this length, and the rest is compared with the title.
///
/// A favorite costs a write unit for each term. Four letters tell most words apart, and a fifth
/// would cost as much as each of the others and spare a search only the favorites whose words
/// differ there.
pub(super) const MAX_TERM_CHARS: usize = 4;

/// Returns whether a character is a mark on the character before it.
///
/// Many marks count as alphabetic, but no word may begin with one: without its base character, a
/// mark of a script without spaces would become a separated word.
pub(crate) fn is_mark(c: char) -> bool {
    GeneralCategoryGroup::Mark.contains(CodePointMapData::<GeneralCategory>::new().get(c))
}

/// Returns whether a character belongs to a script that does not separate words by spaces.
pub(crate) fn is_continuous(c: char) -> bool {
    // The classes of https://www.unicode.org/reports/tr14/ for ideographs, for kana with their small
    // and repeated forms, and for the scripts of Southeast Asia whose lines break by dictionary.
    matches!(
        CodePointMapData::<LineBreak>::new().get(c),
        LineBreak::Ideographic
            | LineBreak::ConditionalJapaneseStarter
            | LineBreak::Nonstarter
            | LineBreak::ComplexContext
    )
}

/// A run of adjacent characters of a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Word {
    /// A word of a script that separates words by spaces.
    Separated(String),
    /// A run of a script that does not separate words.
    Continuous(String),
}

impl Word {
    /// Returns the words of a folded text, in order.
    pub(super) fn all(folded: &str) -> Vec<Self> {
        let mut words: Vec<Self> = vec![];
        let mut continues = false;
        for c in folded.chars() {
            let is_continuous = is_continuous(c);
            match words.last_mut() {
                Some(Self::Separated(word) | Self::Continuous(word)) if continues && is_mark(c) => word.push(c),
                _ if is_mark(c) || !c.is_alphanumeric() => continues = false,
                Some(Self::Continuous(word)) if continues && is_continuous => word.push(c),
                Some(Self::Separated(word)) if continues && !is_continuous => word.push(c),
                _ => {
                    words.push(if is_continuous { Self::Continuous(c.into()) } else { Self::Separated(c.into()) });
                    continues = true;
                }
            }
        }
        words
    }

    /// Returns whether this word of a query matches a word of a title.
    pub(super) fn matches(&self, title: &Self) -> bool {
        match (self, title) {
            (Self::Separated(word), Self::Separated(title)) => title.starts_with(word),
            (Self::Continuous(word), Self::Continuous(title)) => title.contains(word),
            _ => false,
        }
    }
}

/// Returns the folded words of a text, in order.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    Word::all(&fold_for_search(text)).into_iter().map(|(Word::Separated(word) | Word::Continuous(word))| word).collect()
}

/// Returns each pair of adjacent characters.
pub(super) fn pairs(word: &str) -> impl Iterator<Item = String> {
    word.chars().zip(word.chars().skip(1)).map(|(a, b)| String::from_iter([a, b]))
}

/// Returns the first `chars` characters of a word, or the whole word if it is shorter.
#[must_use]
pub fn prefix(word: &str, chars: usize) -> &str {
    word.char_indices().nth(chars).map_or(word, |(end, _)| &word[..end])
}
