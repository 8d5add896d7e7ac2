//! `TransactWriteItems`, with the one retry that the SDK leaves to its caller.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::transact_write_items::builders::TransactWriteItemsFluentBuilder;
use aws_sdk_dynamodb::types::{CancellationReason, Delete, TransactWriteItem, Update};

use crate::Error;
use crate::dynamodb::Item;

/// How often a transaction is sent before its caller is told to come back later, and the pauses between: each is a
/// random part of a bound that doubles up to the longest. All of it ends well before the function's timeout.
const MAX_ATTEMPTS: u32 = 12;
const INITIAL_BACKOFF: Duration = Duration::from_millis(20);
const MAX_BACKOFF: Duration = Duration::from_millis(400);

/// What became of a transaction.
#[derive(Debug)]
pub enum Outcome {
    /// All of it was written.
    Committed,
    /// None of it was written, because a condition failed.
    ConditionFailed(FailedConditions),
}

/// Which conditions failed.
#[derive(Debug)]
pub struct FailedConditions(Vec<CancellationReason>);

impl FailedConditions {
    /// Whether the condition of the transaction's item number `index` failed.
    #[must_use]
    pub fn contains(&self, index: usize) -> bool {
        self.0.get(index).is_some_and(|reason| reason.code() == Some("ConditionalCheckFailed"))
    }

    /// The item that was there instead of number `index`, where the transaction asked for it by
    /// `ReturnValuesOnConditionCheckFailure`.
    #[must_use]
    pub fn take_item(&mut self, index: usize) -> Option<Item> {
        self.0.get_mut(index).and_then(|reason| reason.item.take())
    }
}

/// Sends a transaction until it is written, or refused by a condition.
///
/// A transaction that meets another one on the same item is cancelled with
/// [`TransactionConflict`](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling),
/// and the SDK does not send it again. It is safe to: nothing of it was written. Where an answer was lost instead, the
/// SDK repeats the very request, with the same `ClientRequestToken` (it makes one for each `send`), and DynamoDB
/// writes it once.
pub async fn write(transaction: TransactWriteItemsFluentBuilder) -> Result<Outcome, Error> {
    let mut bound = INITIAL_BACKOFF;
    for attempt in 1.. {
        let Err(error) = transaction.clone().send().await else {
            return Ok(Outcome::Committed);
        };
        let Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) = error.as_service_error() else {
            return Err(error.into());
        };
        let reasons = cancelled.cancellation_reasons();
        let any = |codes: &[&str]| reasons.iter().any(|reason| reason.code().is_some_and(|code| codes.contains(&code)));
        if any(&["ConditionalCheckFailed"]) {
            return Ok(Outcome::ConditionFailed(FailedConditions(reasons.to_vec())));
        }
        if !any(&["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]) {
            return Err(Error::internal(error));
        }
        if attempt == MAX_ATTEMPTS {
            return Err(Error::Busy(error.into()));
        }
        tokio::time::sleep(bound.mul_f64(fastrand::f64())).await;
        bound = MAX_BACKOFF.min(bound * 2);
    }
    unreachable!("the last attempt returns")
}

/// Deletes what counts were made of, and takes it off the counts, all in one transaction: of 100 items at most, deletes and
/// counts together, and no item twice. What isn't there is not an error, so it may be repeated.
///
/// Each count has a condition of its own, which fails where there is nothing to take off: the item that counts is gone or
/// is being deleted, or it counts nothing. Then the rest is written without it; and without the counts of what isn't there.
pub async fn delete_counted(client: &Client, mut deletes: Vec<(Delete, Vec<Update>)>) -> Result<(), Error> {
    while !deletes.is_empty() {
        let mut transaction = client.transact_write_items();
        for (delete, counts) in &deletes {
            transaction = transaction.transact_items(TransactWriteItem::builder().delete(delete.clone()).build());
            for count in counts {
                transaction = transaction.transact_items(TransactWriteItem::builder().update(count.clone()).build());
            }
        }
        let Outcome::ConditionFailed(failed) = write(transaction).await? else { return Ok(()) };
        let mut items = 0..;
        let mut next_failed = || items.next().is_some_and(|index| failed.contains(index));
        deletes.retain_mut(|(_, counts)| {
            let is_gone = next_failed();
            counts.retain(|_| !next_failed());
            !is_gone
        });
    }
    Ok(())
}
