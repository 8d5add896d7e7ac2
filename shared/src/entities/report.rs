//! Reports of photos, comments and users to the moderators.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::key::{Key, user_pk};
use crate::values::{PictureNumber, ReportId, ReportReason, ReportState, SensitiveReason, Timestamp, Username};

/// The prefix of the sort keys of reports. They sort between the blocks and the complaints.
pub const REPORT_PREFIX: &str = "#CASE#";
/// The global secondary index of the reports: `reportState` is its partition key, and `timestamp`
/// is its sort key. Other items are not in it, because they have no `reportState`.
pub const REPORTS_BY_STATE: &str = "ReportsByState";
/// The maximum number of texts in a report. Complaints after these only count.
pub const MAX_TEXTS: usize = 20;

/// The report about a photo, a comment or a user, with the complaints of all who complain about it.
/// One decision of a moderator answers all of them. The report is open again if somebody complains
/// after it was dismissed or the photo was marked.
///
/// A [`Decision`](super::Decision) tells who decided and why.
///
/// The counts tell how many [`Complaint`](super::Complaint)s there are, which the deletion of the
/// reported user has to find. An index does not tell this, because it follows the table with a
/// delay.
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
    /// The number of reports by people without an account, who report what a link shows. There are no
    /// [`Complaint`](super::Complaint)s of them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub visitors: u64,
    /// The number of complaints and of reports by visitors, by reason.
    pub reasons: BTreeMap<ReportReason, u64>,
    /// The first texts by the users who wrote them, at most [`MAX_TEXTS`].
    pub texts: BTreeMap<Username, String>,
    /// The reason for which a moderator has removed the photo or the comment, or [some
    /// pictures](Self::pictures).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_for: Option<ReportReason>,
    /// The pictures that a moderator has removed of a photo that shows others. A complaint opens the report
    /// again and leaves them removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<PictureNumber>,
    /// The reason for which a moderator has marked the photo as sensitive. A complaint opens the report
    /// again and keeps the mark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<SensitiveReason>,
    /// The time of the last [`Decision`](super::Decision), which is in its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided: Option<Timestamp>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with the field")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Report {
    /// Returns an open report without a complaint.
    #[must_use]
    pub fn new(id: ReportId, timestamp: Timestamp) -> Self {
        Self {
            id,
            report_state: ReportState::Open,
            timestamp,
            complaints: 0,
            visitors: 0,
            reasons: BTreeMap::new(),
            texts: BTreeMap::new(),
            removed_for: None,
            pictures: vec![],
            sensitive: None,
            decided: None,
        }
    }

    /// Returns the reason for which the whole photo or comment is removed.
    #[must_use]
    pub fn removal(&self) -> Option<ReportReason> {
        self.removed_for.filter(|_| self.pictures.is_empty())
    }

    /// Returns the reason that most complaints give.
    #[must_use]
    pub fn main_reason(&self) -> ReportReason {
        let most = self.reasons.iter().max_by_key(|(reason, complaints)| (**complaints, std::cmp::Reverse(**reason)));
        most.map_or(ReportReason::Other, |(reason, _)| *reason)
    }
}

impl Key {
    /// Returns the key of a [`Report`](super::Report). It is in the partition of the user whom the
    /// report is about, whose deletion finds it.
    #[must_use]
    pub fn report(id: &ReportId) -> Self {
        Self::of_photos(user_pk(id.reported_user()), format!("{REPORT_PREFIX}{id}"))
    }

    /// Returns the key of the photo or the comment that a report is about, or `None` if it is about
    /// a user.
    #[must_use]
    pub fn reported(id: &ReportId) -> Option<Self> {
        match id {
            ReportId::User(_) => None,
            ReportId::Photo(owner, photo) => Some(Self::photo(owner, photo)),
            ReportId::Comment(owner, photo, comment) => Some(Self::comment(comment, owner, photo)),
        }
    }
}
