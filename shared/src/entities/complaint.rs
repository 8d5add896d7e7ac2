//! Complaints: what a user says about a photo, a comment or another user.

use serde::{Deserialize, Serialize};

use super::key::{Key, user_pk};
use crate::values::{ReportId, ReportReason, Timestamp, Username};

/// The prefix of the sort keys of complaints. They sort between the reports and the friendships.
pub const COMPLAINT_PREFIX: &str = "#COMPLAINT#";
/// The maximum number of complaints that one user makes, with those that were decided.
pub const MAX_COMPLAINTS: u64 = 1000;
/// The attribute of a user with the number of complaints that the user has made. Answers do not
/// show it. It keeps them within [`MAX_COMPLAINTS`].
pub const COMPLAINTS_MADE: &str = "complaintsMade";

/// The complaint of one user about a photo, a comment or another user. A user makes at most one
/// about each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complaint {
    /// The user who complains.
    pub reporter: Username,
    /// The id of the report, which is what the complaint is about.
    pub about: ReportId,
    /// The reason.
    pub reason: ReportReason,
    /// The user's own words about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The time of the complaint.
    pub timestamp: Timestamp,
}

impl Key {
    /// Returns the key of a [`Complaint`](super::Complaint).
    #[must_use]
    pub fn complaint(reporter: &Username, about: &ReportId) -> Self {
        Self::of_photos(user_pk(reporter), complaint_sk(about))
    }
}

/// Returns the sort key of every complaint about one thing.
#[must_use]
pub fn complaint_sk(about: &ReportId) -> String {
    format!("{COMPLAINT_PREFIX}{about}")
}
