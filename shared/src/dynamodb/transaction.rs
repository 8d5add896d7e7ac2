//! `TransactWriteItems`, with a handle for each write, and with the retry of canceled transactions
//! that the SDK leaves to its caller.
//!
//! DynamoDB reports the conditions of a canceled transaction by their positions. A [`Transaction`]
//! gives a [`Write`] for each write instead, by which [`FailedConditions`] is asked. So what a
//! pattern answers does not depend on the order of its writes.

use std::hash::Hash;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::ProvideErrorMetadata as _;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{CancellationReason, ConditionCheck, Delete, Put, TransactWriteItem, Update};
use uuid::Uuid;

use crate::Error;
use crate::dynamodb::Item;
use crate::dynamodb::memory::Memory;

#[cfg(test)]
mod tests;

/// The retry budget of a transaction. Before each retry there is a pause of random length up to a
/// bound, which doubles from the initial to the maximum backoff. So the 11 pauses take at most 3.0
/// s in total, and 1.5 s on average. With attempts of some milliseconds, the budget ends well
/// before the shortest timeout of a function of the API, 10 s.
const MAX_ATTEMPTS: u32 = 12;
const INITIAL_BACKOFF: Duration = Duration::from_millis(20);
const MAX_BACKOFF: Duration = Duration::from_millis(400);

/// The retry budget of [`Contended::write`]. Before the last attempt, its three pauses take
/// at most 140 ms in total. Two transactions that meet by chance do not meet four times in a row,
/// because each pauses for another random time. An item that takes several hundred transactions a
/// second is contended for longer than that.
pub const MAX_CONTENDED_ATTEMPTS: u32 = 4;

/// A transaction that is built write by write. DynamoDB gets the writes in the order in which they
/// were added.
///
/// It has one `ClientRequestToken`, so DynamoDB commits it once, even if several calls send it. It
/// is not [`Clone`], because a copy with another write would need another token.
#[derive(Debug)]
pub struct Transaction {
    writes: Vec<TransactWriteItem>,
    token: Uuid,
}

/// The handle of a write of a [`Transaction`]. [`FailedConditions`] tells whether the condition of
/// the write failed.
///
/// The handle of a write that only some transactions have is an `Option`, and the handles of several
/// writes are a `Vec`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Write {
    index: usize,
    /// The token of the transaction. Another transaction has another write at the index.
    transaction: Uuid,
}

impl Default for Transaction {
    fn default() -> Self {
        Self { writes: vec![], token: Uuid::now_v7() }
    }
}

impl Transaction {
    /// Returns a transaction without writes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a put.
    pub fn put(&mut self, put: Put) -> Write {
        self.add(TransactWriteItem::builder().put(put).build())
    }

    /// Adds an update.
    pub fn update(&mut self, update: Update) -> Write {
        self.add(TransactWriteItem::builder().update(update).build())
    }

    /// Adds a delete.
    pub fn delete(&mut self, delete: Delete) -> Write {
        self.add(TransactWriteItem::builder().delete(delete).build())
    }

    /// Adds a condition check: a condition on an item that the transaction does not write.
    pub fn condition_check(&mut self, check: ConditionCheck) -> Write {
        self.add(TransactWriteItem::builder().condition_check(check).build())
    }

    /// Adds a write of a kind that only the caller knows.
    pub fn add(&mut self, write: TransactWriteItem) -> Write {
        let index = self.writes.len();
        self.writes.push(write);
        Write { index, transaction: self.token }
    }

    /// Sends the transaction until it is committed or a condition fails.
    ///
    /// DynamoDB cancels a transaction that conflicts with a concurrent one on the same item
    /// ([`TransactionConflict`](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling)).
    /// The SDK does not retry it, so this function does. That is safe, because nothing was written.
    ///
    /// If only the answer was lost, the SDK itself retries the request. All attempts, those of the
    /// SDK and those of this function, have the same `ClientRequestToken`, so DynamoDB commits the
    /// transaction once, also if an attempt arrives after its retry. A canceled transaction does
    /// not use its token up: DynamoDB documents an effect of the token only [if the first call was
    /// successful](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-apis-txwriteitems).
    pub async fn write(&self, client: &Client) -> Result<Outcome, Error> {
        send(client, self, MAX_ATTEMPTS).await.map_err(|(Failed::Contended(error) | Failed::Other(error))| error)
    }
}

/// The outcome of a transaction.
#[derive(Debug)]
pub enum Outcome {
    /// All writes were made.
    Committed,
    /// No write was made, because at least one condition failed.
    ConditionFailed(FailedConditions),
}

/// The conditions of a transaction that failed, by the handles of their writes.
#[derive(Debug)]
pub struct FailedConditions {
    reasons: Vec<CancellationReason>,
    transaction: Uuid,
}

impl FailedConditions {
    /// Returns whether the condition of a write failed. It is `false` for `None`, a write that the
    /// transaction does not have.
    pub fn contains(&self, write: impl Into<Option<Write>>) -> bool {
        self.reason(write).is_some_and(|reason| reason.code() == Some("ConditionalCheckFailed"))
    }

    /// Returns whether the condition of any of these writes failed.
    pub fn contains_any(&self, writes: impl IntoIterator<Item = Write>) -> bool {
        writes.into_iter().any(|write| self.contains(write))
    }

    /// Returns the existing item for which the condition of a write failed. The write must have
    /// requested it by `ReturnValuesOnConditionCheckFailure`.
    pub fn item(&self, write: impl Into<Option<Write>>) -> Option<&Item> {
        self.reason(write)?.item.as_ref()
    }

    fn reason(&self, write: impl Into<Option<Write>>) -> Option<&CancellationReason> {
        let write = write.into()?;
        debug_assert_eq!(write.transaction, self.transaction, "the handle is of another transaction");
        self.reasons.get(write.index)
    }
}

/// The reason why a transaction has no outcome.
enum Failed {
    /// Each attempt met another transaction on the same item, or was throttled.
    Contended(Error),
    Other(Error),
}

/// The time for which a process goes another way than that of a contended transaction.
const CONTENTION: Duration = Duration::from_secs(10);

/// The items that this process has met as written too often, by key.
#[derive(Debug)]
pub struct Contended<K>(Memory<K, ()>);

impl<K: Clone + Eq + Hash> Default for Contended<K> {
    fn default() -> Self {
        Self(Memory::new(CONTENTION, 1))
    }
}

impl<K: Clone + Eq + Hash> Contended<K> {
    /// Sends a transaction like [`Transaction::write`], but only a few times. Returns `None` if each attempt
    /// conflicted with another transaction or was throttled, because one of its items, that at
    /// `key`, is written too often. For the 10 s after that, it returns `None` without a request.
    /// So callers do not wait for what cannot succeed, and leave the item to the transactions that
    /// add up.
    pub async fn write(&self, key: &K, client: &Client, transaction: &Transaction) -> Result<Option<Outcome>, Error> {
        if self.0.get(key).is_some() {
            return Ok(None);
        }
        match send(client, transaction, MAX_CONTENDED_ATTEMPTS).await {
            Ok(outcome) => Ok(Some(outcome)),
            Err(Failed::Contended(_)) => {
                self.0.put(key, || Some(()));
                Ok(None)
            }
            Err(Failed::Other(error)) => Err(error),
        }
    }
}

async fn send(client: &Client, transaction: &Transaction, max_attempts: u32) -> Result<Outcome, Failed> {
    let request = client
        .transact_write_items()
        .set_transact_items(Some(transaction.writes.clone()))
        .client_request_token(transaction.token.to_string());
    let mut bound = INITIAL_BACKOFF;
    for attempt in 1.. {
        let Err(error) = request.clone().send().await else {
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
            let (reasons, transaction) = (reasons.to_vec(), transaction.token);
            return Ok(Outcome::ConditionFailed(FailedConditions { reasons, transaction }));
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
