//! `TransactWriteItems`, with the retry of canceled transactions that the SDK leaves to its caller.

use std::hash::Hash;
use std::time::Duration;

use aws_sdk_dynamodb::error::ProvideErrorMetadata as _;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::transact_write_items::builders::TransactWriteItemsFluentBuilder;
use aws_sdk_dynamodb::types::CancellationReason;
use uuid::Uuid;

use crate::Error;
use crate::dynamodb::Item;
use crate::dynamodb::memory::Memory;

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
    /// Returns whether the condition of the write at `index` failed. The first write of the
    /// transaction has index 0.
    #[must_use]
    pub fn contains(&self, index: usize) -> bool {
        self.0.get(index).is_some_and(|reason| reason.code() == Some("ConditionalCheckFailed"))
    }

    /// Returns whether the condition of the write at `index`, or of one after it, failed.
    #[must_use]
    pub fn contains_any_from(&self, index: usize) -> bool {
        (index..self.0.len()).any(|index| self.contains(index))
    }

    /// Takes the existing item for which the condition of the last write failed, as
    /// [`take_item`](Self::take_item) does. Returns `None` if that condition did not fail.
    #[must_use]
    pub fn take_last(&mut self) -> Option<Option<Item>> {
        let last = self.0.len().checked_sub(1)?;
        self.contains(last).then(|| self.take_item(last))
    }

    /// Takes the existing item for which the condition of the write at `index` failed. The write
    /// must have requested it by `ReturnValuesOnConditionCheckFailure`.
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
    /// Sends a transaction like [`write`], but only a few times. Returns `None` if each attempt
    /// conflicted with another transaction or was throttled, because one of its items, that at
    /// `key`, is written too often. For the 10 s after that, it returns `None` without a request.
    /// So callers do not wait for what cannot succeed, and leave the item to the transactions that
    /// add up.
    pub async fn write(&self, key: &K, transaction: TransactWriteItemsFluentBuilder) -> Result<Option<Outcome>, Error> {
        if self.0.get(key).is_some() {
            return Ok(None);
        }
        match send(transaction, MAX_CONTENDED_ATTEMPTS).await {
            Ok(outcome) => Ok(Some(outcome)),
            Err(Failed::Contended(_)) => {
                self.0.put(key, || Some(()));
                Ok(None)
            }
            Err(Failed::Other(error)) => Err(error),
        }
    }
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
/// If only the answer was lost, the SDK itself retries the request. All attempts, those of the SDK
/// and those of this function, have the same `ClientRequestToken`, so DynamoDB commits the
/// transaction once, also if an attempt arrives after its retry. A canceled transaction does not
/// use its token up: DynamoDB documents an effect of the token only [if the first call was
/// successful](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-apis-txwriteitems).
pub async fn write(transaction: TransactWriteItemsFluentBuilder) -> Result<Outcome, Error> {
    send(transaction, MAX_ATTEMPTS).await.map_err(|(Failed::Contended(error) | Failed::Other(error))| error)
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
