//! Values as people send them. Each is made by parsing, so a bad one can't exist, and each states its rule, which is
//! what a person reads who broke it.

use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use lambda_http::http::Uri;
use serde::de::{DeserializeOwned, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use time::format_description::FormatItem;
use time::macros::format_description;
use time::{Date, OffsetDateTime, PrimitiveDateTime};
use uuid::Uuid;

use self::fold::fold;

pub mod fold;

/// A value that follows a rule.
pub trait Value: DeserializeOwned {
    /// What a value must be, to follow the words "must be".
    const RULE: &'static str;
}

/// The text does not follow the rule of the value that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidValue(&'static str);

impl InvalidValue {
    /// The rule of `T` is broken.
    #[must_use]
    pub const fn of<T: Value>() -> Self {
        Self(T::RULE)
    }
}

impl fmt::Display for InvalidValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must be {}", self.0)
    }
}

impl std::error::Error for InvalidValue {}

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
            type Error = InvalidValue;

            fn try_from(text: String) -> Result<Self, InvalidValue> {
                let follows: fn(&str) -> bool = $follows;
                if follows(&text) { Ok(Self(text)) } else { Err(InvalidValue::of::<Self>()) }
            }
        }

        impl FromStr for $name {
            type Err = InvalidValue;

            fn from_str(text: &str) -> Result<Self, InvalidValue> {
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

/// A moment: milliseconds since 1970 in UTC. A number in JSON; as text, 13 digits wide, so that byte order is time order
/// in sort keys until the year 2286.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct EpochMillis(u64);

impl EpochMillis {
    /// The present.
    #[must_use]
    pub fn now() -> Self {
        Self(
            SystemTime::now()
                .duration_since(SystemTime::UNIX_EPOCH)
                .map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX)),
        )
    }

    /// The seconds, as a [time to live](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-before-you-start.html)
    /// counts them.
    #[must_use]
    pub const fn seconds(self) -> u64 {
        self.0 / 1000
    }
}

impl From<u64> for EpochMillis {
    fn from(milliseconds: u64) -> Self {
        Self(milliseconds)
    }
}

impl From<EpochMillis> for u64 {
    fn from(moment: EpochMillis) -> Self {
        moment.0
    }
}

impl fmt::Display for EpochMillis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:013}", self.0)
    }
}

/// From a number or from digits: items have both.
impl<'de> Deserialize<'de> for EpochMillis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Milliseconds;

        impl Visitor<'_> for Milliseconds {
            type Value = EpochMillis;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("milliseconds since 1970")
            }

            fn visit_u64<E: serde::de::Error>(self, milliseconds: u64) -> Result<EpochMillis, E> {
                Ok(EpochMillis(milliseconds))
            }

            fn visit_i64<E: serde::de::Error>(self, milliseconds: i64) -> Result<EpochMillis, E> {
                milliseconds.try_into().map(EpochMillis).map_err(|_| E::custom("a time before 1970"))
            }

            fn visit_str<E: serde::de::Error>(self, digits: &str) -> Result<EpochMillis, E> {
                digits.parse().map(EpochMillis).map_err(E::custom)
            }
        }

        deserializer.deserialize_any(Milliseconds)
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

text_value! {
    /// Names a favorite among its owner's. The two words are what other routes have in its place.
    DataId, "1–128 characters of A–Z, a–z, 0–9 and . _ - ~ : = + @, among them a letter or digit, and not the word search or types",
    |text| is_id(text) && !matches!(text, "search" | "types")
}

impl DataId {
    /// A new one, later in byte order than those that were made before:
    /// [UUID version 7](https://www.rfc-editor.org/rfc/rfc9562#section-5.7).
    #[must_use]
    #[expect(clippy::new_without_default, reason = "no two are the same")]
    pub fn new() -> Self {
        Self(Uuid::now_v7().to_string())
    }
}

text_value! {
    /// Names a tag among its owner's.
    TagId, "1–128 characters of A–Z, a–z, 0–9 and . _ - ~ : = + @, among them a letter or digit",
    is_id
}

impl TagId {
    /// A new one, later in byte order than those that were made before.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "no two are the same")]
    pub fn new() -> Self {
        Self(Uuid::now_v7().to_string())
    }
}

/// What needs no escaping in a path, and is neither `.` nor `..` there.
fn is_id(text: &str) -> bool {
    text.len() <= 128
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-~:=+@".contains(&b))
        && text.bytes().any(|b| b.is_ascii_alphanumeric())
}

text_value! {
    /// What a favorite is called, and what it is found by.
    Title, "a text of 1–200 characters on one line, not only spaces",
    |text| is_text(text, 200) && !text.contains('\n')
}

text_value! {
    /// Who made what a favorite is of: a user, or an id of somewhere else.
    CreatorId, "a text of 1–100 characters on one line, not only spaces",
    |text| is_text(text, 100) && !text.contains('\n')
}

text_value! {
    /// Where something is, by [RFC 3986](https://www.rfc-editor.org/rfc/rfc3986). User information before the host is
    /// refused: it is what makes `https://example.com@elsewhere.org` look like another place.
    Url, "an http or https URL with a host and without user information, of at most 2,048 ASCII characters, others percent-encoded",
    |text| text.len() <= 2048 && is_url(text)
}

fn is_url(text: &str) -> bool {
    let is_of_urls = |b: u8| b.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&b);
    let percent_encoded =
        text.split('%').skip(1).all(|after| after.len() >= 2 && after.bytes().take(2).all(|b| b.is_ascii_hexdigit()));
    text.bytes().all(is_of_urls)
        && percent_encoded
        && text.parse::<Uri>().is_ok_and(|uri| {
            matches!(uri.scheme_str(), Some("http" | "https"))
                && uri.authority().is_some_and(|authority| !authority.as_str().contains('@'))
                && uri.host().is_some_and(|host| !host.is_empty())
        })
}

text_value! {
    /// Who plays a song: the partition key of Music. The limits of keys are
    /// [DynamoDB's](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-partition-sort-keys).
    Artist, "a text of at most 2,048 bytes on one line, not only spaces, and neither . nor ..",
    |text| is_text(text, 2048) && text.len() <= 2048 && !text.contains('\n') && !matches!(text, "." | "..")
}

text_value! {
    /// What a song is called: the sort key of Music.
    SongTitle, "a text of at most 1,024 bytes on one line, not only spaces, and neither . nor ..",
    |text| is_text(text, 1024) && text.len() <= 1024 && !text.contains('\n') && !matches!(text, "." | "..")
}

text_value! {
    /// What the songs of a genre have in common: the partition key of Music's index.
    Genre, "a text of at most 2,048 bytes on one line, not only spaces, and neither . nor ..",
    |text| is_text(text, 2048) && text.len() <= 2048 && !text.contains('\n') && !matches!(text, "." | "..")
}

text_value! {
    /// What the titles of a list begin with.
    TitlePrefix, "a text of at most 1,024 bytes on one line",
    |text| (1..=1024).contains(&text.len()) && !text.chars().any(char::is_control)
}

text_value! {
    /// Names a person: the partition key of People.
    PersonId, "a whole number of at most 18 digits, without zeros in front",
    |text| (1..=18).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'))
}

text_value! {
    /// What a tag is called. Two names are the same if they fold to the same, see [`TagName::folded`].
    TagName, "a text of 1–64 characters on one line, without a space at either end, and of at most 1,000 bytes once folded",
    |text| is_text(text, 64) && !text.contains('\n') && text.trim() == text && (1..=1000).contains(&fold(text).len())
}

impl TagName {
    /// The name without regard to case and Unicode form: what is unique among a user's tags. A sort key has at most
    /// [1,024 bytes](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-partition-sort-keys),
    /// and folding makes some characters longer.
    #[must_use]
    pub fn folded(&self) -> String {
        fold(&self.0)
    }
}

/// What a user is interested in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Interests(Vec<String>);

impl Value for Interests {
    const RULE: &'static str = "a list of at most 20 texts, each of 1–50 characters on one line, not only spaces";
}

impl TryFrom<Vec<String>> for Interests {
    type Error = InvalidValue;

    fn try_from(interests: Vec<String>) -> Result<Self, InvalidValue> {
        let follows =
            interests.len() <= 20 && interests.iter().all(|interest| is_text(interest, 50) && !interest.contains('\n'));
        if follows { Ok(Self(interests)) } else { Err(InvalidValue::of::<Self>()) }
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
            type Error = InvalidValue;

            fn try_from(text: String) -> Result<Self, InvalidValue> {
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
            type Err = InvalidValue;

            fn from_str(text: &str) -> Result<Self, InvalidValue> {
                match text {
                    $($text => Ok(Self::$choice),)+
                    _ => Err(InvalidValue::of::<Self>()),
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

choice_value! {
    /// What kind of thing a favorite is.
    DataType, "one of image, video, link, file, music, chat, voice, note, position",
    /// A picture.
    Image = "image",
    /// A film.
    Video = "video",
    /// A page of the web.
    Link = "link",
    /// Any file.
    File = "file",
    /// A piece of music.
    Music = "music",
    /// Messages of a chat.
    Chat = "chat",
    /// A spoken message.
    Voice = "voice",
    /// Something written.
    Note = "note",
    /// A place on earth.
    Position = "position",
}

choice_value! {
    /// By what a list of tags is sorted.
    TagSort, "one of name, created, accessed",
    /// By name, in byte order: capitals before small letters, and both before other scripts.
    Name = "name",
    /// By the time of creation.
    Created = "created",
    /// By the time of the last use.
    Accessed = "accessed",
}

choice_value! {
    /// In which direction a list is sorted.
    Order, "one of asc, desc",
    /// From the first to the last.
    Ascending = "asc",
    /// From the last to the first.
    Descending = "desc",
}

choice_value! {
    /// In which form a document is written, see [`crate::document`].
    DocumentFormat, "one of json, dynamodb",
    /// Plain JSON.
    Json = "json",
    /// DynamoDB JSON: each value with its type.
    DynamoDb = "dynamodb",
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
        for form in DocumentFormat::ALL {
            assert_eq!(form.as_ref().parse(), Ok(*form));
        }
        assert!(!follows::<ReactionType>("Heart"));
        assert!(!follows::<PhotoFormat>("jpg"));
    }

    #[test]
    fn ids_of_favorites_and_tags() {
        let long = "a".repeat(128);
        for good in ["0", "01J9ZK3V", "b0c4-_~.:=+@", "0190c3f4-7b1e-7cc0-8d2f-1a2b3c4d5e6f", "Search", &long] {
            assert!(follows::<DataId>(good) && follows::<TagId>(good), "{good}");
        }
        let too_long = "a".repeat(129);
        for bad in ["", ".", "..", "-_", "a b", "a#b", "a/b", "a%b", "ä", "a\n", &too_long] {
            assert!(!follows::<DataId>(bad) && !follows::<TagId>(bad), "{bad}");
        }
        for word in ["search", "types"] {
            assert!(!follows::<DataId>(word) && follows::<TagId>(word), "{word}");
        }
        let made: Vec<DataId> = (0..100).map(|_| DataId::new()).collect();
        assert!(made.is_sorted() && made.iter().all(|id| follows::<DataId>(id.as_ref())));
        assert_ne!(made[0], made[1]);
        let made: Vec<TagId> = (0..100).map(|_| TagId::new()).collect();
        assert!(made.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn urls() {
        let long = format!("https://example.com/{}", "a".repeat(2028));
        for good in [
            "http://example.com",
            "https://example.com:8443/a/b.png?x=1&y=%C3%A9#top",
            "HTTPS://EXAMPLE.COM/",
            "https://[2001:db8::1]/x",
            "https://xn--fsq.example/(a)",
            &long,
        ] {
            assert!(follows::<Url>(good), "{good}");
        }
        for bad in [
            "",
            "example.com",
            "//example.com/a",
            "/a",
            "ftp://example.com/a",
            "javascript:alert(1)",
            "data:text/html,x",
            "http://",
            "https:///a",
            "https://:443/",
            "https://exa mple.com/",
            "https://example.com/ü",
            "https://example.com/a b",
            "https://example.com/a\nb",
            "https://example.com/%zz",
            "https://example.com/%e",
            "https://example.com/\"><script>",
            "https://example.com@elsewhere.org/",
            "https://ada:secret@example.com/",
            &format!("{long}a"),
        ] {
            assert!(!follows::<Url>(bad), "{bad}");
        }
    }

    #[test]
    fn names_of_tags() {
        for good in ["a", "Léon", "旅行", "سفر", "Ｗork", "two words", "#1", "🎂", &"ü".repeat(64)] {
            assert!(follows::<TagName>(good), "{good}");
        }
        // A sort key can't hold what this folds to: 18 characters each.
        let ligatures = "\u{fdfa}".repeat(64);
        for bad in ["", " ", " a", "a ", "a\nb", "a\tb", "\u{ad}", &"ü".repeat(65), &ligatures] {
            assert!(!follows::<TagName>(bad), "{bad:?}");
        }
        let folded = |name: &str| name.parse::<TagName>().unwrap().folded();
        for (a, b) in [("Work", "wORK"), ("Café", "CAFE\u{301}"), ("Ｗork", "work"), ("Straße", "STRASSE")] {
            assert_eq!(folded(a), folded(b));
        }
        assert_ne!(folded("cafe"), folded("café"));
    }

    #[test]
    fn moments_read_from_numbers_and_from_digits() {
        let read = |json: &str| serde_json::from_str::<EpochMillis>(json);
        for good in ["1730000000000", "\"1730000000000\""] {
            assert_eq!(read(good).unwrap(), EpochMillis::from(1_730_000_000_000));
        }
        for bad in ["-1", "\"\"", "\"x\"", "1.5", "null"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert_eq!(EpochMillis::from(7).to_string(), "0000000000007");
        assert_eq!(serde_json::to_string(&EpochMillis::from(7)).unwrap(), "7");
        assert_eq!(EpochMillis::from(1_999).seconds(), 1);
    }
}
