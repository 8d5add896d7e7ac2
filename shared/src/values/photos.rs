//! The values of photos and reactions.

use sha2::{Digest, Sha256};

use super::Timestamp;
use super::macros::{choice_value, text_value};

choice_value! {
    /// The type of a reaction to a photo.
    ReactionType("; in a query string, write %2B for +"),
    /// Thumbs up: 👍.
    PlusOne = "+1",
    /// A heart: ❤.
    Heart = "heart",
    /// A smiling face: 🙂.
    Smiley = "smiley",
    /// A face with sunglasses: 😎.
    Sunglasses = "sunglasses",
}

choice_value! {
    /// The format of the file that is uploaded for a photo, and the subtype of its media type
    /// `image/…`.
    PhotoFormat,
    /// Portable Network Graphics: <https://www.w3.org/TR/png/>.
    Png = "png",
    /// The format of the Joint Photographic Experts Group: <https://www.w3.org/Graphics/JPEG/>.
    Jpeg = "jpeg",
    /// The WebP image format: <https://www.rfc-editor.org/rfc/rfc9649>.
    Webp = "webp",
}

choice_value! {
    /// The users who may see a photo. Its owner always does.
    #[derive(Default)]
    Audience,
    /// Every user.
    #[default]
    Everyone = "everyone",
    /// The followers of the owner.
    Followers = "followers",
    /// The owner alone.
    Me = "me",
}

impl Audience {
    /// Returns whether every user may see the photo. An item has no attribute for this audience.
    #[must_use]
    pub fn is_everyone(&self) -> bool {
        *self == Self::Everyone
    }
}

choice_value! {
    /// The kind of problem because of which nobody but the owner sees a photo: the `type` of a problem as in
    /// [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457).
    PictureProblem,
    /// The file is no JPEG, PNG or WebP picture, or a variant of these that few programs can read.
    NotAPicture = "tag:quick-photos.example,2026:not-a-picture",
    /// The file has too many bytes.
    TooLarge = "tag:quick-photos.example,2026:picture-too-large",
    /// The picture has too many pixels, or a side that is too long.
    TooManyPixels = "tag:quick-photos.example,2026:too-many-pixels",
    /// The file is damaged or incomplete, or no attempt could process it.
    Damaged = "tag:quick-photos.example,2026:picture-damaged",
    /// A moderator, or the function for moderation, has removed the photo.
    Removed = "tag:quick-photos.example,2026:removed-by-moderator",
}

text_value! {
    /// The id of a photo among the photos of its owner, as the keys of items have it. The order of ids
    /// is the order of the uploads, because an id is the time of the upload. That is for the server
    /// alone: clients must not take an id apart.
    PhotoId, "the id of a photo from an answer, such as 2024-05-30T15:42:38.123Z",
    |text| text.parse::<Timestamp>().is_ok(),
    {
        "description": "The `id` of a photo, as an answer has it. It is opaque: do not take it apart, \
                        and take the time of the upload from `timestamp`.",
        "pattern": super::timestamps::PATTERN,
        "examples": ["2024-05-30T15:42:38"],
    }
}

impl PhotoId {
    /// Returns the time of the upload.
    #[must_use]
    pub fn time(&self) -> Timestamp {
        self.0.parse().expect("the id is a time")
    }
}

impl From<Timestamp> for PhotoId {
    fn from(time: Timestamp) -> Self {
        Self(time.into())
    }
}

text_value! {
    /// The caption that the owner gives a photo.
    Caption: LINES, "a string of " 1..=1000 " characters, at least one of them visible",
    {"pattern": super::text::TEXT_PATTERN, "examples": ["The last light\nover the harbour"]}
}

text_value! {
    /// The text alternative of a photo, for people who cannot see it.
    AltText: LINES, "a string of " 1..=500 " characters, at least one of them visible",
    {"pattern": super::text::TEXT_PATTERN, "examples": ["Boats at anchor under an orange sky"]}
}

text_value! {
    /// The id of a picture among those that were uploaded for a photo: the beginning of the SHA-256
    /// of the uploaded file.
    PictureId,
    "16 hexadecimal digits in lower case",
    |text| text.len() == 16 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)),
    {"pattern": "^[0-9a-f]{16}$"}
}

impl PictureId {
    /// Returns the id of an uploaded file.
    #[must_use]
    pub fn from_file(file: &[u8]) -> Self {
        let mut first = [0; 8];
        first.copy_from_slice(&Sha256::digest(file)[..8]);
        Self(format!("{:016x}", u64::from_be_bytes(first)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_choice_parses_from_its_own_text() {
        for reaction in ReactionType::ALL {
            assert_eq!(reaction.as_ref().parse(), Ok(*reaction));
            assert_eq!(serde_json::to_value(reaction).unwrap(), reaction.as_ref());
        }
        for format in PhotoFormat::ALL {
            assert_eq!(format.as_ref().parse(), Ok(*format));
        }
        assert!("Heart".parse::<ReactionType>().is_err());
        assert!("jpg".parse::<PhotoFormat>().is_err());
    }

    #[test]
    fn captions_and_descriptions_have_several_lines_and_a_visible_character() {
        let is_valid = |text: &str| (text.parse::<Caption>().is_ok(), text.parse::<AltText>().is_ok());
        for good in ["x", "Two\nlines", "😀", &"ü".repeat(500)] {
            assert_eq!(is_valid(good), (true, true), "{good}");
        }
        for bad in ["", " \n ", "\u{200b}", "a\u{0}b", "a\u{2028}b", &"x".repeat(1001)] {
            assert_eq!(is_valid(bad), (false, false), "{bad:?}");
        }
        assert_eq!(is_valid(&"ü".repeat(1000)), (true, false));
    }
}
