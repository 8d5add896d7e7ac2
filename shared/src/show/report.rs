//! Reports as answers show them to moderators.

use std::collections::BTreeMap;

use serde::Serialize;

#[cfg(feature = "schema")]
use crate::entities::MAX_TEXTS;
use crate::entities::Report;
use crate::values::{CommentId, ReportId, ReportReason, ReportState, Timestamp, Username};

/// A report as moderators see it.
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
    pub username: Username,
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
            ReportId::User(username) => Self { username, photo: None, comment: None },
            ReportId::Photo(username, photo) => Self { username, photo: Some(photo), comment: None },
            ReportId::Comment(username, photo, comment) => {
                Self { username, photo: Some(photo), comment: Some(comment) }
            }
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
