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

/// The id of a comment among those on its photo: its time and its author, and for a reply before
/// them the id of the comment that it answers. Its text joins them by `~`, which is in none of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CommentId {
    /// The comment that a reply answers, which is no reply itself.
    pub reply_to: Option<Box<Self>>,
    /// The time of the comment.
    pub timestamp: Timestamp,
    /// The author.
    pub author: Username,
}

impl CommentId {
    /// Returns the id of a comment that is no reply.
    #[must_use]
    pub const fn new(timestamp: Timestamp, author: Username) -> Self {
        Self { reply_to: None, timestamp, author }
    }

    /// Returns the author, and that of the comment that a reply answers.
    pub fn authors(&self) -> impl Iterator<Item = &Username> {
        [&self.author].into_iter().chain(self.reply_to.iter().map(|answered| &answered.author))
    }

    /// Returns the id of a reply to this comment.
    #[must_use]
    pub fn reply(self, timestamp: Timestamp, author: Username) -> Self {
        Self { reply_to: Some(Box::new(self)), timestamp, author }
    }
}

impl Value for CommentId {
    const RULE: &'static str = "the id of a comment like 2026-01-31T09:30:00.123Z~ada";
}

impl FromStr for CommentId {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let parse = || {
            let parts: Vec<&str> = text.split('~').collect();
            match parts.as_slice() {
                [timestamp, author] => Some(Self::new(timestamp.parse().ok()?, author.parse().ok()?)),
                [first, second, timestamp, author] => {
                    let answered = Self::new(first.parse().ok()?, second.parse().ok()?);
                    Some(answered.reply(timestamp.parse().ok()?, author.parse().ok()?))
                }
                _ => None,
            }
        };
        parse().ok_or_else(InvalidValue::new::<Self>)
    }
}

string_conversions!(CommentId);

impl fmt::Display for CommentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(answered) = &self.reply_to {
            write!(f, "{answered}~")?;
        }
        write!(f, "{}~{}", self.timestamp, self.author)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for CommentId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CommentId".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": format!("A value must be {}. The id of a reply has that of its comment before its own.", Self::RULE),
            "pattern": format!("^{}$", comment_id_pattern()),
            "examples": ["2026-01-31T09:30:00.123Z~ada"],
        })
    }
}

/// The id of a comment that is no reply, which replies answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct AnsweredComment(pub CommentId);

impl TryFrom<String> for AnsweredComment {
    type Error = InvalidValue;

    fn try_from(text: String) -> Result<Self, InvalidValue> {
        text.parse()
    }
}

impl Value for AnsweredComment {
    const RULE: &'static str = "the id of a comment that is no reply, like 2026-01-31T09:30:00.123Z~ada";
}

impl FromStr for AnsweredComment {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let id: Option<CommentId> = text.parse().ok();
        id.filter(|id| id.reply_to.is_none()).map(Self).ok_or_else(InvalidValue::new::<Self>)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for AnsweredComment {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "AnsweredComment".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": format!("A value must be {}.", Self::RULE),
            "pattern": format!("^{}~{USERNAME_IN_ID}$", timestamp_pattern()),
            "examples": ["2026-01-31T09:30:00.123Z~ada"],
        })
    }
}

#[cfg(feature = "schema")]
fn timestamp_pattern() -> &'static str {
    super::timestamps::PATTERN.trim_start_matches('^').trim_end_matches('$')
}

/// Returns the pattern of the id of a comment or a reply, as a part of a longer text.
#[cfg(feature = "schema")]
pub(super) fn comment_id_pattern() -> String {
    let timestamp = timestamp_pattern();
    format!("{timestamp}~{USERNAME_IN_ID}(~{timestamp}~{USERNAME_IN_ID})?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_reply_begins_with_that_of_its_comment() {
        let comment: CommentId = "2026-01-31T09:30:00.123Z~ada".parse().unwrap();
        let reply = comment.clone().reply("2026-02-01T00:00:00.000Z".parse().unwrap(), "ben".parse().unwrap());
        assert_eq!(reply.to_string(), "2026-01-31T09:30:00.123Z~ada~2026-02-01T00:00:00.000Z~ben");
        assert_eq!(reply.to_string().parse::<CommentId>().unwrap(), reply);
        assert!(format!("{reply}~2026-02-01T00:00:00.000Z~ben").parse::<CommentId>().is_err(), "one level");
    }

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
