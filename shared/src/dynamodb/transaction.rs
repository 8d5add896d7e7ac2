//! `TransactWriteItems`, with the retry of canceled transactions that the SDK leaves to its caller.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::ProvideErrorMetadata as _;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::transact_write_items::builders::TransactWriteItemsFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::{self, N};
use aws_sdk_dynamodb::types::{
    CancellationReason, ConditionCheck, Delete, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update,
};
use uuid::Uuid;

use crate::Error;
use crate::dynamodb::Item;

/// The retry budget of a transaction. Before each retry there is a pause of random length up to a bound, which doubles
/// from the initial to the maximum backoff. So the 11 pauses take at most 3.0 s in total, and 1.5 s on average. With
/// attempts of some milliseconds, the budget ends well before the shortest timeout of a function, 10 s.
const MAX_ATTEMPTS: u32 = 12;
const INITIAL_BACKOFF: Duration = Duration::from_millis(20);
const MAX_BACKOFF: Duration = Duration::from_millis(400);

/// The retry budget of [`write_unless_contended`]. Before the last attempt, its three pauses take at most 140 ms in total.
/// Two transactions that meet by chance do not meet four times in a row, because each pauses for another random time. An
/// item that takes several hundred transactions a second is contended for longer than that.
pub const MAX_CONTENDED_ATTEMPTS: u32 = 4;

/// The retry budget of [`delete_and_decrement`]: the maximum number of transactions of which a condition may fail. Two
/// are usual: one finds out which items are deleted and which counts have nothing to decrement, and one commits. More
/// are needed only if other requests delete the same items, or change a count from or to 0, in between.
const MAX_REVISIONS: u32 = 10;

/// The outcome of a transaction.
#[derive(Debug)]
pub enum Outcome {
    /// All writes were made.
    Committed,
    /// No write was made, because at least one condition failed.
    ConditionFailed(FailedConditions),
}

/// The conditions of a transaction that failed.
#[derive(Debug)]
pub struct FailedConditions(Vec<CancellationReason>);

impl FailedConditions {
    /// Returns whether the condition of the write at `index` failed. The first write of the transaction has index 0.
    #[must_use]
    pub fn contains(&self, index: usize) -> bool {
        self.0.get(index).is_some_and(|reason| reason.code() == Some("ConditionalCheckFailed"))
    }

    /// Takes the existing item for which the condition of the last write failed, as [`take_item`](Self::take_item) does.
    /// Returns `None` if that condition did not fail.
    #[must_use]
    pub fn take_last(&mut self) -> Option<Option<Item>> {
        let last = self.0.len().checked_sub(1)?;
        self.contains(last).then(|| self.take_item(last))
    }

    /// Takes the existing item for which the condition of the write at `index` failed. The write must have requested it
    /// by `ReturnValuesOnConditionCheckFailure`.
    #[must_use]
    pub fn take_item(&mut self, index: usize) -> Option<Item> {
        self.0.get_mut(index).and_then(|reason| reason.item.take())
    }
}

/// The reason why a transaction has no outcome.
enum Failed {
    /// Each attempt met another transaction on the same item, or was throttled.
    Contended(Error),
    Other(Error),
}

/// Returns a token for a transaction that is sent by more than one call of this module.
#[must_use]
pub fn new_token() -> String {
    Uuid::now_v7().to_string()
}

/// Sends a transaction until it is committed or a condition fails.
///
/// DynamoDB cancels a transaction that conflicts with a concurrent one on the same item
/// ([`TransactionConflict`](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling)).
/// The SDK does not retry it, so this function does. That is safe, because nothing was written.
///
/// If only the answer was lost, the SDK itself retries the request. All attempts, those of the SDK and those of this
/// function, have the same `ClientRequestToken`, so DynamoDB commits the transaction once, also if an attempt arrives after
/// its retry. A canceled transaction does not use its token up: DynamoDB documents an effect of the token only [if the first
/// call was successful](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-apis-txwriteitems).
pub async fn write(transaction: TransactWriteItemsFluentBuilder) -> Result<Outcome, Error> {
    send(transaction, MAX_ATTEMPTS).await.map_err(|(Failed::Contended(error) | Failed::Other(error))| error)
}

/// Sends a transaction like [`write`], but only a few times. Returns `None` if each attempt conflicted with another
/// transaction or was throttled, because one of its items is written too often.
pub async fn write_unless_contended(transaction: TransactWriteItemsFluentBuilder) -> Result<Option<Outcome>, Error> {
    match send(transaction, MAX_CONTENDED_ATTEMPTS).await {
        Ok(outcome) => Ok(Some(outcome)),
        Err(Failed::Contended(_)) => Ok(None),
        Err(Failed::Other(error)) => Err(error),
    }
}

async fn send(transaction: TransactWriteItemsFluentBuilder, max_attempts: u32) -> Result<Outcome, Failed> {
    let token = transaction.get_client_request_token().clone().unwrap_or_else(new_token);
    let transaction = transaction.client_request_token(token);
    let mut bound = INITIAL_BACKOFF;
    for attempt in 1.. {
        let Err(error) = transaction.clone().send().await else {
            return Ok(Outcome::Committed);
        };
        let Some(TransactWriteItemsError::TransactionCanceledException(canceled)) = error.as_service_error() else {
            // The SDK has retried these itself.
            let is_throttled = matches!(
                error.code(),
                Some("ProvisionedThroughputExceededException" | "RequestLimitExceeded" | "ThrottlingException")
            );
            return Err(if is_throttled { Failed::Contended(error.into()) } else { Failed::Other(error.into()) });
        };
        let reasons = canceled.cancellation_reasons();
        let has_any =
            |codes: &[&str]| reasons.iter().any(|reason| reason.code().is_some_and(|code| codes.contains(&code)));
        if has_any(&["ConditionalCheckFailed"]) {
            return Ok(Outcome::ConditionFailed(FailedConditions(reasons.to_vec())));
        }
        if !has_any(&["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]) {
            return Err(Failed::Other(Error::internal(error)));
        }
        if attempt == max_attempts {
            return Err(Failed::Contended(Error::Busy(error.into())));
        }
        tokio::time::sleep(bound.mul_f64(fastrand::f64())).await;
        bound = MAX_BACKOFF.min(bound * 2);
    }
    unreachable!("the last attempt returns from the function")
}

/// A decrement of a count, which accompanies the delete of what is counted.
///
/// [`delete_and_decrement`] sends it in one of two forms. Both carry the condition of the decrement, so the transaction
/// proves what it assumes about the count:
///
/// - an update, on the condition that there is something to decrement;
/// - a check of the opposite condition: there is nothing to decrement, because the item with the count does not exist,
///   has no such count, or its count is 0. It can be another update on this condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Decrement {
    /// The table of the item with the count.
    pub table_name: String,
    /// The primary key of the item with the count.
    pub key: Item,
    /// The condition that the count is at least `:n`, its only value.
    pub condition: &'static str,
    /// The update that subtracts `:n`, its only value.
    pub update: &'static str,
    /// The update that replaces the check if there is nothing to decrement, or `None`. Its only value is `:n` too.
    pub otherwise: Option<&'static str>,
    /// The names that replace the placeholders of both expressions, or `None` if they have no placeholder. Both
    /// expressions must have the same placeholders.
    pub names: Option<HashMap<String, String>>,
}

/// Returns the error for an item that does not meet the condition of a [`Guard`], and `None` for one that does.
pub type Refusal<'a> = dyn Fn(Option<&Item>) -> Option<Error> + Send + Sync + 'a;

/// A further condition of the transactions of [`delete_and_decrement`]: on an item that they decrement, or on another one.
pub struct Guard<'a> {
    /// The table of the item.
    pub table_name: &'a str,
    /// The primary key of the item.
    pub key: Item,
    /// The condition.
    pub condition: &'static str,
    /// The only value of the condition, with its placeholder.
    pub value: (&'static str, AttributeValue),
    /// Returns the error for an item that does not meet the condition, and `None` for one that does.
    pub refusal: Box<Refusal<'a>>,
}

impl Guard<'_> {
    /// Adds the condition to a decrement, which is an update or a check.
    fn extend(&self, mut item: TransactWriteItem) -> TransactWriteItem {
        let condition = |other: &str| format!("({other}) AND ({})", self.condition);
        let (placeholder, value) = &self.value;
        if let Some(update) = &mut item.update {
            update.condition_expression = update.condition_expression.as_deref().map(condition);
            update.expression_attribute_values.get_or_insert_default().insert((*placeholder).to_owned(), value.clone());
            update.return_values_on_condition_check_failure = Some(ReturnValuesOnConditionCheckFailure::AllOld);
        }
        if let Some(check) = &mut item.condition_check {
            check.condition_expression = condition(&check.condition_expression);
            check.expression_attribute_values.get_or_insert_default().insert((*placeholder).to_owned(), value.clone());
            check.return_values_on_condition_check_failure = Some(ReturnValuesOnConditionCheckFailure::AllOld);
        }
        item
    }

    fn check(&self) -> Result<TransactWriteItem, Error> {
        let check = ConditionCheck::builder()
            .table_name(self.table_name)
            .set_key(Some(self.key.clone()))
            .condition_expression(self.condition)
            .expression_attribute_values(self.value.0, self.value.1.clone())
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()?;
        Ok(TransactWriteItem::builder().condition_check(check).build())
    }
}

impl Decrement {
    /// Returns the update that subtracts `n`, on the condition that there is so much to subtract.
    pub fn update(&self, n: usize) -> Result<TransactWriteItem, Error> {
        let update = Update::builder()
            .table_name(&self.table_name)
            .set_key(Some(self.key.clone()))
            .condition_expression(self.condition)
            .update_expression(self.update)
            .set_expression_attribute_names(self.names.clone())
            .expression_attribute_values(":n", N(n.to_string()))
            .build()?;
        Ok(TransactWriteItem::builder().update(update).build())
    }

    /// Returns the check that there is nothing to decrement, or the update that replaces it.
    pub fn check_nothing_to_decrement(&self) -> Result<TransactWriteItem, Error> {
        let condition = format!("NOT ({})", self.condition);
        let n = N("1".to_owned());
        if let Some(otherwise) = self.otherwise {
            let update = Update::builder()
                .table_name(&self.table_name)
                .set_key(Some(self.key.clone()))
                .condition_expression(condition)
                .update_expression(otherwise)
                .set_expression_attribute_names(self.names.clone())
                .expression_attribute_values(":n", n)
                .build()?;
            return Ok(TransactWriteItem::builder().update(update).build());
        }
        let check = ConditionCheck::builder()
            .table_name(&self.table_name)
            .set_key(Some(self.key.clone()))
            .condition_expression(condition)
            .set_expression_attribute_names(self.names.clone())
            .expression_attribute_values(":n", n)
            .build()?;
        Ok(TransactWriteItem::builder().condition_check(check).build())
    }
}

/// Deletes counted items and decrements their counts in one transaction. Returns the items that exist and for which the
/// condition of their delete failed, if the delete requests them by `ReturnValuesOnConditionCheckFailure`.
///
/// Each delete must have the condition that its item exists. If the condition fails, the item is already deleted: the
/// delete and its decrements are dropped, and the rest is sent again. So the call may be repeated.
///
/// If the condition of a decrement fails, there was nothing to decrement, and the next attempt sends the decrement as a
/// check that this is still so. If that check fails, there is something to decrement again, and the next attempt sends
/// the update. So the transaction that deletes an item also proves that its count was decremented, or that there was
/// nothing to decrement at that moment. Without the proof, a count that appears between two attempts would be left too
/// high.
///
/// Several deletes may have the same decrement, which is then sent once and subtracts their number. If the count is
/// less than that number, which only a wrong count can be, the deletes are sent one by one.
///
/// Each transaction also has the condition of the `guard`. If it fails, nothing is deleted, and the error is that of the
/// guard.
///
/// A transaction takes at most
/// [100 items](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html), deletes,
/// different decrements and the guard together. No two of them may be of the same item, except that a decrement may be of
/// the item of the guard. The function needs the permission `dynamodb:ConditionCheckItem` for the checks.
pub async fn delete_and_decrement(
    client: &Client,
    mut deletes: Vec<(Delete, Vec<Decrement>)>,
    guard: Option<&Guard<'_>>,
) -> Result<Vec<Item>, Error> {
    let mut left = vec![];
    // The decrements that are sent as checks, because there was nothing to decrement.
    let mut checks: Vec<Decrement> = vec![];
    for _ in 0..MAX_REVISIONS {
        if deletes.is_empty() {
            return Ok(left);
        }
        let counts = counts_of(&deletes);
        let guarded = guard.map(|guard| {
            let is_same = |(decrement, _): &(Decrement, usize)| {
                decrement.key == guard.key && decrement.table_name == guard.table_name
            };
            (guard, counts.iter().position(is_same).unwrap_or(counts.len()))
        });
        let mut transaction = client.transact_write_items();
        for (delete, _) in &deletes {
            transaction = transaction.transact_items(TransactWriteItem::builder().delete(delete.clone()).build());
        }
        for (position, (decrement, n)) in counts.iter().enumerate() {
            let is_check = checks.contains(decrement);
            let item = if is_check { decrement.check_nothing_to_decrement() } else { decrement.update(*n) };
            let item = match guarded {
                Some((guard, guarded)) if guarded == position => guard.extend(item?),
                _ => item?,
            };
            transaction = transaction.transact_items(item);
        }
        if let Some((guard, position)) = guarded
            && position == counts.len()
        {
            transaction = transaction.transact_items(guard.check()?);
        }
        let Outcome::ConditionFailed(mut failed) = write(transaction).await? else { return Ok(left) };
        if let Some((guard, position)) = guarded
            && failed.contains(deletes.len() + position)
            && let Some(refusal) = (guard.refusal)(failed.take_item(deletes.len() + position).as_ref())
        {
            return Err(refusal);
        }

        let wrong: Vec<(Decrement, usize)> = (deletes.len()..)
            .zip(counts)
            .filter(|(index, _)| failed.contains(*index))
            .map(|(_, count)| count)
            .collect();
        let sent = deletes.len();
        left.extend((0..sent).filter_map(|index| failed.take_item(index)));
        let mut indexes = 0..;
        deletes.retain(|_| !indexes.next().is_some_and(|index| failed.contains(index)));
        for (decrement, n) in wrong {
            match checks.iter().position(|check| *check == decrement) {
                Some(position) => drop(checks.swap_remove(position)),
                None if n == 1 => checks.push(decrement),
                // The count may be right for the deletes that are left.
                None if deletes.len() < sent => {}
                None => {
                    left.extend(delete_one_by_one(client, deletes, guard).await?);
                    return Ok(left);
                }
            }
        }
    }
    Err(Error::Busy("the counts changed before each attempt to delete what they count".into()))
}

/// Returns the decrements of all deletes, each with the number of deletes that have it.
fn counts_of(deletes: &[(Delete, Vec<Decrement>)]) -> Vec<(Decrement, usize)> {
    let mut counts: Vec<(Decrement, usize)> = vec![];
    for decrement in deletes.iter().flat_map(|(_, decrements)| decrements) {
        match counts.iter_mut().find(|(counted, _)| counted == decrement) {
            Some((_, n)) => *n += 1,
            None => counts.push((decrement.clone(), 1)),
        }
    }
    counts
}

/// Calls [`delete_and_decrement`] for each delete.
async fn delete_one_by_one(
    client: &Client,
    deletes: Vec<(Delete, Vec<Decrement>)>,
    guard: Option<&Guard<'_>>,
) -> Result<Vec<Item>, Error> {
    let mut left = vec![];
    for delete in deletes {
        // Boxed, because an `async fn` cannot contain itself.
        left.extend(Box::pin(delete_and_decrement(client, vec![delete], guard)).await?);
    }
    Ok(left)
}
