//! Rolls back the writes of a request. The tables are too large to be copied before each one, so their streams tell
//! what to undo.

use std::collections::HashSet;

use anyhow::{Context, Result};
use dynoxide::Database;
use dynoxide::actions::get_records::{GetRecordsRequest, Record};
use local::template::Function;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use testing::harness::Harness;

/// The maximum number of records in the answer to one
/// [`GetRecords`](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_GetRecords.html).
const MAX_RECORDS: usize = 1000;

/// Follows the streams of all tables, and undoes the writes that they report.
pub(super) struct Rollback {
    database: Database,
    streams: Vec<Stream>,
}

/// The stream of a table, and the position up to which it has been read.
struct Stream {
    table: String,
    iterator: String,
}

impl Rollback {
    /// Starts to follow the streams; earlier writes stay. A table without a stream gets one, which adds no capacity
    /// units to its writes.
    pub(super) fn start(harness: &Harness) -> Result<Self> {
        let database = harness.database().clone();
        let streams = harness.template().tables.iter().map(|table| {
            let name = &table.name;
            Stream::latest(&database, name).with_context(|| format!("cannot read the stream of the table {name}"))
        });
        let streams = streams.collect::<Result<_>>()?;
        Ok(Self { database, streams })
    }

    /// Rolls back, then applies the change that a stream event reports, so that the tables are in the state that the
    /// event describes.
    pub(super) fn reset_tables(&mut self, harness: &Harness, function: &Function, event: &Value) -> Result<()> {
        self.roll_back()?;
        harness.apply_stream_changes(function, event)
    }

    /// Undoes all writes since the start or the last roll-back.
    pub(super) fn roll_back(&mut self) -> Result<()> {
        for stream in &mut self.streams {
            stream
                .roll_back(&self.database)
                .with_context(|| format!("cannot roll back the writes to the table {}", stream.table))?;
        }
        Ok(())
    }
}

impl Stream {
    /// Returns the table's stream at its end.
    fn latest(database: &Database, table: &str) -> Result<Self> {
        let stream_arn = || -> Result<_> {
            let describe = request(json!({"TableName": table}))?;
            Ok(database.describe_table(describe)?.table.latest_stream_arn)
        };
        if stream_arn()?.is_none() {
            let stream = json!({"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"});
            let update = request(json!({"TableName": table, "StreamSpecification": stream}))?;
            database.update_table(update)?;
        }
        let arn = stream_arn()?;
        let stream = database.describe_stream(request(json!({"StreamArn": arn}))?)?.stream_description;
        let shard = stream.shards.first().map(|shard| &shard.shard_id);
        let latest = request(json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "LATEST"}))?;
        let iterator = database.get_shard_iterator(latest)?.shard_iterator.unwrap_or_default();
        Ok(Self { table: table.to_owned(), iterator })
    }

    fn roll_back(&mut self, database: &Database) -> Result<()> {
        let mut seen = HashSet::new();
        for record in self.read(database)? {
            let record = serde_json::to_value(record.dynamodb)?;
            // If an item changed several times, its first record has the original image.
            if seen.insert(record["Keys"].to_string()) {
                restore(database, &self.table, &record["Keys"], record.get("OldImage"))?;
            }
        }
        // Skips the records of the roll-back itself.
        self.read(database)?;
        Ok(())
    }

    /// Reads the records since the last read.
    fn read(&mut self, database: &Database) -> Result<Vec<Record>> {
        let mut records = vec![];
        loop {
            let get = GetRecordsRequest { shard_iterator: self.iterator.clone(), limit: Some(MAX_RECORDS) };
            let page = database.get_records(get)?;
            self.iterator = page.next_shard_iterator.unwrap_or_default();
            let is_end = page.records.len() < MAX_RECORDS;
            records.extend(page.records);
            if is_end {
                return Ok(records);
            }
        }
    }
}

/// Puts the item, or deletes the item with these keys if it did not exist.
fn restore(database: &Database, table: &str, keys: &Value, item: Option<&Value>) -> Result<()> {
    if let Some(item) = item {
        database.put_item(request(json!({"TableName": table, "Item": item}))?)?;
    } else {
        database.delete_item(request(json!({"TableName": table, "Key": keys}))?)?;
    }
    Ok(())
}

fn request<T: DeserializeOwned>(request: Value) -> Result<T> {
    Ok(serde_json::from_value(request)?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    use super::*;

    fn all_items(harness: &Harness) -> BTreeSet<String> {
        let scan = |table: &str| {
            let scan = request(json!({"TableName": table})).expect("a request");
            let items = harness.database().scan(scan).expect("the tables fit into one page").items;
            items.into_iter().flatten().map(|item| serde_json::to_value(item).expect("an item").to_string())
        };
        harness.template().tables.iter().flat_map(|table| scan(&table.name)).collect()
    }

    #[tokio::test]
    async fn rolls_back_puts_updates_and_deletes() {
        let harness = Harness::new(PathBuf::new()).expect("a harness");
        let before = all_items(&harness);
        let mut rollback = Rollback::start(&harness).expect("streams");
        let person = |id: &str, name: &str| json!({"PersonID": {"N": id}, "FirstName": {"S": name}});
        for (keys, item) in [
            (person("1", "a"), Some(person("1", "b"))),
            (person("1", "a"), Some(person("1", "c"))),
            (json!({"PersonID": {"N": "2"}}), None),
            (person("3", "a"), Some(person("3", "b"))),
            (person("4", "a"), Some(person("4", "b"))),
            (json!({"PersonID": {"N": "4"}}), None),
        ] {
            restore(harness.database(), "dev.People", &keys, item.as_ref()).expect("a write");
        }
        assert_ne!(all_items(&harness), before);
        for _ in 0..2 {
            rollback.roll_back().expect("a roll-back");
            assert_eq!(all_items(&harness), before);
        }
    }
}
