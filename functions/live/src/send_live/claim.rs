//! The decision whether screens are told now.

use std::time::Duration;

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use shared::entities::Key;
use shared::values::EpochMillis;
use shared::{Error, Table};
use uuid::Uuid;

/// The minimum time between two messages about the same.
const PAUSE: Duration = Duration::from_secs(1);
/// The time by which the clocks of two processes may differ.
const MAX_CLOCK_DIFFERENCE: Duration = Duration::from_millis(100);
/// The retry budget: the maximum number of times that screens are read and claimed. The second one is
/// after the end of [`PAUSE`], and a further one is needed only if clocks differ.
pub(super) const MAX_CLAIMS: usize = 5;

/// Whether screens are told now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// They are.
    Told,
    /// Nobody is to be told: somebody else has read them later than the change, and tells them.
    Covered,
    /// They were told less than [`PAUSE`] ago. After this time, they have to be read again, because
    /// a screen that has connected meanwhile is to be told of later changes, and this claim covers these.
    Wait(Duration),
}

/// Notes in the attributes `told` and `teller` of an item that screens are told which were read after the time `read`,
/// of a change that could be read at the time `since`.
///
/// It is one `UpdateItem`, on the condition that the last time is a second ago. `ttl` is that of an item
/// which may not be there yet, in seconds since 1970. Another item is not made.
pub(super) async fn claim(
    feed: &Table,
    key: &Key,
    ttl: Option<u64>,
    since: EpochMillis,
    read: EpochMillis,
) -> Result<Claim, Error> {
    let (read, teller) = (u64::from(read), S(Uuid::new_v4().to_string()));
    let update = feed
        .client
        .update_item()
        .table_name(&feed.name)
        .set_key(Some(key.clone().into()))
        .expression_attribute_values(":now", N(read.to_string()))
        .expression_attribute_values(":teller", teller.clone())
        .expression_attribute_values(":before", N((read - millis(PAUSE)).to_string()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    let update = match ttl {
        Some(ttl) => update
            .condition_expression("attribute_not_exists(told) OR told <= :before")
            .update_expression("SET told = :now, teller = :teller, #ttl = :ttl")
            .expression_attribute_names("#ttl", "ttl")
            .expression_attribute_values(":ttl", N(ttl.to_string())),
        None => update
            .condition_expression("attribute_exists(pk) AND (attribute_not_exists(told) OR told <= :before)")
            .update_expression("SET told = :now, teller = :teller"),
    };
    let Err(error) = update.send().await else { return Ok(Claim::Told) };
    let found = match error.as_service_error() {
        Some(UpdateItemError::ConditionalCheckFailedException(failed)) => failed.item.as_ref(),
        _ => return Err(error.into()),
    };
    let told = found.and_then(|item| item.get("told")?.as_n().ok()?.parse::<u64>().ok());
    // put-screen writes its item without a teller.
    let is_teller = found.is_some_and(|item| item.get("teller").is_none_or(|other| *other == teller));
    Ok(match told {
        // The item is gone, and nobody is to be told.
        None => Claim::Covered,
        // The SDK sends the update again after a lost answer. Somebody else may have read in the same millisecond.
        Some(told) if told == read && is_teller => Claim::Told,
        Some(told) if told >= u64::from(since) + millis(MAX_CLOCK_DIFFERENCE) => Claim::Covered,
        Some(told) => {
            let now = u64::from(EpochMillis::now());
            Claim::Wait(Duration::from_millis((told + millis(PAUSE)).saturating_sub(now)))
        }
    })
}

/// Returns a duration in milliseconds.
const fn millis(duration: Duration) -> u64 {
    duration.as_secs() * 1000 + duration.subsec_millis() as u64
}
