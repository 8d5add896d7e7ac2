//! The values of sensitive photos.

use super::macros::choice_value;

choice_value! {
    /// The reason why a photo is sensitive.
    SensitiveReason,
    /// Nudity or sexual content.
    Nudity = "nudity",
    /// Violence.
    Violence = "violence",
    /// An injury, an illness or an operation.
    Medical = "medical",
    /// The end of a film, a game or a book.
    Spoiler = "spoiler",
    /// Another reason.
    Other = "other",
}

choice_value! {
    /// The person who says that a photo is sensitive.
    MarkedBy,
    /// The owner.
    Owner = "owner",
    /// A moderator.
    Moderator = "moderator",
}

choice_value! {
    /// The form in which lists have the sensitive photos of other people.
    #[derive(Default)]
    SensitivePhotos,
    /// The blurhash alone.
    #[default]
    Hide = "hide",
    /// The picture.
    Show = "show",
}

impl SensitivePhotos {
    /// Returns whether it is the default, which an item leaves out.
    #[must_use]
    pub const fn is_hide(&self) -> bool {
        matches!(self, Self::Hide)
    }
}
