//! Reports of photos, comments and users to the moderators.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::values::{CommentId, ReportId, ReportReason, ReportState, Timestamp, Username};

/// The maximum number of complaints that one user makes, with those that were decided.
pub const MAX_COMPLAINTS: u64 = 1000;

/// The attribute of a user with the number of complaints that the user has made. Answers do not
/// show it. It keeps them within [`MAX_COMPLAINTS`].
pub const COMPLAINTS_MADE: &str = "complaintsMade";

/// The maximum number of texts in a report. Complaints after these only count.
pub const MAX_TEXTS: usize = 20;

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

/// The report about a photo, a comment or a user, with the complaints of all who complain about it.
/// One decision of a moderator answers all of them. The report is open again if somebody complains
/// after it was dismissed.
///
/// The access log of the API tells which moderator made a decision.
///
/// The counts tell how many [`Complaint`]s there are, which the deletion of the reported user has
/// to find. An index does not tell this, because it follows the table with a delay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The id, which is what the report is about.
    pub id: ReportId,
    /// The state.
    pub report_state: ReportState,
    /// The time since which the report is or was open: that of the first complaint, or of the first
    /// one after the report was dismissed.
    pub timestamp: Timestamp,
    /// The number of complaints.
    pub complaints: u64,
    /// The number of complaints by reason.
    pub reasons: BTreeMap<ReportReason, u64>,
    /// The first texts by the users who wrote them, at most [`MAX_TEXTS`].
    pub texts: BTreeMap<Username, String>,
    /// The reason for which a moderator has removed the photo or the comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_for: Option<ReportReason>,
    /// The time of the last decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided: Option<Timestamp>,
}

impl Report {
    /// Returns the reason that most complaints give.
    #[must_use]
    pub fn main_reason(&self) -> ReportReason {
        let most = self.reasons.iter().max_by_key(|(reason, complaints)| (**complaints, std::cmp::Reverse(**reason)));
        most.map_or(ReportReason::Other, |(reason, _)| *reason)
    }
}

/// A [`Report`] as moderators see it.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Report"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownReport {
    /// The id.
    pub id: ReportId,
    /// The user, the photo or the comment that is reported.
    #[serde(flatten)]
    pub about: About,
    /// The state.
    pub state: ReportState,
    /// The time since which the report is or was open.
    pub timestamp: Timestamp,
    /// The number of complaints.
    pub complaints: u64,
    /// The number of complaints by reason.
    pub reasons: BTreeMap<ReportReason, u64>,
    /// The first texts by the usernames of those who wrote them.
    #[cfg_attr(feature = "schema", schemars(extend("maxProperties" = MAX_TEXTS)))]
    pub texts: BTreeMap<Username, String>,
    /// The reason for which a moderator has removed the photo or the comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<ReportReason>,
    /// The time of the last decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided: Option<Timestamp>,
}

/// The user, the photo or the comment that a report is about.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct About {
    /// The user, or the owner of the photo.
    pub user: Username,
    /// The timestamp of the photo, unless the report is about the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub photo: Option<Timestamp>,
    /// The id of the comment on the photo, if the report is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<CommentId>,
}

impl From<ReportId> for About {
    fn from(id: ReportId) -> Self {
        match id {
            ReportId::User(user) => Self { user, photo: None, comment: None },
            ReportId::Photo(user, photo) => Self { user, photo: Some(photo), comment: None },
            ReportId::Comment(user, photo, comment) => Self { user, photo: Some(photo), comment: Some(comment) },
        }
    }
}

impl From<Report> for ShownReport {
    fn from(report: Report) -> Self {
        let Report { id, report_state: state, timestamp, complaints, reasons, texts, .. } = report;
        let Report { removed_for: reason, decided, .. } = report;
        let about = id.clone().into();
        Self { id, about, state, timestamp, complaints, reasons, texts, reason, decided }
    }
}
