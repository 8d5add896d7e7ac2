//! Decisions of moderators about reports.

use serde::{Deserialize, Serialize};

use super::key::{Key, user_pk};
use super::report::{REPORT_PREFIX, Report};
use crate::values::{
    DecisionKind, DecisionNote, EpochMillis, PictureNumber, ReportId, ReportReason, SensitiveReason, Subject,
    Timestamp, Username,
};

/// The time for which a decision is kept, in seconds: 365 days.
pub const DECISION_LIFETIME_SECONDS: u64 = 365 * 24 * 60 * 60;

/// The maximum number of decisions that an answer has: the newest ones.
pub const MAX_DECISIONS: i32 = 100;

/// A decision of a moderator about a report. Nothing changes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// The id of the report.
    pub about: ReportId,
    /// The decision.
    pub decision: DecisionKind,
    /// The reason of a removal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<ReportReason>,
    /// The pictures of a removal that leaves others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<PictureNumber>,
    /// The reason of a mark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<SensitiveReason>,
    /// The moderator's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<DecisionNote>,
    /// The moderator.
    pub moderator: Username,
    /// The account of the moderator, because another account may have the username later.
    pub moderator_account: Subject,
    /// The time of the decision. A later decision about the same report has a later time.
    pub timestamp: Timestamp,
    /// The time at which the decision expires, in seconds since 1970.
    pub ttl: u64,
}

impl Decision {
    /// Returns the time of the next decision about a report: now, or the millisecond after the last
    /// decision, if that was made by a process whose clock is ahead. So the last decision by time is
    /// the one that the report shows.
    #[must_use]
    pub fn next_time(report: &Report) -> Timestamp {
        let now = Timestamp::now();
        let Some(last) = report.decided.as_ref().filter(|last| last.millis() >= now.millis()) else { return now };
        let next = i64::try_from(u64::from(last.millis()) + 1).ok().and_then(Timestamp::from_epoch_millis);
        next.unwrap_or(now)
    }

    /// Returns the time at which a decision of this time expires, in seconds since 1970.
    #[must_use]
    pub fn expiry(timestamp: &Timestamp) -> u64 {
        timestamp.seconds() + DECISION_LIFETIME_SECONDS
    }

    /// Returns whether the decision has expired. DynamoDB deletes it within [a few
    /// days](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html).
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.ttl <= EpochMillis::now().seconds()
    }
}

impl Key {
    /// Returns the key of a [`Decision`](super::Decision), which is in the partition of its report.
    #[must_use]
    pub fn decision(about: &ReportId, timestamp: &Timestamp) -> Self {
        Self::of_photos(user_pk(about.reported_user()), format!("{}{timestamp}", decision_sk_prefix(about)))
    }
}

/// Returns the prefix of the sort keys of the decisions about a report. No id of a report has a `#`,
/// so no other report has sort keys with this prefix.
#[must_use]
pub fn decision_sk_prefix(about: &ReportId) -> String {
    format!("{REPORT_PREFIX}{about}#")
}

/// Returns whether an item with the prefix of a report is a decision.
pub(super) fn is_decision_sk(sk: &str) -> bool {
    sk.strip_prefix(REPORT_PREFIX).is_some_and(|rest| rest.contains('#'))
}
