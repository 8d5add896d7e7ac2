//! The values of users.

use serde::{Deserialize, Serialize};
use time::macros::format_description;
use time::{Date, OffsetDateTime};

use super::macros::{choice_value, text_value};
use super::{InvalidValue, RefusedCharacter, Value};

/// The pattern of a username in JSON Schemas, which state its length apart.
#[cfg(feature = "schema")]
const USERNAME_PATTERN: &str = "^[a-z0-9][a-z0-9._-]*[a-z0-9]$";
/// The pattern of a username with its length, as a part of an id.
#[cfg(feature = "schema")]
pub(super) const USERNAME_IN_ID: &str = "[a-z0-9][a-z0-9._-]{0,30}[a-z0-9]";

text_value! {
    /// The id of a user in paths, tokens and keys. It has no `#`, which separates the parts of a
    /// key, and does not end like a sentence, so that a [mention](crate::entities::mentions) has
    /// an end.
    Username, "" 2..=32 " characters of a–z, 0–9, '.', '_' and '-', beginning and ending with a letter or digit",
    |text| text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-'))
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.ends_with(|c: char| c.is_ascii_alphanumeric()),
    {"pattern": USERNAME_PATTERN, "examples": ["ada"]}
}

text_value! {
    /// The username of a new user: a [`Username`] that is not [reserved](Username::is_reserved).
    NewUsername, "" 2..=32 " characters of a–z, 0–9, '.', '_' and '-', beginning and ending with a letter or digit, and not a reserved name such as admin",
    |text| text.parse::<Username>().is_ok_and(|username| !username.is_reserved()),
    {"pattern": USERNAME_PATTERN, "not": {"enum": RESERVED_USERNAMES}, "examples": ["ada"]}
}

impl From<NewUsername> for Username {
    fn from(new: NewUsername) -> Self {
        Self(new.0)
    }
}

/// The usernames that no new user may take. A user with such a name could be mistaken for the
/// operator of the app. Many are the mailbox names of [RFC
/// 2142](https://www.rfc-editor.org/rfc/rfc2142).
///
/// Users who have such a name keep it, because a [`Username`] may be reserved.
const RESERVED_USERNAMES: &[&str] = &[
    "abuse",
    "account",
    "accounts",
    "admin",
    "administrator",
    "anonymous",
    "api",
    "billing",
    "contact",
    "everyone",
    "help",
    "helpdesk",
    "hostmaster",
    "info",
    "mail",
    "mailerdaemon",
    "me",
    "mod",
    "moderator",
    "noc",
    "noreply",
    "null",
    "official",
    "postmaster",
    "privacy",
    "quickphotos",
    "root",
    "security",
    "self",
    "staff",
    "superuser",
    "support",
    "sysadmin",
    "system",
    "team",
    "undefined",
    "webmaster",
    "www",
];

impl Username {
    /// Returns whether no new user may take this name. The separators in it do not count:
    /// `no-reply` is reserved too.
    #[must_use]
    pub fn is_reserved(&self) -> bool {
        let letters: String = self.0.chars().filter(|c| !matches!(c, '.' | '_' | '-')).collect();
        RESERVED_USERNAMES.contains(&letters.as_str())
    }
}

text_value! {
    /// The account that a token is issued to: its claim `sub`. The maximum length is that of
    /// [OpenID Connect](https://openid.net/specs/openid-connect-core-1_0.html#IDToken).
    Subject, "" 1..=255 " ASCII characters",
    str::is_ascii,
    {"pattern": "^[\\u0000-\\u007f]*$"}
}

text_value! {
    /// The display name of a user.
    Name: LABEL, "a string of " 1..=100 " characters on one line, at least one of them visible, and without marks that change the direction of text",
    {"pattern": super::text::LABEL_PATTERN, "examples": ["Ada Lovelace"]}
}

text_value! {
    /// One e-mail address and nothing else: the part before the `@` is a dot-string of [RFC
    /// 5321](https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2) whose atoms consist of the
    /// characters of [RFC 5322](https://www.rfc-editor.org/rfc/rfc5322#section-3.2.3), and the
    /// domain has two labels or more. The maximum lengths are those of [RFC
    /// 5321](https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1).
    ///
    /// A quoted string, a comment or a separator of addresses could name a second recipient, so
    /// none of them is accepted, although RFC 5321 allows the first.
    Email: LINE, "an e-mail address like name@example.com, of " 5..=254 " ASCII characters, without quotes, comments or spaces",
    |text| text.split_once('@').is_some_and(|(local, domain)| is_dot_string(local) && is_domain(domain)),
    {
        "format": "email",
        "allOf": [{"pattern": EMAIL_PATTERN}, {"pattern": "^[^@]{1,64}@"}],
        "examples": ["ada@example.com"],
    }
}

/// The pattern of an [`Email`], without the maximum length of the part before the `@`.
#[cfg(feature = "schema")]
const EMAIL_PATTERN: &str = concat!(
    r"^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@",
    "([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?[.])+[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$",
);

/// Returns whether a text is the part of an address before the `@`: atoms with one dot between two
/// of them.
fn is_dot_string(text: &str) -> bool {
    let is_atext = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&b);
    text.len() <= 64 && text.split('.').all(|atom| !atom.is_empty() && atom.bytes().all(is_atext))
}

/// Returns whether a text is a domain of two or more labels of letters, digits and hyphens.
fn is_domain(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.contains('.') && text.split('.').all(is_label)
}

/// The first year of a [`Birthdate`]. Nobody who was born earlier is alive.
const MIN_BIRTH_YEAR: i32 = 1900;

text_value! {
    /// A date of birth in the Gregorian calendar, by the date that it is in UTC.
    Birthdate: LINE, "a date like 1990-05-30, from 1900-01-01 to today",
    |text| {
        let is_possible = |date: Date| date.year() >= MIN_BIRTH_YEAR && date <= OffsetDateTime::now_utc().date();
        text.len() == 10 && Date::parse(text, format_description!("[year]-[month]-[day]")).is_ok_and(is_possible)
    },
    {
        "format": "date",
        "allOf": [{"pattern": super::timestamps::DAY_PATTERN}, {"pattern": "^(19|[2-9][0-9])"}],
        "examples": ["1990-05-30"],
    }
}

text_value! {
    /// A postal address.
    Address: LINES, "a string of " 1..=500 " characters, at least one of them visible",
    {"pattern": super::text::TEXT_PATTERN, "examples": ["12 St James's Square\nLondon"]}
}

text_value! {
    /// The status message of a user.
    Status: LINES, "a string of " 1..=500 " characters, at least one of them visible",
    {"pattern": super::text::TEXT_PATTERN, "examples": ["Counting"]}
}

text_value! {
    /// An interest of a user.
    Interest: LABEL, "a string of " 1..=50 " characters on one line, at least one of them visible, and without marks that change the direction of text",
    {"pattern": super::text::LABEL_PATTERN, "examples": ["mathematics"]}
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
    const RULE: &'static str = "an array of at most 20 strings, each of 1–50 characters on one line, at least one of them visible, and without marks that change the direction of text";

    fn refused_character(text: &str) -> Option<RefusedCharacter> {
        Interest::refused_character(text)
    }
}

impl TryFrom<Vec<Interest>> for Interests {
    type Error = InvalidValue;

    fn try_from(interests: Vec<Interest>) -> Result<Self, InvalidValue> {
        if interests.len() <= Self::MAX { Ok(Self(interests)) } else { Err(InvalidValue::new::<Self>()) }
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

choice_value! {
    /// The way in which a user keeps another one away.
    Level,
    /// Neither shows to the other, and the other cannot follow the user or respond to their photos.
    Block = "block",
    /// The other does not show in the user's feed.
    Mute = "mute",
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
            .into_iter()
            .chain(["ab.", "ab-", "ab_", "vik-", "a-", "--"])
        {
            assert!(!is_valid::<Username>(bad), "{bad}");
        }
    }

    #[test]
    fn new_users_cannot_take_reserved_names() {
        for reserved in ["admin", "support", "root", "me", "no-reply", "ad.min", "quick_photos", "ad--min"] {
            assert!(!is_valid::<NewUsername>(reserved), "{reserved}");
            assert!(is_valid::<Username>(reserved), "{reserved} may exist already");
        }
        for good in ["ada", "admin2", "mead", "supporter", "a.d"] {
            assert!(is_valid::<NewUsername>(good), "{good}");
        }
        for bad in ["", "a", "Ada", "ADMIN", "a#b"] {
            assert!(!is_valid::<NewUsername>(bad), "{bad}");
        }
        for name in RESERVED_USERNAMES {
            assert!(name.parse::<Username>().unwrap().is_reserved(), "{name} is in the list without separators");
        }
        assert!(RESERVED_USERNAMES.is_sorted());
    }

    #[test]
    fn a_text_needs_a_visible_character() {
        let flag_of_wales = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}";
        let family = "👩\u{200d}👩\u{200d}👧";
        // Names of people and words that need a joiner or a non-joiner: Persian, Sinhala,
        // Malayalam.
        let joined = ["علی\u{200c}رضا", "ශ්\u{200d}රී", "നന്\u{200d}മ", "שרה", "❤\u{fe0f}", family, flag_of_wales];
        for good in joined {
            assert!(is_valid::<Name>(good) && is_valid::<Status>(good) && is_valid::<Address>(good), "{good}");
        }
        for invisible in [
            "\u{3164}",
            "\u{ffa0}",
            "\u{115f}\u{1160}",
            "\u{200b}",
            "\u{2060}",
            "\u{ad}",
            "\u{fe0f}",
            "\u{e0061}",
            "\u{2800}",
            " \u{200d} ",
            "\u{ffef}",
            "\u{fff9}",
            "\u{1d159}",
            "\u{301}",
            "\u{301}\u{ffef} \u{e000}",
        ] {
            assert!(!is_valid::<Name>(invisible) && !is_valid::<Interest>(invisible), "{invisible:?}");
            assert!(!is_valid::<Status>(invisible) && !is_valid::<Address>(invisible), "{invisible:?}");
            assert!(is_valid::<Name>(&format!("A{invisible}b")), "{invisible:?}");
        }
    }

    /// A status is a paragraph of its own, and people who write Hebrew or Arabic need marks in it.
    #[test]
    fn a_name_does_not_change_the_direction_of_text() {
        let marks = ["\u{61c}", "\u{200e}", "\u{200f}", "\u{202a}", "\u{202b}", "\u{202c}", "\u{202d}", "\u{202e}"];
        for mark in marks.into_iter().chain(["\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}"]) {
            for text in [format!("Ada{mark}Marsh"), format!("{mark}Ada"), format!("Ada{mark}")] {
                assert!(!is_valid::<Name>(&text) && !is_valid::<Interest>(&text), "{text:?}");
                assert!(is_valid::<Status>(&text), "{text:?}");
            }
            assert!(!is_valid::<Name>(mark) && !is_valid::<Status>(mark), "{mark:?}");
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
        // The length is that of what is stored.
        assert!(is_valid::<Status>(&"a\r\n".repeat(250)) && !is_valid::<Status>(&"a\r\n".repeat(251)));
        for most in ["x".repeat(500), "😀".repeat(500)] {
            assert!(is_valid::<Status>(&most) && is_valid::<Address>(&most));
        }
        assert!(!is_valid::<Status>(&"x".repeat(501)));
        assert!(!is_valid::<Address>(&"x".repeat(501)));
    }

    #[test]
    fn email_addresses_follow_their_rule() {
        let label = "d".repeat(63);
        let longest = format!("{}@{label}.{label}.{}", "a".repeat(64), "d".repeat(61));
        assert_eq!(longest.len(), 254);
        for good in [
            "ada@example.com",
            "a+b.c@mail.example.org",
            "!#$%&'*+-/=?^_`{|}~@x-1.xn--p1ai",
            "1@2.3",
            &format!("a@{label}.de"),
            &longest,
        ] {
            assert!(is_valid::<Email>(good), "{good}");
        }
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
            "ada@c.de.",
            "ada@-c.de",
            "ada@c-.de",
            "ada@c_d.de",
            "ada@c.de\n",
            "ada@[192.0.2.1]",
            "ädä@c.de",
            "ada@ç.de",
            ".ada@c.de",
            "ada.@c.de",
            "a..a@c.de",
            &format!("{}@c.de", "a".repeat(65)),
            &format!("ada@{}.de", "d".repeat(64)),
            &format!("{longest}d"),
        ] {
            assert!(!is_valid::<Email>(bad), "{bad}");
        }
    }

    #[test]
    fn an_email_address_names_one_recipient() {
        for bad in [
            "x,victim@example.org",
            "x;victim@example.org",
            "x<victim@example.org>",
            "<victim@example.org>",
            "x@example.org,victim@example.org",
            "victim@example.org(x@example.com)",
            "(x)victim@example.org",
            "\"x y\"@example.org",
            "\"victim@example.org\"@example.com",
            "x:victim@example.org",
            "x\\victim@example.org",
            "x%0avictim@example.org@example.com",
            "x\rvictim@example.org",
            " victim@example.org",
            "victim@example.org ",
            "mailto:victim@example.org",
        ] {
            assert!(!is_valid::<Email>(bad), "{bad}");
        }
    }

    #[test]
    fn a_subject_has_the_length_of_openid_connect() {
        for good in ["ada", "890a72e1-6fa7-4644-ab1b-aaaa7249c448", "auth0|a#b", &"a".repeat(255)] {
            assert!(is_valid::<Subject>(good), "{good}");
        }
        for bad in ["", "ädä", &"a".repeat(256)] {
            assert!(!is_valid::<Subject>(bad), "{bad}");
        }
    }

    #[test]
    fn birthdates_are_dates_of_the_calendar_from_1900_to_today() {
        assert!(Birthdate::RULE.contains(&format!("from {MIN_BIRTH_YEAR}-01-01 to today")));
        let day = |days: i64| (OffsetDateTime::now_utc() + time::Duration::days(days)).date().to_string();
        for good in ["1990-05-30", "1900-01-01", "2000-02-29", &day(-1)] {
            assert!(is_valid::<Birthdate>(good), "{good}");
        }
        for bad in ["1899-12-31", "1815-12-10", "0000-01-01", "1900-02-29", "1990-+5-30", "9999-12-31", &day(2)] {
            assert!(!is_valid::<Birthdate>(bad), "{bad}");
        }
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
