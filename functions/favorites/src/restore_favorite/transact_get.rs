//! `TransactGetItems`, with the retry of conflicts that the SDK leaves to its caller.

use std::time::Duration;

use aws_sdk_dynamodb::operation::transact_get_items::TransactGetItemsError;
use aws_sdk_dynamodb::types::{Get, TransactGetItem};
use shared::dynamodb::Item;
use shared::{Error, Table};

/// The maximum number of keys of one `TransactGetItems`.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactGetItems.html>
pub(crate) const MAX_KEYS: usize = 100;
/// The retry budget. Before each retry there is a pause of random length up to a bound, which
/// doubles from the initial to the maximum backoff. So the 7 pauses take at most 1.4 s in total.
pub(crate) const MAX_ATTEMPTS: u32 = 8;
const INITIAL_BACKOFF: Duration = Duration::from_millis(20);
const MAX_BACKOFF: Duration = Duration::from_millis(400);

/// Returns the items that exist at these keys, in their order, all as they were at one moment.
///
/// A `BatchGetItem` may show one item from before a concurrent transaction and another from after
/// it ([isolation
/// levels](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-isolation)).
/// This read cannot: DynamoDB cancels it if it meets such a transaction, and it is sent again. It
/// costs twice as much.
pub(crate) async fn transact_get(table: &Table, keys: &[Item]) -> Result<Vec<Item>, Error> {
    let gets = keys.iter().map(|key| {
        let get = Get::builder().table_name(&table.name).set_key(Some(key.clone())).build()?;
        Ok(TransactGetItem::builder().get(get).build())
    });
    let request = table.client.transact_get_items().set_transact_items(Some(gets.collect::<Result<_, Error>>()?));
    let mut bound = INITIAL_BACKOFF;
    for attempt in 1.. {
        let error = match request.clone().send().await {
            Ok(output) => {
                return Ok(output.responses.unwrap_or_default().into_iter().filter_map(|found| found.item).collect());
            }
            Err(error) => error,
        };
        let Some(TransactGetItemsError::TransactionCanceledException(canceled)) = error.as_service_error() else {
            return Err(error.into());
        };
        let is_transient = canceled.cancellation_reasons().iter().any(|reason| {
            matches!(reason.code(), Some("TransactionConflict" | "ThrottlingError" | "ProvisionedThroughputExceeded"))
        });
        if !is_transient {
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
