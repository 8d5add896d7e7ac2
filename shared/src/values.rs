//! Values as people send them. Each is made by parsing, so a bad one can't exist, and each states its rule, which is
//! what a person reads who broke it.

use std::fmt;
use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use time::format_description::FormatItem;
use time::macros::format_description;
use time::{Date, OffsetDateTime, PrimitiveDateTime};

/// A value that follows a rule.
pub trait Value: DeserializeOwned {
    /// What a value must be, to follow the words "must be".
    const RULE: &'static str;
}

/// The text does not follow the rule of the value that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken(&'static str);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must be {}", self.0)
    }
}

impl std::error::Error for Broken {}

macro_rules! text_value {
    ($(#[$doc:meta])* $name:ident, $rule:literal, $follows:expr) => {
        $(#[$doc])*
        #[doc = concat!("\n\nRule: ", $rule, ".")]
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl Value for $name {
            const RULE: &'static str = $rule;
        }

        impl TryFrom<String> for $name {
            type Error = Broken;

            fn try_from(text: String) -> Result<Self, Broken> {
                let follows: fn(&str) -> bool = $follows;
                if follows(&text) { Ok(Self(text)) } else { Err(Broken(Self::RULE)) }
            }
        }

        impl FromStr for $name {
            type Err = Broken;

            fn from_str(text: &str) -> Result<Self, Broken> {
                text.to_owned().try_into()
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> String {
                value.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_value! {
    /// Names a user, in paths, tokens and keys. Holds no `#`, so that it can't reach into another part of a key.
    Username, "2–32 characters of a–z, 0–9, '.', '_' and '-', beginning with a letter or digit",
    |text| (2..=32).contains(&text.len())
        && text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-'))
        && text.as_bytes()[0].is_ascii_alphanumeric()
}

text_value! {
    /// A moment in UTC, and the name of a photo among its owner's photos. Two forms, so that byte order is time order
    /// in sort keys: with seconds, as in old items, and with milliseconds and `Z`, as [`Timestamp::now`] makes them.
    Timestamp, "a time like 2018-05-30T15:42:38 or 2018-05-30T15:42:38.123Z",
    |text| match text.len() {
        19 => PrimitiveDateTime::parse(text, SECONDS).is_ok(),
        24 => PrimitiveDateTime::parse(text, MILLISECONDS).is_ok(),
        _ => false,
    }
}

const SECONDS: &[FormatItem<'_>] = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]");
const MILLISECONDS: &[FormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");

impl Timestamp {
    /// The present, in milliseconds.
    #[must_use]
    pub fn now() -> Self {
        let now = OffsetDateTime::now_utc();
        Self(format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            now.year(),
            u8::from(now.month()),
            now.day(),
            now.hour(),
            now.minute(),
            now.second(),
            now.millisecond(),
        ))
    }
}

text_value! {
    /// What a user is called.
    Name, "a text of 1–100 characters on one line, not only spaces",
    |text| is_text(text, 100) && !text.contains('\n')
}

text_value! {
    /// An e-mail address; the length is that of [RFC 5321](https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1.3).
    Email, "an e-mail address of ASCII characters like name@example.com, at most 254",
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
    /// A day of the Gregorian calendar.
    Birthdate, "a date like 1990-05-30",
    |text| text.len() == 10 && Date::parse(text, format_description!("[year]-[month]-[day]")).is_ok()
}

text_value! {
    /// A postal address.
    Address, "a text of 1–500 characters, not only spaces",
    |text| is_text(text, 500)
}

text_value! {
    /// What a user says of themselves at the moment.
    Status, "a text of 1–500 characters, not only spaces",
    |text| is_text(text, 500)
}

/// Lengths are in characters (Unicode scalar values). No control characters but the line feed, and no other way to begin
/// a line.
fn is_text(text: &str, most: usize) -> bool {
    text.chars().count() <= most
        && !text.trim().is_empty()
        && !text.chars().any(|c| (c.is_control() && c != '\n') || matches!(c, '\u{2028}' | '\u{2029}'))
}

/// What a user is interested in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Interests(Vec<String>);

impl Value for Interests {
    const RULE: &'static str = "a list of at most 20 texts, each of 1–50 characters on one line, not only spaces";
}

impl TryFrom<Vec<String>> for Interests {
    type Error = Broken;

    fn try_from(interests: Vec<String>) -> Result<Self, Broken> {
        let follows =
            interests.len() <= 20 && interests.iter().all(|interest| is_text(interest, 50) && !interest.contains('\n'));
        if follows { Ok(Self(interests)) } else { Err(Broken(Self::RULE)) }
    }
}

impl From<Interests> for Vec<String> {
    fn from(interests: Interests) -> Self {
        interests.0
    }
}

macro_rules! choice_value {
    ($(#[$doc:meta])* $name:ident, $rule:literal, $($(#[$choice_doc:meta])* $choice:ident = $text:literal),+ $(,)?) => {
        $(#[$doc])*
        #[doc = concat!("\n\nRule: ", $rule, ".")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "&'static str")]
        pub enum $name {
            $($(#[$choice_doc])* $choice),+
        }

        impl $name {
            /// Every choice there is.
            pub const ALL: &[Self] = &[$(Self::$choice),+];
        }

        impl Value for $name {
            const RULE: &'static str = $rule;
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                (*self).into()
            }
        }

        impl TryFrom<String> for $name {
            type Error = Broken;

            fn try_from(text: String) -> Result<Self, Broken> {
                text.parse()
            }
        }

        impl From<$name> for &'static str {
            fn from(choice: $name) -> Self {
                match choice {
                    $($name::$choice => $text),+
                }
            }
        }

        impl FromStr for $name {
            type Err = Broken;

            fn from_str(text: &str) -> Result<Self, Broken> {
                match text {
                    $($text => Ok(Self::$choice),)+
                    _ => Err(Broken(Self::RULE)),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_ref())
            }
        }
    };
}

choice_value! {
    /// How a user reacts to a photo.
    ReactionType, "one of +1, heart, smiley, sunglasses",
    /// 👍
    PlusOne = "+1",
    /// ❤
    Heart = "heart",
    /// 🙂
    Smiley = "smiley",
    /// 😎
    Sunglasses = "sunglasses",
}

choice_value! {
    /// The file format of a photo, and the ending of its name.
    PhotoFormat, "one of png, jpeg, webp, heic",
    /// <https://www.w3.org/TR/png/>
    Png = "png",
    /// <https://www.w3.org/Graphics/JPEG/>
    Jpeg = "jpeg",
    /// <https://www.rfc-editor.org/rfc/rfc9649>
    Webp = "webp",
    /// <https://www.iso.org/standard/83650.html>
    Heic = "heic",
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follows<T: FromStr>(text: &str) -> bool {
        text.parse::<T>().is_ok()
    }

    #[test]
    fn usernames() {
        for good in ["ad", "john42", "0x", "a.b_c-d", &"a".repeat(32)] {
            assert!(follows::<Username>(good), "{good}");
        }
        for bad in ["", "a", "Ada", "a#b", "USER$", ".ab", "-ab", "_ab", "a b", "ad\n", "añb", "a/b", &"a".repeat(33)]
        {
            assert!(!follows::<Username>(bad), "{bad}");
        }
    }

    #[test]
    fn timestamps() {
        for good in ["2018-05-30T15:42:38", "2018-05-30T15:42:38.123Z", "2024-02-29T00:00:00"] {
            assert!(follows::<Timestamp>(good), "{good}");
        }
        for bad in [
            "",
            "2018-05-30",
            "2018-05-30T15:42:38Z",
            "2018-05-30T15:42:38.123",
            "2018-05-30 15:42:38",
            "2023-02-29T00:00:00",
            "2018-13-01T00:00:00",
            "2018-05-30T24:00:00",
            "2018-05-30T15:42:60",
            "2018-05-30T15:42:38+00:0Z",
            "+018-05-30T15:42:38",
            "2018-05-30T15:42:38#abcd",
        ] {
            assert!(!follows::<Timestamp>(bad), "{bad}");
        }
        assert!(follows::<Timestamp>(Timestamp::now().as_ref()));
    }

    #[test]
    fn texts_are_counted_in_characters() {
        assert!(follows::<Name>(&"ü".repeat(100)));
        assert!(!follows::<Name>(&"ü".repeat(101)));
        for bad in ["", "  ", "a\nb", "a\u{0}b", "a\u{7f}", "\u{85}a", "a\u{2028}b"] {
            assert!(!follows::<Name>(bad), "{bad:?}");
        }
        assert!(follows::<Address>("1 Main St\nSpringfield"));
        assert!(!follows::<Address>("1 Main St\rSpringfield"));
        for most in ["x".repeat(500), "😀".repeat(500)] {
            assert!(follows::<Status>(&most) && follows::<Address>(&most));
        }
        assert!(!follows::<Status>(&"x".repeat(501)));
        assert!(!follows::<Address>(&"x".repeat(501)));
    }

    #[test]
    fn emails() {
        for good in ["ada@example.com", "a+b.c@mail.example.org"] {
            assert!(follows::<Email>(good), "{good}");
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
            assert!(!follows::<Email>(bad), "{bad}");
        }
    }

    #[test]
    fn birthdates() {
        assert!(follows::<Birthdate>("1990-05-30"));
        for bad in ["", "1990-5-30", "1990-02-30", "30.05.1990", "+1990-05-30", "1990-05-30T00:00:00", "+990-05-30"] {
            assert!(!follows::<Birthdate>(bad), "{bad}");
        }
    }

    #[test]
    fn interests() {
        let of =
            |interests: &[&str]| Interests::try_from(interests.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert!(of(&[]).is_ok());
        assert!(of(&["chess"; 20]).is_ok());
        for bad in [&["chess"; 21][..], &[""], &["a\nb"], &[&"x".repeat(51)]] {
            assert!(of(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn choices_read_as_they_are_written() {
        for reaction in ReactionType::ALL {
            assert_eq!(reaction.as_ref().parse(), Ok(*reaction));
            assert_eq!(serde_json::to_value(reaction).unwrap(), reaction.as_ref());
        }
        for format in PhotoFormat::ALL {
            assert_eq!(format.as_ref().parse(), Ok(*format));
        }
        assert!(!follows::<ReactionType>("Heart"));
        assert!(!follows::<PhotoFormat>("jpg"));
    }
}
