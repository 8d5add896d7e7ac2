//! `BatchGetItem` and `BatchWriteItem`, with retries of the keys and items that DynamoDB [leaves
//! unprocessed](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html#Programming.Errors.BatchOperations),
//! which the SDK leaves to its caller.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use aws_sdk_dynamodb::types::{DeleteRequest, KeysAndAttributes, PutRequest, WriteRequest};
use tokio::time::sleep;

use crate::dynamodb::Item;
use crate::entities::Key;
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

/// Returns the items that exist at these keys, in any order. Each [`MAX_GET_KEYS`] keys take one
/// request, and no keys take none. They are a set, because DynamoDB refuses a key that comes twice.
pub async fn get(table: &Table, mut keys: BTreeSet<Key>, consistent: bool) -> Result<Vec<Item>, Error> {
    let mut found = vec![];
    while !keys.is_empty() {
        let next = keys.iter().nth(MAX_GET_KEYS).cloned();
        let rest = next.map(|next| keys.split_off(&next)).unwrap_or_default();
        let [items] = get_from_tables([(table, keys)], consistent).await?;
        found.extend(items);
        keys = rest;
    }
    Ok(found)
}

/// Returns the items that exist at these keys of several tables, for each table in any order. All
/// tables together take one request, and have at most [`MAX_GET_KEYS`] keys.
pub async fn get_from_tables<const N: usize>(
    tables: [(&Table, BTreeSet<Key>); N],
    consistent: bool,
) -> Result<[Vec<Item>; N], Error> {
    let client = tables.first().map(|(table, _)| table.client.clone());
    let names = tables.each_ref().map(|(table, _)| table.name.clone());
    let mut found = [const { vec![] }; N];
    let mut requests: HashMap<String, KeysAndAttributes> = HashMap::new();
    for (table, keys) in tables {
        if !keys.is_empty() {
            let keys = keys.into_iter().map(Item::from).collect();
            let request = KeysAndAttributes::builder().set_keys(Some(keys)).consistent_read(consistent).build()?;
            requests.insert(table.name.clone(), request);
        }
    }
    let mut backoff = INITIAL_BACKOFF;
    while let Some(client) = client.as_ref().filter(|_| !requests.is_empty()) {
        let output = client.batch_get_item().set_request_items(Some(requests)).send().await?;
        let mut responses = output.responses.unwrap_or_default();
        for (name, found) in names.iter().zip(&mut found) {
            found.extend(responses.remove(name).unwrap_or_default());
        }
        requests = output.unprocessed_keys.unwrap_or_default();
        if !requests.is_empty() {
            if backoff > MAX_BACKOFF {
                return Err(Error::Busy("BatchGetItem left keys unprocessed after all retries".into()));
            }
            sleep(backoff).await;
            backoff *= 2;
        }
    }
    Ok(found)
}

/// Returns the item at a key among those that were [found](get), or `None` if it is not there.
pub fn find(found: &[Item], key: impl Into<Item>) -> Option<&Item> {
    position(found, &key.into()).map(|position| &found[position])
}

/// Takes the item at a key out of those that were [found](get), or returns `None` if it is not
/// there.
pub fn take(found: &mut Vec<Item>, key: impl Into<Item>) -> Option<Item> {
    position(found, &key.into()).map(|position| found.swap_remove(position))
}

fn position(found: &[Item], key: &Item) -> Option<usize> {
    found.iter().position(|item| key.iter().all(|(name, value)| item.get(name) == Some(value)))
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
