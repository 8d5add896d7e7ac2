//! `BatchGetItem` and `BatchWriteItem`, with retries of the keys and items that DynamoDB [leaves
//! unprocessed](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html#Programming.Errors.BatchOperations),
//! which the SDK leaves to its caller.

use std::time::Duration;

use aws_sdk_dynamodb::types::{DeleteRequest, KeysAndAttributes, PutRequest, WriteRequest};
use tokio::time::sleep;

use crate::dynamodb::Item;
use crate::{Error, Table};

/// The maximum number of keys of one `BatchGetItem`.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html>
pub const MAX_GET_KEYS: usize = 100;
/// The maximum number of items of one `BatchWriteItem`.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html>
pub const MAX_WRITE_ITEMS: usize = 25;

/// The first pause between retries, and the bound above which no retry follows. Each pause is twice
/// the last one: 25, 50, 100, 200, 400 and 800 ms, which is 1.6 s in total.
const INITIAL_BACKOFF: Duration = Duration::from_millis(25);
const MAX_BACKOFF: Duration = Duration::from_secs(1);

/// Returns the items that exist at these keys, in any order.
///
/// There must be at most [`MAX_GET_KEYS`] keys without duplicates, which take one request. No keys
/// take no request.
pub async fn get(table: &Table, keys: Vec<Item>, consistent: bool) -> Result<Vec<Item>, Error> {
    let mut found = vec![];
    let mut keys = Some(keys).filter(|keys| !keys.is_empty());
    let mut backoff = INITIAL_BACKOFF;
    while let Some(requested) = keys {
        let request = KeysAndAttributes::builder().set_keys(Some(requested)).consistent_read(consistent).build()?;
        let output = table.client.batch_get_item().request_items(&table.name, request).send().await?;
        found.extend(output.responses.into_iter().flatten().flat_map(|(_, items)| items));
        keys = output.unprocessed_keys.and_then(|mut tables| tables.remove(&table.name)).map(|left| left.keys);
        if keys.is_some() {
            if backoff > MAX_BACKOFF {
                return Err(Error::Busy("BatchGetItem left keys unprocessed after all retries".into()));
            }
            sleep(backoff).await;
            backoff *= 2;
        }
    }
    Ok(found)
}

/// Puts and deletes items without conditions and in any order, [`MAX_WRITE_ITEMS`] in each request.
///
/// The writes are not one transaction. After an error, some may be done, so the caller must be able
/// to repeat all of them.
pub async fn write(table: &Table, mut requests: Vec<WriteRequest>) -> Result<(), Error> {
    let mut backoff = INITIAL_BACKOFF;
    while !requests.is_empty() {
        let batch = requests.split_off(requests.len().saturating_sub(MAX_WRITE_ITEMS));
        let output = table.client.batch_write_item().request_items(&table.name, batch).send().await?;
        let left = output.unprocessed_items.unwrap_or_default().remove(&table.name).unwrap_or_default();
        if left.is_empty() {
            backoff = INITIAL_BACKOFF;
            continue;
        }
        if backoff > MAX_BACKOFF {
            return Err(Error::Busy("BatchWriteItem left items unprocessed after all retries".into()));
        }
        requests.extend(left);
        sleep(backoff).await;
        backoff *= 2;
    }
    Ok(())
}

/// Returns the request to put an item.
pub fn put(item: Item) -> Result<WriteRequest, Error> {
    Ok(WriteRequest::builder().put_request(PutRequest::builder().set_item(Some(item)).build()?).build())
}

/// Returns the request to delete the item at a key.
pub fn delete(key: impl Into<Item>) -> Result<WriteRequest, Error> {
    Ok(WriteRequest::builder().delete_request(DeleteRequest::builder().set_key(Some(key.into())).build()?).build())
}
