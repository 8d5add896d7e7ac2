//! The decisions about reports: each has a report, which agrees with the last one, until it expires.

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::Table;
use shared::entities::{Decision, Key, decision_sk_prefix, user_pk};
use shared::values::{DecisionKind, EpochMillis, ReportId, ReportState, SensitiveReason, Timestamp};

use super::entity::{Entity, PhotosLayout, parse_entity};
use super::ttl::MAX_DELAY_SECONDS;
use crate::audit::error::Error;
use crate::audit::finding::{DecisionFault, PhotosFinding};
use crate::audit::read;
use crate::audit::write::{check, check_part, delete, delete_expired, delete_part, write};

/// Returns a time that is before all decisions.
pub(super) fn earliest() -> Timestamp {
    Timestamp::from_epoch_millis(0).expect("1970 is a year")
}

/// Returns whether DynamoDB should have deleted a decision a week ago.
pub(super) fn is_overdue(ttl: u64) -> bool {
    ttl.saturating_add(MAX_DELAY_SECONDS) < EpochMillis::now().seconds()
}

/// The content of a decision, and the mark of the photo after it.
pub(super) type Said = (DecisionKind, Option<SensitiveReason>);

/// Returns whether a report with this state and this mark agrees with the last decision about it, which
/// may have expired. A new complaint opens a report that was dismissed or whose photo was marked.
pub(super) fn agree(
    state: ReportState,
    sensitive: Option<SensitiveReason>,
    decided: Option<&Timestamp>,
    last: Option<(&Timestamp, Said)>,
) -> bool {
    if state == ReportState::Marked && sensitive.is_none() {
        return false;
    }
    match (decided, last) {
        (Some(decided), Some((time, (decision, marked)))) => {
            let agrees = match decision {
                DecisionKind::Remove => matches!(state, ReportState::Removed | ReportState::PartlyRemoved),
                DecisionKind::Mark => matches!(state, ReportState::Marked | ReportState::Open),
                DecisionKind::Dismiss => matches!(state, ReportState::Dismissed | ReportState::Open),
                DecisionKind::Reopen => state == ReportState::Open,
            };
            agrees && decided == time && sensitive == marked
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
        Some(Ok(Entity::Decision { timestamp, decision, sensitive, .. })) => Some((timestamp, (decision, sensitive))),
        _ => None,
    })
}

/// Returns what is wrong with a decision.
pub(super) async fn inspect(
    table: &Table,
    about: &ReportId,
    timestamp: &Timestamp,
) -> Result<Option<PhotosFinding>, Error> {
    let item = read::get::<PhotosLayout>(table, Key::decision(about, timestamp)).await?;
    let Some(Ok(Entity::Decision { ttl, .. })) = item.map(parse_entity) else { return Ok(None) };
    let fault = if is_overdue(ttl) {
        DecisionFault::Overdue(ttl)
    } else if read::get::<PhotosLayout>(table, Key::report(about)).await?.is_none() {
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
