//! `BatchGetItem` and `BatchWriteItem`, with the repetition that the SDK leaves to its caller: what DynamoDB
//! [leaves unprocessed](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html#Programming.Errors.BatchOperations)
//! is asked for again.

use std::time::Duration;

use aws_sdk_dynamodb::types::{DeleteRequest, KeysAndAttributes, PutRequest, WriteRequest};
use tokio::time::sleep;

use crate::dynamodb::Item;
use crate::{Error, Table};

/// The most keys that one `BatchGetItem` takes.
pub const MAX_GET_KEYS: usize = 100;
/// The most items that one `BatchWriteItem` takes.
pub const MAX_WRITE_ITEMS: usize = 25;

const INITIAL_BACKOFF: Duration = Duration::from_millis(25);
const MAX_BACKOFF: Duration = Duration::from_secs(1);

/// The items at these keys, in any order, without those that aren't there. At most [`MAX_GET_KEYS`] keys, no two the same,
/// are one request; no key is none.
pub async fn get(table: &Table, keys: Vec<Item>, consistent: bool) -> Result<Vec<Item>, Error> {
    let mut found = vec![];
    let mut keys = Some(keys).filter(|keys| !keys.is_empty());
    let mut pause = INITIAL_BACKOFF;
    while let Some(asked) = keys {
        let wanted = KeysAndAttributes::builder().set_keys(Some(asked)).consistent_read(consistent).build()?;
        let output = table.client.batch_get_item().request_items(&table.name, wanted).send().await?;
        found.extend(output.responses.into_iter().flatten().flat_map(|(_, items)| items));
        keys = output.unprocessed_keys.and_then(|mut tables| tables.remove(&table.name)).map(|left| left.keys);
        if keys.is_some() {
            if pause > MAX_BACKOFF {
                return Err(Error::Busy("BatchGetItem keeps leaving keys unprocessed".into()));
            }
            sleep(pause).await;
            pause *= 2;
        }
    }
    Ok(found)
}

/// Writes without conditions, [`MAX_WRITE_ITEMS`] to a request, in no order. It is not one transaction, so what writes it
/// must be able to begin again.
pub async fn write(table: &Table, mut requests: Vec<WriteRequest>) -> Result<(), Error> {
    let mut pause = INITIAL_BACKOFF;
    while !requests.is_empty() {
        let batch = requests.split_off(requests.len().saturating_sub(MAX_WRITE_ITEMS));
        let output = table.client.batch_write_item().request_items(&table.name, batch).send().await?;
        let left = output.unprocessed_items.unwrap_or_default().remove(&table.name).unwrap_or_default();
        if left.is_empty() {
            pause = INITIAL_BACKOFF;
            continue;
        }
        if pause > MAX_BACKOFF {
            return Err(Error::Busy("BatchWriteItem keeps leaving items unprocessed".into()));
        }
        requests.extend(left);
        sleep(pause).await;
        pause *= 2;
    }
    Ok(())
}

/// Puts an item.
pub fn put(item: Item) -> Result<WriteRequest, Error> {
    Ok(WriteRequest::builder().put_request(PutRequest::builder().set_item(Some(item)).build()?).build())
}

/// Deletes the item at this key.
pub fn delete(key: impl Into<Item>) -> Result<WriteRequest, Error> {
    Ok(WriteRequest::builder().delete_request(DeleteRequest::builder().set_key(Some(key.into())).build()?).build())
}
