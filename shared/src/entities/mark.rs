//! The marks of sensitive photos.
//!
//! The owner marks a photo by its attribute `sensitive`. A moderator marks it by `sensitive` and
//! `sensitiveBy`, and `sensitiveBefore` keeps the mark of the owner until the moderator takes the mark
//! back.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};

use super::photo::Photo;
use crate::dynamodb::Item;
use crate::values::{MarkedBy, SensitivePhotos, SensitiveReason};

/// The condition that no moderator has marked a photo.
pub const NO_MODERATOR_MARK: &str = "attribute_not_exists(sensitiveBy)";

/// The mark of a sensitive photo, as answers show it.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The reason.
    pub reason: SensitiveReason,
    /// The person who says so.
    pub by: MarkedBy,
}

/// The three attributes of a photo that are its mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkAttributes {
    sensitive: Option<SensitiveReason>,
    by: Option<MarkedBy>,
    before: Option<SensitiveReason>,
}

impl MarkAttributes {
    /// Returns the attributes of a photo.
    #[must_use]
    pub const fn of(photo: &Photo) -> Self {
        Self { sensitive: photo.sensitive, by: photo.sensitive_by, before: photo.sensitive_before }
    }

    /// Returns the attributes after the decision of a moderator, who marks the photo for a reason, or
    /// leaves it to its owner.
    #[must_use]
    pub const fn decided(self, reason: Option<SensitiveReason>) -> Self {
        let of_owner = if self.by.is_some() { self.before } else { self.sensitive };
        match reason {
            Some(_) => Self { sensitive: reason, by: Some(MarkedBy::Moderator), before: of_owner },
            None => Self { sensitive: of_owner, by: None, before: None },
        }
    }

    /// Returns the names of the attributes with their values.
    #[must_use]
    pub fn named(self) -> [(&'static str, Option<&'static str>); 3] {
        [
            ("sensitive", self.sensitive.map(Into::into)),
            ("sensitiveBy", self.by.map(Into::into)),
            ("sensitiveBefore", self.before.map(Into::into)),
        ]
    }
}

impl Photo {
    /// Returns the mark, if the photo is sensitive.
    #[must_use]
    pub fn mark(&self) -> Option<Mark> {
        self.sensitive.map(|reason| Mark { reason, by: self.sensitive_by.unwrap_or(MarkedBy::Owner) })
    }

    /// Returns the photo with the mark of a moderator, or as its owner has marked it.
    #[must_use]
    pub fn marked_by_moderator(self, reason: Option<SensitiveReason>) -> Self {
        let MarkAttributes { sensitive, by, before } = MarkAttributes::of(&self).decided(reason);
        Self { sensitive, sensitive_by: by, sensitive_before: before, ..self }
    }
}

/// Returns whether the item of a user says that lists show them sensitive photos.
#[must_use]
pub fn shows_sensitive(user: &Item) -> bool {
    user.get("sensitivePhotos") == Some(&S(SensitivePhotos::Show.to_string()))
}
