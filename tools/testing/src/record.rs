//! The records of a stream, for the tests of the functions that read it.

use std::time::Duration;

use serde_json::{Value, json};
use shared::dynamodb::Item;
use shared::entities::{FAVORITE_PK, FAVORITE_SK, PK, SK};
use shared::runtime::stream::{Change, Record};
use tokio::time::Instant;

/// Returns the record of a change of an item from `old` to `new`, in an invocation that ends in
/// five minutes. As in [`Record`], an image is empty if the item did not exist before the change or
/// does not exist after it.
#[must_use]
pub fn record(old: Item, new: Item) -> Record {
    let change = match (old.is_empty(), new.is_empty()) {
        (true, _) => Change::Insert,
        (_, true) => Change::Remove,
        _ => Change::Modify,
    };
    let mut keys = if new.is_empty() { old.clone() } else { new.clone() };
    keys.retain(|name, _| [PK, SK, FAVORITE_PK, FAVORITE_SK].contains(&name.as_str()));
    Record {
        change,
        keys,
        old_image: old,
        new_image: new,
        sequence_number: "1".to_owned(),
        deadline: Instant::now() + Duration::from_mins(5),
        id: "1".to_owned(),
    }
}

/// Returns a batch of records, as Lambda sends it. The sequence number of the first record is 1.
#[must_use]
pub fn batch(records: &[Record]) -> Value {
    let records = (1..).zip(records).map(|(number, record)| {
        let record = Record { sequence_number: number.to_string(), ..record.clone() };
        serde_json::from_str(&record.message().expect("a record")).expect("JSON")
    });
    json!({"Records": records.collect::<Vec<Value>>()})
}
