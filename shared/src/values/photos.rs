//! The values of photos and reactions.

use super::macros::choice_value;

choice_value! {
    /// The type of a reaction to a photo.
    ReactionType,
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
    /// The format of the file that is uploaded for a photo, and the subtype of its media type `image/…`.
    PhotoFormat,
    /// Portable Network Graphics: <https://www.w3.org/TR/png/>.
    Png = "png",
    /// The format of the Joint Photographic Experts Group: <https://www.w3.org/Graphics/JPEG/>.
    Jpeg = "jpeg",
    /// The WebP image format: <https://www.rfc-editor.org/rfc/rfc9649>.
    Webp = "webp",
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
}
