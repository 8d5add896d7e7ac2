//! The errors that a finding names.

use std::fmt;

use shared::values::Timestamp;

/// An error in a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportFault {
    /// The count of complaints is wrong.
    Count {
        /// The count in the report.
        stored: i64,
        /// The number of complaints.
        actual: i64,
    },
    /// The report says that the photo or the comment is removed, but it is shown.
    Shown,
    /// The photo or the comment is removed, and the report does not say so.
    NotShown,
}

/// An error in the `ttl` of a photo, which is in seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TtlFault {
    /// The picture is pending, and the photo does not expire.
    Missing,
    /// The picture is not pending, and DynamoDB will delete the photo.
    Unwanted(u64),
    /// The picture is pending, and DynamoDB should have deleted the photo a week ago.
    Overdue(u64),
}

/// The reason why no photo needs an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectFault {
    /// The photo does not exist.
    NoPhoto,
    /// Another program wrote the photo, without a picture.
    NoPicture,
    /// The photo shows the picture of another upload.
    NotShown,
    /// The picture of the photo was rejected.
    Rejected,
}

impl fmt::Display for ReportFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { stored, actual } => write!(f, "complaints is {stored}, but should be {actual}"),
            Self::Shown => f.write_str("removed, but it is shown"),
            Self::NotShown => f.write_str("not removed, but it is not shown"),
        }
    }
}

impl fmt::Display for TtlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("pending without a ttl"),
            Self::Unwanted(ttl) => write!(f, "not pending, but it expires at {}", time(*ttl, 1000)),
            Self::Overdue(ttl) => write!(f, "expired at {}, but it is not deleted", time(*ttl, 1000)),
        }
    }
}

impl fmt::Display for ObjectFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoPhoto => "the photo does not exist",
            Self::NoPicture => "the photo has no picture",
            Self::NotShown => "the photo shows another picture",
            Self::Rejected => "the picture was rejected",
        })
    }
}

/// Returns the time that is this number of units of `unit` milliseconds after 1970.
pub(super) fn time(number: u64, unit: u64) -> String {
    let millis = i64::try_from(number.saturating_mul(unit)).ok();
    millis.and_then(Timestamp::from_epoch_millis).map_or_else(|| number.to_string(), |time| time.to_string())
}
