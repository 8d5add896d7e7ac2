//! Reports as answers show them to moderators.

use std::collections::BTreeMap;

use serde::Serialize;

#[cfg(feature = "schema")]
use crate::entities::MAX_TEXTS;
use crate::entities::Report;
use crate::values::{
    CommentId, PhotoReference, PictureNumber, ReportId, ReportReason, ReportState, SensitiveReason, Time, Username,
};

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
    pub timestamp: Time,
    /// The number of complaints.
    pub complaints: u64,
    /// The number of reports by people without an account. Left out if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visitors: Option<u64>,
    /// The number of complaints and of reports by people without an account, by reason.
    pub reasons: BTreeMap<ReportReason, u64>,
    /// The first texts by the usernames of those who wrote them.
    #[cfg_attr(feature = "schema", schemars(extend("maxProperties" = MAX_TEXTS)))]
    pub texts: BTreeMap<Username, String>,
    /// The reason for which a moderator has removed the photo or the comment, or the `pictures`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<ReportReason>,
    /// The numbers of the pictures that a moderator has removed of a photo that shows others. Left out if there are
    /// none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<PictureNumber>,
    /// The reason for which a moderator has marked the photo as sensitive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<SensitiveReason>,
    /// The time of the last decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided: Option<Time>,
}

/// The user, the photo or the comment that a report is about.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct About {
    /// The user who is reported: the user, the owner of the photo or the author of the comment.
    pub username: Username,
    /// The photo, if the report is about a photo or about a comment on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub photo: Option<PhotoReference>,
    /// The id of the comment on the photo, if the report is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<CommentId>,
}

impl From<ReportId> for About {
    fn from(id: ReportId) -> Self {
        let reported = id.reported_user().clone();
        let (photo, comment) = match id {
            ReportId::User(_) => (None, None),
            ReportId::Photo(username, id) => (Some(PhotoReference { username, id }), None),
            ReportId::Comment(username, id, comment) => (Some(PhotoReference { username, id }), Some(comment)),
        };
        Self { username: reported, photo, comment }
    }
}

impl From<Report> for ShownReport {
    fn from(report: Report) -> Self {
        let Report { id, report_state: state, timestamp, complaints, visitors, reasons, texts, .. } = report;
        let Report { removed_for: reason, pictures, sensitive, decided, .. } = report;
        let visitors = (visitors > 0).then_some(visitors);
        let about = id.clone().into();
        let (timestamp, decided) = (timestamp.into(), decided.map(Time::from));
        Self { id, about, state, timestamp, complaints, visitors, reasons, texts, reason, pictures, sensitive, decided }
    }
}
