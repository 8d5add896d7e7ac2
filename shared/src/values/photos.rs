//! The values of photos and reactions.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use serde::{Deserialize, Serialize};

use super::macros::{choice_value, text_value};
use super::{InvalidValue, Timestamp, Value};

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
    /// The way in which a file is uploaded to S3.
    #[derive(Default)]
    UploadMethod,
    /// A form, as browsers send it.
    #[default]
    Form = "form",
    /// The file alone, as the background transfers of phones send it. S3 then checks its size and its hash.
    Put = "put",
}

/// The maximum size of an uploaded file in bytes: 20 MB.
pub const MAX_UPLOAD_BYTES: u64 = 20 * 1024 * 1024;

/// The size of a file that is uploaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u64")]
pub struct FileBytes(u64);

impl FileBytes {
    /// Returns the number of bytes.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl Value for FileBytes {
    const RULE: &'static str = "a whole number from 1 to 20971520";
}

impl TryFrom<u64> for FileBytes {
    type Error = &'static str;

    fn try_from(bytes: u64) -> Result<Self, Self::Error> {
        if (1..=MAX_UPLOAD_BYTES).contains(&bytes) { Ok(Self(bytes)) } else { Err(Self::RULE) }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for FileBytes {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "FileBytes".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "integer",
            "description": "The number of bytes of the file. Only with `\"upload\": \"put\"`.",
            "minimum": 1,
            "maximum": MAX_UPLOAD_BYTES,
        })
    }
}

text_value! {
    /// The SHA-256 of a file that is uploaded.
    FileHash,
    "64 hexadecimal digits in lower case",
    |text| text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)),
    {"pattern": "^[0-9a-f]{64}$"}
}

impl FileHash {
    /// Returns the bytes of the hash.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let digits = self.0.as_bytes().chunks(2).filter_map(|digits| std::str::from_utf8(digits).ok());
        digits.filter_map(|digits| u8::from_str_radix(digits, 16).ok()).collect()
    }
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

/// The number of a picture among those of a photo that was made with several. The first has 1, and no
/// number is used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u32")]
pub struct PictureNumber(u32);

impl PictureNumber {
    /// The number of the first picture.
    pub const FIRST: Self = Self(1);

    /// Returns the next number, or `None` after the last one.
    #[must_use]
    pub const fn next(self) -> Option<Self> {
        match self.0.checked_add(1) {
            Some(next) => Some(Self(next)),
            None => None,
        }
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl Value for PictureNumber {
    const RULE: &'static str = "a whole number from 1 to 4294967295";
}

impl TryFrom<u32> for PictureNumber {
    type Error = &'static str;

    fn try_from(number: u32) -> Result<Self, Self::Error> {
        if number > 0 { Ok(Self(number)) } else { Err(Self::RULE) }
    }
}

impl FromStr for PictureNumber {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let number = text.parse().ok().and_then(|number: u32| Self::try_from(number).ok());
        // An object has one key, so `+1` and `01` are none.
        number.filter(|number| number.to_string() == text).ok_or_else(InvalidValue::new::<Self>)
    }
}

impl fmt::Display for PictureNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for PictureNumber {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PictureNumber".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "integer",
            "description": "The number of a picture among those of its photo, as an answer has it. No number is used again.",
            "minimum": 1,
            "maximum": u32::MAX,
        })
    }
}

/// The numbers of some of the pictures of a photo, ascending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<PictureNumber>")]
pub struct PictureNumbers(Vec<PictureNumber>);

impl PictureNumbers {
    /// The maximum number of pictures.
    const MAX: usize = 10;

    /// Returns the numbers.
    #[must_use]
    pub fn into_vec(self) -> Vec<PictureNumber> {
        self.0
    }
}

impl Value for PictureNumbers {
    const RULE: &'static str = "an array of 1 to 10 numbers of pictures, each once";
}

impl TryFrom<Vec<PictureNumber>> for PictureNumbers {
    type Error = InvalidValue;

    fn try_from(mut numbers: Vec<PictureNumber>) -> Result<Self, InvalidValue> {
        numbers.sort_unstable();
        let is_repeated = numbers.windows(2).any(|pair| pair[0] == pair[1]);
        let is_valid = (1..=Self::MAX).contains(&numbers.len()) && !is_repeated;
        if is_valid { Ok(Self(numbers)) } else { Err(InvalidValue::new::<Self>()) }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for PictureNumbers {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PictureNumbers".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let items = generator.subschema_for::<PictureNumber>();
        schemars::json_schema!({
            "type": "array", "items": items, "minItems": 1, "maxItems": Self::MAX, "uniqueItems": true
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_pictures_are_ascending_and_each_is_there_once() {
        let parse = |numbers: &[u32]| serde_json::from_value::<PictureNumbers>(serde_json::json!(numbers)).ok();
        let numbers = parse(&[3, 1]).unwrap().into_vec();
        assert_eq!(numbers.into_iter().map(PictureNumber::get).collect::<Vec<_>>(), [1, 3]);
        let eleven: Vec<u32> = (1..=11).collect();
        assert!(parse(&eleven[1..]).is_some());
        assert_eq!([&[][..], &[1, 1], &[0], &eleven].map(parse), [None, None, None, None]);
    }

    #[test]
    fn a_number_of_a_picture_has_one_text() {
        for (text, number) in [("1", Some(1)), ("10", Some(10)), ("4294967295", Some(u32::MAX))] {
            assert_eq!(text.parse().ok().map(PictureNumber::get), number);
        }
        for bad in ["", "0", "01", "+1", "-1", "1 ", "4294967296", "ba7816bf8f01cfea"] {
            assert!(bad.parse::<PictureNumber>().is_err(), "{bad}");
        }
        assert_eq!(PictureNumber::FIRST.next().map(PictureNumber::get), Some(2));
        assert_eq!(PictureNumber(u32::MAX).next(), None);
    }

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
    fn a_file_has_1_byte_to_20_mb_and_a_hash() {
        assert!(FileBytes::RULE.ends_with(&format!(" {MAX_UPLOAD_BYTES}")));
        let parse = |bytes: &str| serde_json::from_str(bytes).ok().map(FileBytes::get);
        assert_eq!(["1", "20971520"].map(parse), [Some(1), Some(20_971_520)]);
        assert_eq!(["0", "20971521", "-1", "1.5", "\"1\""].map(parse), [None; 5]);
        // printf abc | sha256sum
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash.parse::<FileHash>().unwrap().to_bytes(), Sha256::digest(b"abc").to_vec());
        for bad in ["", &hash[1..], &hash.to_uppercase(), &hash.replace('b', "g")] {
            assert!(bad.parse::<FileHash>().is_err(), "{bad}");
        }
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
