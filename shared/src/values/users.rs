//! The values of users.

use serde::{Deserialize, Serialize};
use time::Date;
use time::macros::format_description;

use super::macros::text_value;
use super::text::{is_line, is_text};
use super::{InvalidValue, Value};

text_value! {
    /// The id of a user in paths, tokens and keys. It has no `#`, which separates the parts of a key.
    Username, "" 2..=32 " characters of a–z, 0–9, '.', '_' and '-', beginning with a letter or digit",
    |text| text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-'))
        && text.as_bytes()[0].is_ascii_alphanumeric(),
    {"pattern": "^[a-z0-9][a-z0-9._-]*$", "examples": ["ada"]}
}

text_value! {
    /// The display name of a user.
    Name, "a string of " 1..=100 " characters on one line, not only spaces",
    is_line,
    {"pattern": super::text::LINE_PATTERN, "examples": ["Ada Lovelace"]}
}

text_value! {
    /// An e-mail address. The maximum length is that of
    /// [RFC 5321](https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1.3).
    Email, "an e-mail address like name@example.com, of " 6..=254 " ASCII characters",
    |text| text.bytes().all(|b| b.is_ascii_graphic())
        && text.split_once('@').is_some_and(|(local, domain)| {
            !local.is_empty()
                && !domain.contains('@')
                && domain.split('.').count() > 1
                && domain.split('.').all(|label| !label.is_empty())
        }),
    {"format": "email", "examples": ["ada@example.com"]}
}

text_value! {
    /// A date of birth in the Gregorian calendar.
    Birthdate, "a date like 1990-05-30",
    |text| text.len() == 10 && Date::parse(text, format_description!("[year]-[month]-[day]")).is_ok(),
    {"format": "date", "examples": ["1815-12-10"]}
}

text_value! {
    /// A postal address.
    Address, "a string of " 1..=500 " characters, not only spaces",
    is_text,
    {"pattern": super::text::TEXT_PATTERN, "examples": ["12 St James's Square\nLondon"]}
}

text_value! {
    /// The status message of a user.
    Status, "a string of " 1..=500 " characters, not only spaces",
    is_text,
    {"pattern": super::text::TEXT_PATTERN, "examples": ["Counting"]}
}

text_value! {
    /// An interest of a user.
    Interest, "a string of " 1..=50 " characters on one line, not only spaces",
    is_line,
    {"pattern": super::text::LINE_PATTERN, "examples": ["mathematics"]}
}

/// The interests of a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Interest>")]
pub struct Interests(Vec<Interest>);

impl Interests {
    /// The maximum number of interests.
    const MAX: usize = 20;
}

impl Value for Interests {
    const RULE: &'static str = "an array of at most 20 strings, each of 1–50 characters on one line, not only spaces";
}

impl TryFrom<Vec<Interest>> for Interests {
    type Error = InvalidValue;

    fn try_from(interests: Vec<Interest>) -> Result<Self, InvalidValue> {
        if interests.len() <= Self::MAX { Ok(Self(interests)) } else { Err(InvalidValue::of::<Self>()) }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Interests {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Interests".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let items = generator.subschema_for::<Interest>();
        schemars::json_schema!({"type": "array", "items": items, "maxItems": Self::MAX})
    }
}

impl From<Interests> for Vec<String> {
    fn from(interests: Interests) -> Self {
        interests.0.into_iter().map(Into::into).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::str::FromStr;

    fn is_valid<T: FromStr>(text: &str) -> bool {
        text.parse::<T>().is_ok()
    }

    #[test]
    fn usernames_follow_their_rule() {
        for good in ["ad", "john42", "0x", "a.b_c-d", &"a".repeat(32)] {
            assert!(is_valid::<Username>(good), "{good}");
        }
        for bad in ["", "a", "Ada", "a#b", "USER$", ".ab", "-ab", "_ab", "a b", "ad\n", "añb", "a/b", &"a".repeat(33)]
        {
            assert!(!is_valid::<Username>(bad), "{bad}");
        }
    }

    #[test]
    fn the_length_of_a_text_is_counted_in_characters() {
        assert!(is_valid::<Name>(&"ü".repeat(100)));
        assert!(!is_valid::<Name>(&"ü".repeat(101)));
        for bad in ["", "  ", "a\nb", "a\u{0}b", "a\u{7f}", "\u{85}a", "a\u{2028}b"] {
            assert!(!is_valid::<Name>(bad), "{bad:?}");
        }
        assert!(is_valid::<Address>("1 Main St\nSpringfield"));
        assert!(!is_valid::<Address>("1 Main St\rSpringfield"));
        for most in ["x".repeat(500), "😀".repeat(500)] {
            assert!(is_valid::<Status>(&most) && is_valid::<Address>(&most));
        }
        assert!(!is_valid::<Status>(&"x".repeat(501)));
        assert!(!is_valid::<Address>(&"x".repeat(501)));
    }

    #[test]
    fn email_addresses_follow_their_rule() {
        for good in ["ada@example.com", "a+b.c@mail.example.org"] {
            assert!(is_valid::<Email>(good), "{good}");
        }
        let long = format!("{}@example.com", "a".repeat(243));
        for bad in [
            "",
            "ada",
            "@example.com",
            "ada@",
            "ada@com",
            "a@b@c.de",
            "a b@c.de",
            "ada@.com",
            "ada@c..de",
            "ädä@c.de",
            &long,
        ] {
            assert!(!is_valid::<Email>(bad), "{bad}");
        }
    }

    #[test]
    fn birthdates_are_dates_of_the_calendar() {
        assert!(is_valid::<Birthdate>("1990-05-30"));
        for bad in ["", "1990-5-30", "1990-02-30", "30.05.1990", "+1990-05-30", "1990-05-30T00:00:00", "+990-05-30"] {
            assert!(!is_valid::<Birthdate>(bad), "{bad}");
        }
    }

    #[test]
    fn interests_are_at_most_20_short_lines() {
        assert!(Interests::RULE.contains(&format!("at most {} ", Interests::MAX)));
        assert!(Interests::RULE.contains(Interest::RULE.trim_start_matches("a string ")), "{}", Interests::RULE);
        let parse = |interests: &[&str]| serde_json::from_value::<Interests>(serde_json::json!(interests));
        assert!(parse(&[]).is_ok());
        assert!(parse(&["chess"; 20]).is_ok());
        for bad in [&["chess"; 21][..], &[""], &["a\nb"], &[&"x".repeat(51)]] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }
}
