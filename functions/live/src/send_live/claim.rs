//! The decision whether screens are told now.

use std::time::Duration;

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use shared::entities::Key;
use shared::values::EpochMillis;
use shared::{Error, Table};
use tokio::time::sleep;

/// The minimum time between two messages about the same.
const PAUSE: Duration = Duration::from_secs(1);
/// The time by which the clocks of two processes may differ.
const MAX_CLOCK_DIFFERENCE: Duration = Duration::from_millis(100);
/// The retry budget: the maximum number of times that the end of [`PAUSE`] is waited for. A further
/// one is needed only if clocks differ.
const MAX_ATTEMPTS: usize = 5;

/// Notes in the attribute `told` of an item that screens are told now, of a change that could be read at
/// the time `since`. Returns `false` if somebody else has begun to tell them later than that.
///
/// Within a second of the last time, it waits for the end of this second. Each attempt is one
/// `UpdateItem`, on the condition that the last time is a second ago. `ttl` is that of an item which may
/// not be there yet, in seconds since 1970. Another item is not made.
pub(super) async fn claim(feed: &Table, key: &Key, ttl: Option<u64>, since: EpochMillis) -> Result<bool, Error> {
    for _ in 0..MAX_ATTEMPTS {
        let now = u64::from(EpochMillis::now());
        let update = feed
            .client
            .update_item()
            .table_name(&feed.name)
            .set_key(Some(key.clone().into()))
            .expression_attribute_values(":now", N(now.to_string()))
            .expression_attribute_values(":before", N((now - millis(PAUSE)).to_string()))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        let update = match ttl {
            Some(ttl) => update
                .condition_expression("attribute_not_exists(told) OR told <= :before")
                .update_expression("SET told = :now, #ttl = :ttl")
                .expression_attribute_names("#ttl", "ttl")
                .expression_attribute_values(":ttl", N(ttl.to_string())),
            None => update
                .condition_expression("attribute_exists(pk) AND (attribute_not_exists(told) OR told <= :before)")
                .update_expression("SET told = :now"),
        };
        let Err(error) = update.send().await else { return Ok(true) };
        let told = match error.as_service_error() {
            Some(UpdateItemError::ConditionalCheckFailedException(failed)) => {
                failed.item.as_ref().and_then(|item| item.get("told")?.as_n().ok()?.parse::<u64>().ok())
            }
            _ => return Err(error.into()),
        };
        match told {
            // The item is gone, and nobody is to be told.
            None => return Ok(false),
            // The SDK sends the update again after a lost answer.
            Some(told) if told == now => return Ok(true),
            Some(told) if told >= u64::from(since) + millis(MAX_CLOCK_DIFFERENCE) => return Ok(false),
            Some(told) => sleep(Duration::from_millis((told + millis(PAUSE)).saturating_sub(now))).await,
        }
    }
    Err(Error::Busy("others told the screens during each attempt".into()))
}

/// Returns a duration in milliseconds.
const fn millis(duration: Duration) -> u64 {
    duration.as_secs() * 1000 + duration.subsec_millis() as u64
}
