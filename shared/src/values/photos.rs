//! The values of photos and reactions.

use super::macros::choice_value;

choice_value! {
    /// The type of a reaction to a photo.
    ReactionType, "one of +1 (%2B1 in a query string), heart, smiley, sunglasses",
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
    /// The file format of a photo, which is also the extension of its file name.
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
