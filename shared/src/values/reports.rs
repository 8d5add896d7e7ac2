//! The values of reports.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

#[cfg(feature = "schema")]
use super::comments::comment_id_pattern;
use super::macros::{choice_value, string_conversions, text_value};
#[cfg(feature = "schema")]
use super::users::USERNAME_IN_ID;
use super::{CommentId, InvalidValue, PhotoId, Username, Value};

choice_value! {
    /// The rule that a reported photo, comment or user breaks.
    ReportReason,
    /// Unwanted advertising.
    Spam = "spam",
    /// Nudity or sexual content.
    Nudity = "nudity",
    /// Violence or threats.
    Violence = "violence",
    /// Harassment of a person.
    Harassment = "harassment",
    /// Hate against a group of people.
    Hate = "hate",
    /// Self-harm or suicide.
    SelfHarm = "self-harm",
    /// Something that the law forbids, such as the work of somebody else.
    Illegal = "illegal",
    /// Another reason, which the text tells.
    Other = "other",
}

choice_value! {
    /// The kinds of decisions of a moderator about a report.
    DecisionKind,
    /// Nobody but the owner sees the photo or the comment, or these pictures of the photo, any more.
    Remove = "remove",
    /// The photo is sensitive.
    Mark = "mark",
    /// The photo or the comment stays as its owner made it, or is so again.
    Dismiss = "dismiss",
    /// The last decision is taken back, so that the report waits again. The photo or the comment is as its owner made it again.
    Reopen = "reopen",
}

choice_value! {
    /// The kinds of decisions of a moderator about a hashtag.
    HashtagDecisionKind,
    /// Nobody finds the hashtag any more, and its list is empty.
    Hide = "hide",
    /// The hashtag is found again.
    Show = "show",
}

choice_value! {
    /// The state of a report.
    #[derive(Default)]
    ReportState,
    /// The report waits for a decision.
    #[default]
    Open = "open",
    /// A moderator has removed the photo or the comment.
    Removed = "removed",
    /// A moderator has removed some of the pictures of the photo, which shows the others.
    PartlyRemoved = "partly-removed",
    /// A moderator has marked the photo as sensitive.
    Marked = "marked",
    /// A moderator has dismissed the report.
    Dismissed = "dismissed",
}

text_value! {
    /// The words of a user about the photo, the comment or the user that they report.
    ReportText: LINES, "a string of " 1..=500 " characters, at least one of them visible",
    {"pattern": super::text::TEXT_PATTERN, "examples": ["This is an advertisement for a casino."]}
}

text_value! {
    /// The words of a moderator about a decision, for other moderators.
    DecisionNote: LINES, "a string of " 1..=1000 " characters, at least one of them visible",
    {"pattern": super::text::TEXT_PATTERN, "examples": ["The photo shows a licensed print."]}
}

/// The id of a report: what it is about. Its text joins the parts by `~`, which is in none of them.
/// A comment needs two of them more than a photo, because its id has one itself, and a reply four.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ReportId {
    /// A report about a user.
    User(Username),
    /// A report about the photo of a user.
    Photo(Username, PhotoId),
    /// A report about a comment on the photo of a user.
    Comment(Username, PhotoId, CommentId),
}

impl ReportId {
    /// Returns the user whom the report is about: the user, the owner of the photo or the author of
    /// the comment.
    #[must_use]
    pub const fn reported_user(&self) -> &Username {
        match self {
            Self::User(user) | Self::Photo(user, _) | Self::Comment(.., CommentId { author: user, .. }) => user,
        }
    }
}

impl Value for ReportId {
    const RULE: &'static str = "the id of a report like ada~2024-05-30T15:42:38";
}

impl FromStr for ReportId {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let parse = || {
            let mut parts = text.splitn(3, '~');
            let user = parts.next()?.parse().ok()?;
            let Some(photo) = parts.next() else { return Some(Self::User(user)) };
            let photo = photo.parse().ok()?;
            let Some(comment) = parts.next() else { return Some(Self::Photo(user, photo)) };
            Some(Self::Comment(user, photo, comment.parse().ok()?))
        };
        parse().ok_or_else(InvalidValue::new::<Self>)
    }
}

string_conversions!(ReportId);

impl fmt::Display for ReportId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(user) => write!(f, "{user}"),
            Self::Photo(user, photo) => write!(f, "{user}~{photo}"),
            Self::Comment(user, photo, comment) => write!(f, "{user}~{photo}~{comment}"),
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ReportId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ReportId".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let timestamp = super::timestamps::PATTERN.trim_start_matches('^').trim_end_matches('$');
        schemars::json_schema!({
            "type": "string",
            "description": format!("A value must be {}.", Self::RULE),
            "pattern": format!("^{USERNAME_IN_ID}(~{timestamp}(~{})?)?$", comment_id_pattern()),
            "examples": ["ada~2024-05-30T15:42:38"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_report_is_what_it_is_about() {
        let photo = "ada~2024-05-30T15:42:38";
        for (text, reported) in
            [("ada", "ada"), (photo, "ada"), (&format!("{photo}~2026-01-31T09:30:00.123Z~ben"), "ben")]
        {
            let id: ReportId = text.parse().unwrap();
            assert_eq!((id.to_string().as_str(), id.reported_user().as_ref()), (text, reported));
            assert_eq!(serde_json::from_value::<ReportId>(serde_json::to_value(&id).unwrap()).unwrap(), id);
        }
        for bad in [
            "",
            "~",
            "Ada",
            "ada~",
            "ada~2024",
            &format!("{photo}~"),
            &format!("{photo}~ben"),
            &format!("{photo}~2026-01-31T09:30:00.123Z~ben~x"),
        ] {
            assert!(bad.parse::<ReportId>().is_err(), "{bad}");
        }
    }
}
