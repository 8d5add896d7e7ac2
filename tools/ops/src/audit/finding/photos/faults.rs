//! The errors that a finding names.

use shared::values::Timestamp;
use thiserror::Error;

/// An error in a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(in crate::audit) enum ReportFault {
    #[error("complaints is {stored}, but should be {actual}")]
    Count { stored: i64, actual: i64 },
    #[error("removed, but it is shown")]
    Shown,
    #[error("not removed, but it is not shown")]
    NotShown,
    #[error("its mark is not that of the photo")]
    Mark,
    #[error("its pictures are not those that are removed")]
    Pictures,
    /// The last decision is missing, or it says something else.
    #[error("its state or its time is not that of its last decision")]
    Decision,
}

/// An error in a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(in crate::audit) enum DecisionFault {
    #[error("there is no report")]
    NoReport,
    /// DynamoDB should have deleted the decision a week ago.
    #[error("expired at {}, but it is not deleted", time(*.0, 1000))]
    Overdue(u64),
}

/// An error in a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(in crate::audit) enum LinkFault {
    #[error("its target is missing or another one")]
    Target,
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
    #[error("pending without a ttl")]
    Missing,
    #[error("not pending, but it expires at {}", time(*.0, 1000))]
    Unwanted(u64),
    /// The picture is pending, and DynamoDB should have deleted the photo a week ago.
    #[error("expired at {}, but it is not deleted", time(*.0, 1000))]
    Overdue(u64),
}

/// An error in the pictures of a photo that was made with several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(in crate::audit) enum PicturesFault {
    #[error("there is no photo of several pictures")]
    NoPhoto,
    #[error("its pictures are missing, but for the first one")]
    NoPictures,
    #[error("it does not repeat its first picture, its text or the number of its pictures")]
    Copy,
    #[error("pending, although its pictures are ready")]
    NotPublished,
}

/// The reason why no photo needs an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(in crate::audit) enum ObjectFault {
    #[error("the photo does not exist")]
    NoPhoto,
    /// Another program wrote the photo, without a picture.
    #[error("the photo has no picture")]
    NoPicture,
    #[error("the photo shows another picture")]
    NotShown,
    #[error("the picture was rejected")]
    Rejected,
}

/// Returns the time that is this number of units of `unit` milliseconds after 1970.
pub(super) fn time(number: u64, unit: u64) -> String {
    let millis = i64::try_from(number.saturating_mul(unit)).ok();
    millis.and_then(Timestamp::from_epoch_millis).map_or_else(|| number.to_string(), |time| time.to_string())
}
