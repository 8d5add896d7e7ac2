//! The values of favorites and tags.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Value;
use super::fold::fold;
use super::macros::{choice_value, text_value};
use super::photos::PhotoId;
use super::users::Username;

text_value! {
    /// The id of a favorite among the favorites of its owner. The words `search` and `types` are
    /// excluded, because other routes have them in the place of the id.
    DataId, "" 1..=128 " characters of A–Z, a–z, 0–9 and . _ - ~ : = + @, with at least one letter or digit, and neither search nor types",
    |text| is_id(text) && !matches!(text, "search" | "types"),
    {"pattern": ID_PATTERN, "not": {"enum": ["search", "types"]}, "examples": ["sunset"]}
}

impl DataId {
    /// The prefix of the ids of favorites that refer to a photo of the app.
    const PHOTO_PREFIX: &'static str = "photo~";

    /// Returns the id of the favorite that refers to a photo, so that a user saves each photo once.
    #[must_use]
    pub fn of_photo(PhotoReference { username, id }: &PhotoReference) -> Self {
        Self(format!("{}{username}~{id}", Self::PHOTO_PREFIX))
    }

    /// Returns the photo to which the favorite refers, or `None` if it refers to other content.
    /// Neither a username nor the id of a photo has a `~`.
    #[must_use]
    pub fn photo(&self) -> Option<PhotoReference> {
        let (username, id) = self.0.strip_prefix(Self::PHOTO_PREFIX)?.split_once('~')?;
        Some(PhotoReference { username: username.parse().ok()?, id: id.parse().ok()? })
    }

    /// Returns a new id, which is after all earlier ones in byte order:
    /// [UUID version 7](https://www.rfc-editor.org/rfc/rfc9562#section-5.7).
    #[must_use]
    #[expect(clippy::new_without_default, reason = "each call returns another id")]
    pub fn new() -> Self {
        Self(Uuid::now_v7().to_string())
    }
}

/// A reference to a photo of the app.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhotoReference {
    /// The owner.
    pub username: Username,
    /// The id of the photo.
    pub id: PhotoId,
}

impl Value for PhotoReference {
    const RULE: &'static str = "an object with the username and the id of a photo";
}

text_value! {
    /// The id of a tag among the tags of its owner.
    TagId, "" 1..=128 " characters of A–Z, a–z, 0–9 and . _ - ~ : = + @, with at least one letter or digit",
    is_id,
    {"pattern": ID_PATTERN, "examples": ["travel"]}
}

impl TagId {
    /// Returns a new id, which is after all earlier ones in byte order:
    /// [UUID version 7](https://www.rfc-editor.org/rfc/rfc9562#section-5.7).
    #[must_use]
    #[expect(clippy::new_without_default, reason = "each call returns another id")]
    pub fn new() -> Self {
        Self(Uuid::now_v7().to_string())
    }
}

/// The pattern of [`is_id`].
#[cfg(feature = "schema")]
const ID_PATTERN: &str = "^[A-Za-z0-9._~:=+@-]*[A-Za-z0-9][A-Za-z0-9._~:=+@-]*$";

/// Returns whether a text needs no escaping as a segment of a path, and is not a dot segment there.
fn is_id(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-~:=+@".contains(&b))
        && text.bytes().any(|b| b.is_ascii_alphanumeric())
}

text_value! {
    /// The title of a favorite, whose words are the search terms of the favorite.
    Title: LINE, "a string of " 1..=200 " characters on one line, at least one of them visible",
    {"pattern": super::text::LINE_PATTERN, "examples": ["Sunset over Lisbon"]}
}

text_value! {
    /// The creator of the content of a favorite: a username, or an id from another system.
    CreatorId: LINE, "a string of " 1..=100 " characters on one line, at least one of them visible",
    {"pattern": super::text::LINE_PATTERN, "examples": ["ada"]}
}

text_value! {
    /// A URL by [RFC 3986](https://www.rfc-editor.org/rfc/rfc3986). User information before the
    /// host is refused, because it can disguise the host, as in
    /// `https://example.com@elsewhere.org`.
    Url: LINE, "an http or https URL with a host and without user information, of " 8..=2048 " ASCII characters; percent-encode others",
    is_url,
    {"pattern": URL_PATTERN, "examples": ["https://photos.example.com/ada/sunset"]}
}

/// The pattern of [`is_url`].
#[cfg(feature = "schema")]
const URL_PATTERN: &str = concat!(
    "^[Hh][Tt][Tt][Pp][Ss]?://",
    r"(\[[0-9A-Fa-f:.]+\]|([A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+)",
    "(:[0-9]{1,5})?",
    r"([/?#]([A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)?$",
);

fn is_url(text: &str) -> bool {
    let is_of = |text: &str, others: &[u8]| {
        let is_escape = |after: &str| after.len() >= 2 && after.bytes().take(2).all(|b| b.is_ascii_hexdigit());
        text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=%".contains(&b) || others.contains(&b))
            && text.split('%').skip(1).all(is_escape)
    };
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let (authority, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let is_host = match host.strip_prefix('[') {
        Some(address) => address.strip_suffix(']').is_some_and(|address| {
            !address.is_empty() && address.bytes().all(|b| b.is_ascii_hexdigit() || matches!(b, b':' | b'.'))
        }),
        None => !host.is_empty() && is_of(host, b""),
    };
    (scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
        && is_host
        && port.is_none_or(|port| (1..=5).contains(&port.len()) && port.bytes().all(|b| b.is_ascii_digit()))
        && is_of(rest, b":/?#[]@")
}

text_value! {
    /// The name of a tag. Two names are equal if their folded forms are, see [`TagName::folded`].
    TagName: LINE, "a string of " 1..=64 " characters on one line, at least one of them visible, without leading or trailing spaces, and of at most 1,000 bytes after case folding",
    |text| text.trim() == text && (1..=1000).contains(&fold(text).len()),
    {"pattern": TAG_NAME_PATTERN, "examples": ["Travel"]}
}

/// A line that neither begins nor ends with white space. The pattern does not say that a name of
/// invisible characters only is refused.
#[cfg(feature = "schema")]
const TAG_NAME_PATTERN: &str = concat!(
    r"^[^\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]",
    r"([^\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]*",
    r"[^\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000])?$",
);

impl TagName {
    /// Returns the name without differences of case and Unicode form, which is unique among the
    /// tags of a user.
    ///
    /// Its length is limited, because it is part of a sort key and folding makes some characters
    /// longer. A sort key has at most [1,024
    /// bytes](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-partition-sort-keys).
    #[must_use]
    pub fn folded(&self) -> String {
        fold(&self.0)
    }
}

choice_value! {
    /// The type of the content of a favorite.
    DataType,
    /// A picture.
    Image = "image",
    /// A video.
    Video = "video",
    /// A web page.
    Link = "link",
    /// A file of any type.
    File = "file",
    /// A piece of music.
    Music = "music",
    /// Chat messages.
    Chat = "chat",
    /// A voice message.
    Voice = "voice",
    /// A written note.
    Note = "note",
    /// A geographic position.
    Position = "position",
    /// A photo of the app.
    Photo = "photo",
}

choice_value! {
    /// The type of a favorite that is not a photo of the app.
    ClipType("; PUT /users/{username}/saved/{author}/{photo} saves a photo of the app"),
    /// A picture.
    Image = "image",
    /// A video.
    Video = "video",
    /// A web page.
    Link = "link",
    /// A file of any type.
    File = "file",
    /// A piece of music.
    Music = "music",
    /// Chat messages.
    Chat = "chat",
    /// A voice message.
    Voice = "voice",
    /// A written note.
    Note = "note",
    /// A geographic position.
    Position = "position",
}

impl From<ClipType> for DataType {
    fn from(clip_type: ClipType) -> Self {
        match clip_type {
            ClipType::Image => Self::Image,
            ClipType::Video => Self::Video,
            ClipType::Link => Self::Link,
            ClipType::File => Self::File,
            ClipType::Music => Self::Music,
            ClipType::Chat => Self::Chat,
            ClipType::Voice => Self::Voice,
            ClipType::Note => Self::Note,
            ClipType::Position => Self::Position,
        }
    }
}

choice_value! {
    /// The attribute by which a list of tags is sorted.
    #[derive(Default)]
    TagSort,
    /// The name, in byte order: upper-case letters before lower-case ones, and both before other
    /// scripts.
    #[default]
    Name = "name",
    /// The time of creation.
    Created = "created",
    /// The time of the last use.
    Accessed = "accessed",
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::str::FromStr;

    fn is_valid<T: FromStr>(text: &str) -> bool {
        text.parse::<T>().is_ok()
    }

    #[test]
    fn ids_need_no_escaping_and_new_ids_are_in_order() {
        let long = "a".repeat(128);
        for good in ["0", "01J9ZK3V", "b0c4-_~.:=+@", "0190c3f4-7b1e-7cc0-8d2f-1a2b3c4d5e6f", "Search", &long] {
            assert!(is_valid::<DataId>(good) && is_valid::<TagId>(good), "{good}");
        }
        let too_long = "a".repeat(129);
        for bad in ["", ".", "..", "-_", "a b", "a#b", "a/b", "a%b", "ä", "a\n", &too_long] {
            assert!(!is_valid::<DataId>(bad) && !is_valid::<TagId>(bad), "{bad}");
        }
        for word in ["search", "types"] {
            assert!(!is_valid::<DataId>(word) && is_valid::<TagId>(word), "{word}");
        }
        let made: Vec<DataId> = (0..100).map(|_| DataId::new()).collect();
        assert!(made.is_sorted() && made.iter().all(|id| is_valid::<DataId>(id.as_ref())));
        assert_ne!(made[0], made[1]);
        let made: Vec<TagId> = (0..100).map(|_| TagId::new()).collect();
        assert!(made.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn urls_have_a_host_and_no_user_information() {
        let long = format!("https://example.com/{}", "a".repeat(2028));
        for good in [
            "http://example.com",
            "https://example.com:8443/a/b.png?x=1&y=%C3%A9#top",
            "HTTPS://EXAMPLE.COM/",
            "https://[2001:db8::1]/x",
            "https://xn--fsq.example/(a)",
            &long,
        ] {
            assert!(is_valid::<Url>(good), "{good}");
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
            assert!(!is_valid::<Url>(bad), "{bad}");
        }
    }

    #[test]
    fn a_title_needs_a_visible_character() {
        for invisible in ["\u{3164}", "\u{200b}\u{200b}", "\u{2800}"] {
            assert!(!is_valid::<Title>(invisible) && !is_valid::<CreatorId>(invisible), "{invisible:?}");
        }
        // Only the owner of a favorite sees the title.
        assert!(is_valid::<Title>("\u{202e}Sunset") && is_valid::<Title>("👩\u{200d}🚀"));
    }

    #[test]
    fn tag_names_follow_their_rule_and_fold_their_case() {
        for good in ["a", "Léon", "旅行", "سفر", "Ｗork", "two words", "#1", "🎂", &"ü".repeat(64)] {
            assert!(is_valid::<TagName>(good), "{good}");
        }
        // Each folds to 18 characters, which together do not fit into a sort key.
        let ligatures = "\u{fdfa}".repeat(64);
        for bad in ["", " ", " a", "a ", "a\nb", "a\t", "\u{ad}", "\u{2800}", &"ü".repeat(65), &ligatures] {
            assert!(!is_valid::<TagName>(bad), "{bad:?}");
        }
        let folded = |name: &str| name.parse::<TagName>().unwrap().folded();
        for (a, b) in [("Work", "wORK"), ("Café", "CAFE\u{301}"), ("Ｗork", "work"), ("Straße", "STRASSE")] {
            assert_eq!(folded(a), folded(b));
        }
        assert_ne!(folded("cafe"), folded("café"));
    }
}
