//! `TransactWriteItems`, with the retry of canceled transactions that the SDK leaves to its caller.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::transact_write_items::builders::TransactWriteItemsFluentBuilder;
use aws_sdk_dynamodb::types::{CancellationReason, Delete, TransactWriteItem, Update};

use crate::Error;
use crate::dynamodb::Item;

/// The retry budget of a transaction. Before each retry there is a pause of random length up to a bound, which doubles
/// from the initial to the maximum backoff. So the 11 pauses take at most 3.0 s in total, and 1.5 s on average. With
/// attempts of some milliseconds, the budget ends well before the shortest timeout of a function, 10 s.
const MAX_ATTEMPTS: u32 = 12;
const INITIAL_BACKOFF: Duration = Duration::from_millis(20);
const MAX_BACKOFF: Duration = Duration::from_millis(400);

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

    /// Takes the existing item for which the condition of the write at `index` failed. The write must have requested it
    /// by `ReturnValuesOnConditionCheckFailure`.
    #[must_use]
    pub fn take_item(&mut self, index: usize) -> Option<Item> {
        self.0.get_mut(index).and_then(|reason| reason.item.take())
    }
}

/// Sends a transaction until it is committed or a condition fails.
///
/// DynamoDB cancels a transaction that conflicts with a concurrent one on the same item
/// ([`TransactionConflict`](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling)).
/// The SDK does not retry it, so this function does. That is safe, because nothing was written.
///
/// If only the answer was lost, the SDK itself retries the request with the same `ClientRequestToken`, of which it
/// makes one for each `send`. DynamoDB then commits the transaction once.
pub async fn write(transaction: TransactWriteItemsFluentBuilder) -> Result<Outcome, Error> {
    let mut bound = INITIAL_BACKOFF;
    for attempt in 1.. {
        let Err(error) = transaction.clone().send().await else {
            return Ok(Outcome::Committed);
        };
        let Some(TransactWriteItemsError::TransactionCanceledException(canceled)) = error.as_service_error() else {
            return Err(error.into());
        };
        let reasons = canceled.cancellation_reasons();
        let has_any =
            |codes: &[&str]| reasons.iter().any(|reason| reason.code().is_some_and(|code| codes.contains(&code)));
        if has_any(&["ConditionalCheckFailed"]) {
            return Ok(Outcome::ConditionFailed(FailedConditions(reasons.to_vec())));
        }
        if !has_any(&["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]) {
            return Err(Error::internal(error));
        }
        if attempt == MAX_ATTEMPTS {
            return Err(Error::Busy(error.into()));
        }
        tokio::time::sleep(bound.mul_f64(fastrand::f64())).await;
        bound = MAX_BACKOFF.min(bound * 2);
    }
    unreachable!("the last attempt returns from the function")
}

/// Deletes counted items and decrements their counts in one transaction.
///
/// Each delete must have the condition that its item exists. If the condition fails, the item is already deleted: the
/// delete and its updates are dropped, and the rest is sent again. So the call may be repeated.
///
/// Each update must have a condition that fails if there is nothing to decrement: if the item with the count is absent
/// or is being deleted, or if the count is zero. Then the update is dropped, and the rest is sent again.
///
/// A transaction takes at most
/// [100 items](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html), deletes and
/// updates together, without duplicates.
pub async fn delete_and_decrement(client: &Client, mut deletes: Vec<(Delete, Vec<Update>)>) -> Result<(), Error> {
    while !deletes.is_empty() {
        let mut transaction = client.transact_write_items();
        for (delete, counts) in &deletes {
            transaction = transaction.transact_items(TransactWriteItem::builder().delete(delete.clone()).build());
            for count in counts {
                transaction = transaction.transact_items(TransactWriteItem::builder().update(count.clone()).build());
            }
        }
        let Outcome::ConditionFailed(failed) = write(transaction).await? else { return Ok(()) };
        let mut indexes = 0..;
        let mut next_failed = || indexes.next().is_some_and(|index| failed.contains(index));
        deletes.retain_mut(|(_, counts)| {
            let is_absent = next_failed();
            counts.retain(|_| !next_failed());
            !is_absent
        });
    }
    Ok(())
}
