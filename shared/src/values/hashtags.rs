//! The values of hashtags.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::fold::fold_for_search;
use super::macros::string_conversions;
use super::{InvalidValue, Value};
use crate::search::is_mark;

/// The maximum length of a hashtag in characters.
pub const MAX_HASHTAG_CHARS: usize = 50;

/// A hashtag without its `#`, [folded](fold_for_search): two that a search takes for the same are
/// equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Hashtag(String);

/// The beginning of a hashtag, folded as [`Hashtag`] is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct HashtagQuery(String);

impl Hashtag {
    /// Returns whether a character can be in a hashtag: a letter, a digit, a mark on one of them, or
    /// `_`.
    #[must_use]
    pub fn may_contain(c: char) -> bool {
        c.is_alphanumeric() || c == '_' || is_mark(c)
    }
}

impl HashtagQuery {
    /// Returns whether the query finds a hashtag.
    #[must_use]
    pub fn matches(&self, hashtag: &Hashtag) -> bool {
        hashtag.0.starts_with(&self.0)
    }
}

/// Returns the folded text if it can be the beginning of a hashtag.
fn beginning(text: &str) -> Option<String> {
    let folded = fold_for_search(text);
    let is_valid = (1..=MAX_HASHTAG_CHARS).contains(&folded.chars().count())
        && folded.chars().all(Hashtag::may_contain)
        // Folding removes most marks, and makes marks of some letters.
        && !text.starts_with(is_mark)
        && !folded.starts_with(is_mark);
    is_valid.then_some(folded)
}

impl Value for Hashtag {
    const RULE: &'static str = "1–50 letters, digits and _, with at least one letter and without the #";
}

impl FromStr for Hashtag {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let hashtag = beginning(text).filter(|hashtag| hashtag.contains(char::is_alphabetic));
        hashtag.map(Self).ok_or_else(InvalidValue::new::<Self>)
    }
}

string_conversions!(Hashtag);

impl AsRef<str> for Hashtag {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Hashtag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The schema does not say that a hashtag has a letter.
#[cfg(feature = "schema")]
impl schemars::JsonSchema for Hashtag {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Hashtag".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": format!("A value must be {}. Case and accents make no difference.", Self::RULE),
            "minLength": 1,
            "examples": ["lisboa"],
        })
    }
}

impl Value for HashtagQuery {
    const RULE: &'static str = "1–50 letters, digits and _, of which the first may be behind a #";
}

impl FromStr for HashtagQuery {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let text = text.strip_prefix('#').unwrap_or(text);
        beginning(text).map(Self).ok_or_else(InvalidValue::new::<Self>)
    }
}

impl TryFrom<String> for HashtagQuery {
    type Error = InvalidValue;

    fn try_from(text: String) -> Result<Self, InvalidValue> {
        text.parse()
    }
}

impl AsRef<str> for HashtagQuery {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// Writes the canonical text: equivalent queries have the same one.
impl fmt::Display for HashtagQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for HashtagQuery {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "HashtagQuery".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": format!("A value must be {}.", Self::RULE),
            "minLength": 1,
            "examples": ["lis"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hashtag_is_a_word_with_a_letter_that_is_folded() {
        for (text, hashtag) in [
            ("Lisboa", "lisboa"),
            ("CAFÉ", "cafe"),
            ("ＬＩＳＢＯＡ", "lisboa"),
            ("東京タワー", "東京タワー"),
            ("golden_hour", "golden_hour"),
            ("2024goals", "2024goals"),
            ("می\u{200c}خواهم", "میخواهم"),
            ("Straße", "strasse"),
            ("क्षमा", "क्षमा"),
        ] {
            let parsed: Hashtag = text.parse().unwrap();
            assert_eq!(parsed.as_ref(), hashtag);
            assert_eq!(hashtag.parse::<Hashtag>().unwrap(), parsed, "a stored hashtag is as it was");
        }
        for bad in ["", "#a", "1", "2024", "_", "_1", "a b", "a-b", "a.b", "\u{301}a", "ﷺ", "½a", "❤", &"a".repeat(51)]
        {
            assert!(bad.parse::<Hashtag>().is_err(), "{bad}");
        }
        // What folds to a mark.
        for bad in ["ﾟДﾟ", "ﾞД", "ำก", "ຳກ", "\u{200d}\u{309a}Д"] {
            assert!(bad.parse::<Hashtag>().is_err() && bad.parse::<HashtagQuery>().is_err(), "{bad}");
        }
        assert!("a".repeat(50).parse::<Hashtag>().is_ok());
    }

    #[test]
    fn a_query_is_the_beginning_of_a_hashtag() {
        let lisboa: Hashtag = "Lisboa".parse().unwrap();
        for (query, finds) in [("l", true), ("#LIS", true), ("lisboa", true), ("isboa", false), ("lisboa1", false)] {
            assert_eq!(query.parse::<HashtagQuery>().unwrap().matches(&lisboa), finds, "{query}");
        }
        assert!("2024".parse::<HashtagQuery>().is_ok());
        for bad in ["", "#", "##a", "a b", "-", &"a".repeat(51)] {
            assert!(bad.parse::<HashtagQuery>().is_err(), "{bad}");
        }
    }
}
