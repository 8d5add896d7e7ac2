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
    let item = |item: &Item| serde_dynamo::Item::from(item.clone());
    let records = (1..).zip(records).map(|(number, record)| {
        json!({
            "eventName": format!("{:?}", record.change).to_uppercase(),
            "dynamodb": {
                "Keys": item(&record.keys),
                "OldImage": item(&record.old_image),
                "NewImage": item(&record.new_image),
                "SequenceNumber": number.to_string(),
            },
        })
    });
    json!({"Records": records.collect::<Vec<_>>()})
}
