//! The errors that a finding names.

use shared::values::Timestamp;
use thiserror::Error;

/// An error in a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(in crate::audit) enum ReportFault {
    /// The count of complaints is wrong.
    #[error("complaints is {stored}, but should be {actual}")]
    Count { stored: i64, actual: i64 },
    /// The report says that the photo or the comment is removed, but it is shown.
    #[error("removed, but it is shown")]
    Shown,
    /// The photo or the comment is removed, and the report does not say so.
    #[error("not removed, but it is not shown")]
    NotShown,
    /// The photo has a moderator's mark and the report does not say so, or the other way round.
    #[error("its mark is not that of the photo")]
    Mark,
    /// The pictures that are removed are not those that the report says.
    #[error("its pictures are not those that are removed")]
    Pictures,
    /// The last decision is missing, or it says something else.
    #[error("its state or its time is not that of its last decision")]
    Decision,
}

/// An error in a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(in crate::audit) enum DecisionFault {
    /// The report does not exist.
    #[error("there is no report")]
    NoReport,
    /// DynamoDB should have deleted the decision a week ago.
    #[error("expired at {}, but it is not deleted", time(*.0, 1000))]
    Overdue(u64),
}

/// An error in a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(in crate::audit) enum LinkFault {
    /// The target is missing, or it opens something else than the link says.
    #[error("its target is missing or another one")]
    Target,
    /// The photo does not exist.
    #[error("the photo does not exist")]
    NoPhoto,
    /// The link has ended, and its target is gone.
    #[error("ended at {}, but it is not deleted", time(*.0, 1000))]
    Ended(u64),
    /// The link has ended a week ago, and DynamoDB has not deleted its target.
    #[error("ended at {}, but its target is not deleted", time(*.0, 1000))]
    Overdue(u64),
}

/// An error in the `ttl` of a photo, which is in seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(in crate::audit) enum TtlFault {
    /// The picture is pending, and the photo does not expire.
    #[error("pending without a ttl")]
    Missing,
    /// The picture is not pending, and DynamoDB will delete the photo.
    #[error("not pending, but it expires at {}", time(*.0, 1000))]
    Unwanted(u64),
    /// The picture is pending, and DynamoDB should have deleted the photo a week ago.
    #[error("expired at {}, but it is not deleted", time(*.0, 1000))]
    Overdue(u64),
}

/// An error in the pictures of a photo that was made with several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(in crate::audit) enum PicturesFault {
    /// The photo does not exist, or it was made with one picture.
    #[error("there is no photo of several pictures")]
    NoPhoto,
    /// The item of the pictures does not exist.
    #[error("its pictures are missing, but for the first one")]
    NoPictures,
    /// The photo does not have the first picture, its text alternative, or the number of pictures.
    #[error("it does not repeat its first picture, its text or the number of its pictures")]
    Copy,
    /// All pictures are ready, and the photo is pending.
    #[error("pending, although its pictures are ready")]
    NotPublished,
}

/// The reason why no photo needs an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(in crate::audit) enum ObjectFault {
    /// The photo does not exist.
    #[error("the photo does not exist")]
    NoPhoto,
    /// Another program wrote the photo, without a picture.
    #[error("the photo has no picture")]
    NoPicture,
    /// The photo shows the picture of another upload.
    #[error("the photo shows another picture")]
    NotShown,
    /// The picture of the photo was rejected.
    #[error("the picture was rejected")]
    Rejected,
}

/// Returns the time that is this number of units of `unit` milliseconds after 1970.
pub(super) fn time(number: u64, unit: u64) -> String {
    let millis = i64::try_from(number.saturating_mul(unit)).ok();
    millis.and_then(Timestamp::from_epoch_millis).map_or_else(|| number.to_string(), |time| time.to_string())
}
