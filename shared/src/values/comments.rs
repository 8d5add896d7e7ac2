//! The values of comments.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::macros::{string_conversions, text_value};
#[cfg(feature = "schema")]
use super::users::USERNAME_IN_ID;
use super::{InvalidValue, Timestamp, Username, Value};

text_value! {
    /// The text of a comment.
    CommentText: LINES, "a string of " 1..=1000 " characters, at least one of them visible",
    {"pattern": super::text::TEXT_PATTERN, "examples": ["Where is this, @ada?"]}
}

/// The id of a comment among those on its photo: its time and its author. Its text joins them by
/// `~`, which is in neither of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CommentId {
    /// The time of the comment.
    pub timestamp: Timestamp,
    /// The author.
    pub author: Username,
}

impl Value for CommentId {
    const RULE: &'static str = "the id of a comment like 2026-01-31T09:30:00.123Z~ada";
}

impl FromStr for CommentId {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let parts = text.split_once('~');
        parts
            .and_then(|(timestamp, author)| {
                Some(Self { timestamp: timestamp.parse().ok()?, author: author.parse().ok()? })
            })
            .ok_or_else(InvalidValue::new::<Self>)
    }
}

string_conversions!(CommentId);

impl fmt::Display for CommentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}~{}", self.timestamp, self.author)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for CommentId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CommentId".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let timestamp = super::timestamps::PATTERN.trim_end_matches('$');
        schemars::json_schema!({
            "type": "string",
            "description": format!("A value must be {}.", Self::RULE),
            "pattern": format!("{timestamp}~{USERNAME_IN_ID}$"),
            "examples": ["2026-01-31T09:30:00.123Z~ada"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_comment_is_its_time_and_its_author() {
        for text in ["2026-01-31T09:30:00.123Z~ada", "2024-06-02T09:30:00~a.b_c-d"] {
            let id: CommentId = text.parse().unwrap();
            assert_eq!(format!("{}~{}", id.timestamp, id.author), text);
            assert_eq!(id.to_string(), text);
            assert_eq!(serde_json::to_value(&id).unwrap(), text);
            assert_eq!(serde_json::from_value::<CommentId>(text.into()).unwrap(), id);
        }
        for bad in [
            "",
            "~",
            "2026-01-31T09:30:00.123Z",
            "2026-01-31T09:30:00.123Z~",
            "~ada",
            "2026-01-31~ada",
            "2026-01-31T09:30:00.123Z~Ada",
            "2026-01-31T09:30:00.123Z~ada~",
            "2026-01-31T09:30:00.123Z#ada",
            "ada~2026-01-31T09:30:00.123Z",
        ] {
            assert!(bad.parse::<CommentId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_comment_has_several_lines_and_a_visible_character() {
        let is_valid = |text: &str| text.parse::<CommentText>().is_ok();
        for good in ["x", "Two\nlines", "😀", &"ü".repeat(1000)] {
            assert!(is_valid(good), "{good}");
        }
        for (sent, stored) in [("a\r\nb\rc\td", "a\nb\nc d"), ("a\nb", "a\nb")] {
            assert_eq!(sent.parse::<CommentText>().unwrap().as_ref(), stored);
        }
        for bad in ["", " \n ", "\u{200b}", "a\u{0}b", "a\u{2028}b", &"x".repeat(1001)] {
            assert!(!is_valid(bad), "{bad:?}");
        }
    }
}
