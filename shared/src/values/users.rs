//! The values of users.

use serde::{Deserialize, Serialize};
use time::Date;
use time::macros::format_description;

use super::macros::text_value;
use super::text::{is_line, is_text};
use super::{InvalidValue, Value};

text_value! {
    /// The id of a user in paths, tokens and keys. It has no `#`, which separates the parts of a key.
    Username, "2–32 characters of a–z, 0–9, '.', '_' and '-', beginning with a letter or digit",
    |text| (2..=32).contains(&text.len())
        && text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-'))
        && text.as_bytes()[0].is_ascii_alphanumeric()
}

text_value! {
    /// The display name of a user.
    Name, "a string of 1–100 characters on one line, not only spaces",
    |text| is_line(text, 100)
}

text_value! {
    /// An e-mail address. The maximum length is that of
    /// [RFC 5321](https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1.3).
    Email, "an e-mail address like name@example.com, of at most 254 ASCII characters",
    |text| text.len() <= 254
        && text.bytes().all(|b| b.is_ascii_graphic())
        && text.split_once('@').is_some_and(|(local, domain)| {
            !local.is_empty()
                && !domain.contains('@')
                && domain.split('.').count() > 1
                && domain.split('.').all(|label| !label.is_empty())
        })
}

text_value! {
    /// A date of birth in the Gregorian calendar.
    Birthdate, "a date like 1990-05-30",
    |text| text.len() == 10 && Date::parse(text, format_description!("[year]-[month]-[day]")).is_ok()
}

text_value! {
    /// A postal address.
    Address, "a string of 1–500 characters, not only spaces",
    |text| is_text(text, 500)
}

text_value! {
    /// The status message of a user.
    Status, "a string of 1–500 characters, not only spaces",
    |text| is_text(text, 500)
}

/// The interests of a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Interests(Vec<String>);

impl Value for Interests {
    const RULE: &'static str = "an array of at most 20 strings, each of 1–50 characters on one line, not only spaces";
}

impl TryFrom<Vec<String>> for Interests {
    type Error = InvalidValue;

    fn try_from(interests: Vec<String>) -> Result<Self, InvalidValue> {
        let is_valid = interests.len() <= 20 && interests.iter().all(|interest| is_line(interest, 50));
        if is_valid { Ok(Self(interests)) } else { Err(InvalidValue::of::<Self>()) }
    }
}

impl From<Interests> for Vec<String> {
    fn from(interests: Interests) -> Self {
        interests.0
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
        let parse =
            |interests: &[&str]| Interests::try_from(interests.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert!(parse(&[]).is_ok());
        assert!(parse(&["chess"; 20]).is_ok());
        for bad in [&["chess"; 21][..], &[""], &["a\nb"], &[&"x".repeat(51)]] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }
}
