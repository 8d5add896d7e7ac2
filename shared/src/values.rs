//! The values that callers send. Each type is made by parsing, so an invalid value cannot exist.
//!
//! Each type states its rule in [`Value::RULE`], which completes the error message "must be …" for
//! the caller.

use serde::de::DeserializeOwned;

mod catalogue;
mod comments;
mod exports;
mod favorites;
pub mod fold;
mod hashtags;
mod idempotency;
mod invalid;
mod key_size;
mod links;
mod lists;
mod live;
mod macros;
mod notifications;
mod photos;
mod push;
mod reports;
mod sensitive;
mod text;
mod timestamps;
mod users;

pub use catalogue::{Artist, DocumentFormat, Genre, PersonId, SongTitle, TitlePrefix};
pub use comments::{AnsweredComment, CommentId, CommentText};
pub use exports::{ExportId, ExportState, ImportId, ImportState};
pub use favorites::{ClipType, CreatorId, DataId, DataType, PhotoReference, TagId, TagName, TagSort, Title, Url};
pub use hashtags::{Hashtag, HashtagQuery, MAX_HASHTAG_CHARS};
pub use idempotency::IdempotencyKey;
pub use invalid::InvalidValue;
pub use key_size::{MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES, can_be_a_key};
pub use links::{EmbedFormat, LinkToken, LinkUrl, MaxPixels, Show};
pub use lists::{
    DEFAULT_SIMILAR, MAX_SIMILAR, NotificationParts, Order, OrderBy, PageParts, PeopleParts, PhotoParts, PhotosParts,
    ProfileParts, SimilarLimit, ViewerParts,
};
pub use live::{ScreenId, Ticket};
pub use notifications::NotificationKind;
pub use photos::{
    AltText, Audience, Caption, FileBytes, FileHash, MAX_UPLOAD_BYTES, PhotoFormat, PhotoId, PictureId, PictureNumber,
    PictureNumbers, ReactionType, UploadMethod,
};
pub use push::{
    AppVersion, DeviceId, DeviceKind, Locale, LockScreen, PushEndpoint, PushKeys, PushOff, PushToken, QuietHours,
};
pub use reports::{DecisionKind, DecisionNote, HashtagDecisionKind, ReportId, ReportReason, ReportState, ReportText};
pub use sensitive::{MarkedBy, SensitivePhotos, SensitiveReason};
pub use text::RefusedCharacter;
pub use timestamps::{EpochMillis, Time, Timestamp};
pub use users::{Address, Birthdate, Email, Interests, Level, Name, NewUsername, Status, Subject, Username};

/// A type whose JSON Schema the generator of docs/openapi.json needs. In a function that is
/// deployed, every type is.
#[cfg(feature = "schema")]
pub use schemars::JsonSchema as Described;

/// A type whose JSON Schema the generator of docs/openapi.json needs. In a function that is
/// deployed, every type is.
#[cfg(not(feature = "schema"))]
pub trait Described {}

#[cfg(not(feature = "schema"))]
impl<T: ?Sized> Described for T {}

/// A value that callers send and that follows a rule.
pub trait Value: DeserializeOwned + Described {
    /// The rule, worded to follow "must be".
    const RULE: &'static str;

    /// Whether a person types the value. A form sends `""` for a field that was left empty, so in an
    /// optional field it is the same as `null`.
    const IS_FREE_TEXT: bool = false;

    /// Returns the first character for which the rule refuses a text, whether it is the whole value
    /// or an element of it. Only free texts have such characters.
    #[must_use]
    fn refused_character(_text: &str) -> Option<RefusedCharacter> {
        None
    }
}

impl Value for bool {
    const RULE: &'static str = "true or false";
}
