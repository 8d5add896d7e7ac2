//! The decisions about reports: each has a report, which agrees with the last one, until it expires.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::Table;
use shared::entities::{Decision, Key, Photo, Report, decision_sk_prefix, user_pk};
use shared::values::{DecisionKind, EpochMillis, PictureNumber, ReportId, ReportState, SensitiveReason, Timestamp};

use super::entity::{Entity, parse_entity};
use super::ttl::is_overdue;
use crate::audit::error::Error;
use crate::audit::finding::{DecisionFault, PhotosFinding};
use crate::audit::read;
use crate::audit::write::{check, check_part, delete, delete_expired, delete_part, write};

/// Returns a time that is before all decisions.
pub(super) fn earliest() -> Timestamp {
    Timestamp::from_epoch_millis(0).expect("1970 is a year")
}

/// The last decision as its report says it.
#[derive(Debug)]
pub(super) struct Decided {
    pub(super) state: ReportState,
    /// The pictures that a moderator has removed of a photo that shows others.
    pub(super) pictures: BTreeSet<PictureNumber>,
    /// The reason for which a moderator has marked the photo.
    pub(super) sensitive: Option<SensitiveReason>,
    /// The time of the decision.
    time: Option<Timestamp>,
}

impl From<Report> for Decided {
    fn from(Report { report_state: state, pictures, sensitive, decided: time, .. }: Report) -> Self {
        Self { state, pictures: pictures.into_iter().collect(), sensitive, time }
    }
}

/// The content of a decision, as far as the report repeats it.
#[derive(Debug)]
pub(super) struct Said {
    decision: DecisionKind,
    /// The pictures of a removal that leaves others.
    pictures: BTreeSet<PictureNumber>,
    /// The mark of the photo after it.
    sensitive: Option<SensitiveReason>,
}

impl Said {
    pub(super) fn of(decision: &Decision) -> Self {
        let Decision { decision, pictures, sensitive, .. } = decision;
        Self { decision: *decision, pictures: pictures.iter().copied().collect(), sensitive: *sensitive }
    }
}

/// Returns the reason for which a moderator has marked a photo.
pub(super) fn mark(photo: &Photo) -> Option<SensitiveReason> {
    photo.sensitive.filter(|_| photo.sensitive_by.is_some())
}

/// Returns whether a report agrees with the last decision about it, which may have expired. A new complaint opens
/// a report that was dismissed, whose photo was marked, or of which some pictures were removed.
pub(super) fn agree(report: &Decided, last: Option<(&Timestamp, &Said)>) -> bool {
    use ReportState::{Dismissed, Marked, Open, PartlyRemoved, Removed};

    let Decided { state, pictures, sensitive, time } = report;
    if *state == Marked && sensitive.is_none() || *state == PartlyRemoved && pictures.is_empty() {
        return false;
    }
    match (time, last) {
        (Some(decided), Some((time, said))) => {
            let agrees = match said.decision {
                DecisionKind::Remove if said.pictures.is_empty() => *state == Removed,
                DecisionKind::Remove => matches!(state, PartlyRemoved | Open),
                DecisionKind::Mark => matches!(state, Marked | Open),
                DecisionKind::Dismiss => matches!(state, Dismissed | Open),
                DecisionKind::Reopen => *state == Open,
            };
            agrees && decided == time && *sensitive == said.sensitive && *pictures == said.pictures
        }
        (Some(decided), None) => Decision::expiry(decided) <= EpochMillis::now().seconds(),
        (None, last) => last.is_none(),
    }
}

/// Returns the last decision about a report.
pub(super) async fn last_of(table: &Table, id: &ReportId) -> Result<Option<(Timestamp, Said)>, Error> {
    let output = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :user AND begins_with(SK, :decisions)")
        .expression_attribute_values(":user", S(user_pk(id.reported_user())))
        .expression_attribute_values(":decisions", S(decision_sk_prefix(id)))
        .scan_index_forward(false)
        .limit(1)
        .consistent_read(true)
        .send()
        .await?;
    let last = output.items.unwrap_or_default().pop().map(parse_entity);
    Ok(match last {
        Some(Ok(Entity::Decision(decision))) => Some((decision.timestamp.clone(), Said::of(&decision))),
        _ => None,
    })
}

/// Returns what is wrong with a decision.
pub(super) async fn inspect(
    table: &Table,
    about: &ReportId,
    timestamp: &Timestamp,
) -> Result<Option<PhotosFinding>, Error> {
    let Some(Ok(Entity::Decision(decision))) = read::entity(table, Key::decision(about, timestamp)).await? else {
        return Ok(None);
    };
    let ttl = decision.ttl;
    let fault = if is_overdue(ttl) {
        DecisionFault::Overdue(ttl)
    } else if read::get(table, Key::report(about)).await?.is_none() {
        DecisionFault::NoReport
    } else {
        return Ok(None);
    };
    Ok(Some(PhotosFinding::Decision { about: about.clone(), timestamp: timestamp.clone(), fault }))
}

/// Deletes a decision that has expired, or that still has no report.
pub(super) async fn repair(
    table: &Table,
    about: &ReportId,
    timestamp: &Timestamp,
    fault: DecisionFault,
) -> Result<bool, Error> {
    let key = Key::decision(about, timestamp);
    match fault {
        DecisionFault::Overdue(ttl) => delete_expired(table, key, ttl).await,
        DecisionFault::NoReport => {
            let decision = delete(table, key).condition_expression("attribute_exists(PK)");
            let report = check(table, Key::report(about)).condition_expression("attribute_not_exists(PK)");
            write(table, vec![delete_part(decision)?, check_part(report)?]).await
        }
    }
}
