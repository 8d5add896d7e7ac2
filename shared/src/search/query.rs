//! Search queries: their syntax, the terms that they read, and the match of a title.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use super::words::{MAX_TERM_CHARS, Word, pairs, prefix};
use crate::values::fold::{fold, fold_for_search};
use crate::values::{DataType, InvalidValue, TagName, Value};

/// The maximum length of a query in characters.
pub(super) const MAX_QUERY_CHARS: usize = 200;

/// A search query. A favorite is found if all words, tags and types of the query match it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Query {
    words: BTreeSet<Word>,
    /// The tags, written `tag:NAME`, or `tag:"NAME"` if the name has spaces. Sorted by folded name,
    /// without duplicates.
    pub tags: Vec<TagName>,
    /// The types, written `type:NAME`.
    pub types: BTreeSet<DataType>,
}

impl Query {
    /// Returns the terms to read. The favorites under all of them include every favorite that the
    /// words match, and may include others: a word longer than four characters is read by its
    /// prefix, and a run of a script without spaces by its pairs of adjacent characters.
    #[must_use]
    pub fn terms(&self) -> BTreeSet<String> {
        let mut terms = BTreeSet::new();
        for word in &self.words {
            match word {
                Word::Separated(word) => {
                    terms.insert(prefix(word, MAX_TERM_CHARS).to_owned());
                }
                Word::Continuous(word) if word.chars().nth(1).is_none() => {
                    terms.insert(word.clone());
                }
                Word::Continuous(word) => terms.extend(pairs(word)),
            }
        }
        terms
    }

    /// Returns whether the words and types of the query match a favorite. The tags are not checked.
    #[must_use]
    pub fn matches(&self, title: &str, data_type: DataType) -> bool {
        let title = Word::all(&fold_for_search(title));
        self.words.iter().all(|word| title.iter().any(|other| word.matches(other)))
            && self.types.iter().all(|wanted| *wanted == data_type)
    }
}

/// Writes the canonical text: equivalent queries have the same one.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.words.iter().map(|(Word::Separated(word) | Word::Continuous(word))| word.clone());
        let tags = self.tags.iter().map(|name| format!("tag:\"{}\"", name.folded().replace('"', "\"\"")));
        let types = self.types.iter().map(|data_type| format!("type:{data_type}"));
        f.write_str(&words.chain(tags).chain(types).collect::<Vec<_>>().join(" "))
    }
}

impl Value for Query {
    const RULE: &'static str = "1–200 characters with at least one word, tag:NAME or type:NAME, where a NAME with spaces \
                                is in double quotes, in which a double quote is written twice, and the NAME of a type \
                                is one of image, video, link, file, music, chat, voice, note, position";
}

/// The schema does not say that at least one word, tag or type is needed.
#[cfg(feature = "schema")]
impl schemars::JsonSchema for Query {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SearchQuery".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": format!("A value must be {}.", Self::RULE),
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_QUERY_CHARS,
            "examples": ["lisb tag:travel"],
        })
    }
}

impl TryFrom<String> for Query {
    type Error = InvalidValue;

    fn try_from(text: String) -> Result<Self, InvalidValue> {
        text.parse()
    }
}

impl FromStr for Query {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let invalid = InvalidValue::new::<Self>();
        if text.chars().count() > MAX_QUERY_CHARS {
            return Err(invalid);
        }
        let mut query = Self { words: BTreeSet::new(), tags: vec![], types: BTreeSet::new() };
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (part, after) = split_part(rest).ok_or(invalid)?;
            match part {
                Part::Tag(name) => query.tags.push(name.parse()?),
                Part::Type(name) => {
                    query.types.insert(fold(&name).parse().map_err(|_| invalid)?);
                }
                Part::Words(words) => query.words.extend(Word::all(&fold_for_search(words))),
            }
            rest = after.trim_start();
        }
        query.tags.sort_by_key(TagName::folded);
        query.tags.dedup_by_key(|name| name.folded());
        if query.words.is_empty() && query.tags.is_empty() && query.types.is_empty() {
            return Err(invalid);
        }
        Ok(query)
    }
}

/// A part of a query, without its quotes.
enum Part<'a> {
    Tag(String),
    Type(String),
    Words(&'a str),
}

/// Splits a text that does not begin with a space into its first part and the rest. Returns `None`
/// if a double quote is not closed.
fn split_part(text: &str) -> Option<(Part<'_>, &str)> {
    let until_space = |text: &str| text.find(char::is_whitespace).unwrap_or(text.len());
    let named = |name: &str| -> Option<usize> {
        let given = text.get(..name.len())?;
        given.eq_ignore_ascii_case(name).then_some(name.len())
    };
    let Some((begin, is_tag)) = named("tag:").map(|n| (n, true)).or_else(|| named("type:").map(|n| (n, false))) else {
        let (words, after) = text.split_at(until_space(text));
        return Some((Part::Words(words), after));
    };
    let (name, after) = if let Some(quoted) = text[begin..].strip_prefix('"') {
        let end = closing_quote(quoted)?;
        (quoted[..end].replace("\"\"", "\""), &quoted[end + 1..])
    } else {
        let (name, after) = text[begin..].split_at(until_space(&text[begin..]));
        (name.to_owned(), after)
    };
    Some((if is_tag { Part::Tag(name) } else { Part::Type(name) }, after))
}

/// Returns the position of the first double quote that is not doubled.
fn closing_quote(text: &str) -> Option<usize> {
    let mut begin = 0;
    loop {
        let quote = begin + text[begin..].find('"')?;
        if !text[quote + 1..].starts_with('"') {
            return Some(quote);
        }
        begin = quote + 2;
    }
}
