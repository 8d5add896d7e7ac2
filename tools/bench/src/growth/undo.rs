//! Puts back what a request wrote, in tables that are too large to be copied for each.

use std::collections::HashSet;

use dynoxide::Database;
use dynoxide::actions::get_records::{GetRecordsRequest, Record};
use local::template::Function;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use testing::harness::Workbench;

/// The most that one
/// [`GetRecords`](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_GetRecords.html) returns.
const MAX_RECORDS: usize = 1000;

/// What the tables' streams say was written, and not put back yet.
pub(super) struct Undo {
    database: Database,
    tables: Vec<Watched>,
}

/// A table, and where in its stream this is.
struct Watched {
    table: String,
    iterator: String,
}

impl Undo {
    /// From now on. A table without a stream gets one, which costs a write no capacity.
    pub(super) fn watch(bench: &Workbench) -> Result<Self, String> {
        let database = bench.database().clone();
        let tables = bench.template().tables.iter().map(|table| Watched::new(&database, &table.name));
        let tables = tables.collect::<Result<_, _>>()?;
        Ok(Self { database, tables })
    }

    /// Makes the tables what they are when the event comes.
    pub(super) fn prepare(&mut self, bench: &Workbench, function: &Function, event: &Value) -> Result<(), String> {
        self.put_back()?;
        bench.follow(function, event)
    }

    /// Makes the tables what they were.
    pub(super) fn put_back(&mut self) -> Result<(), String> {
        for index in 0..self.tables.len() {
            let records = self.tables[index].records(&self.database)?;
            let mut seen = HashSet::new();
            for record in records {
                let record = serde_json::to_value(record.dynamodb).map_err(|error| error.to_string())?;
                // Of several changes of one item, the first tells what it was.
                if seen.insert(record["Keys"].to_string()) {
                    self.set(&self.tables[index].table, &record["Keys"], record.get("OldImage"))?;
                }
            }
            // That was written too, and is no change.
            self.tables[index].records(&self.database)?;
        }
        Ok(())
    }

    /// Makes this of the item, or has it gone.
    fn set(&self, table: &str, keys: &Value, item: Option<&Value>) -> Result<(), String> {
        let failed = |error: dynoxide::DynoxideError| format!("table {table}: {error}");
        if let Some(item) = item {
            let put = request(json!({"TableName": table, "Item": item}))?;
            self.database.put_item(put).map(drop).map_err(failed)
        } else {
            let delete = request(json!({"TableName": table, "Key": keys}))?;
            self.database.delete_item(delete).map(drop).map_err(failed)
        }
    }
}

impl Watched {
    /// At the end of the stream.
    fn new(database: &Database, table: &str) -> Result<Self, String> {
        let failed = |error: dynoxide::DynoxideError| format!("stream of table {table}: {error}");
        let description = || -> Result<_, String> {
            let describe = request(json!({"TableName": table}))?;
            Ok(database.describe_table(describe).map_err(failed)?.table)
        };
        if description()?.latest_stream_arn.is_none() {
            let stream = json!({"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"});
            let update = request(json!({"TableName": table, "StreamSpecification": stream}))?;
            database.update_table(update).map_err(failed)?;
        }
        let arn = description()?.latest_stream_arn;
        let stream = database.describe_stream(request(json!({"StreamArn": arn}))?).map_err(failed)?.stream_description;
        let shard = stream.shards.first().map(|shard| &shard.shard_id);
        let latest = request(json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "LATEST"}))?;
        let iterator = database.get_shard_iterator(latest).map_err(failed)?.shard_iterator.unwrap_or_default();
        Ok(Self { table: table.to_owned(), iterator })
    }

    /// What is new.
    fn records(&mut self, database: &Database) -> Result<Vec<Record>, String> {
        let mut records = vec![];
        loop {
            let get = GetRecordsRequest { shard_iterator: self.iterator.clone(), limit: Some(MAX_RECORDS) };
            let read = database.get_records(get).map_err(|error| format!("stream of table {}: {error}", self.table))?;
            self.iterator = read.next_shard_iterator.unwrap_or_default();
            let is_end = read.records.len() < MAX_RECORDS;
            records.extend(read.records);
            if is_end {
                return Ok(records);
            }
        }
    }
}

fn request<T: DeserializeOwned>(request: Value) -> Result<T, String> {
    serde_json::from_value(request).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    use super::*;

    fn everything(bench: &Workbench) -> BTreeSet<String> {
        let scan = |table: &str| {
            let scan = request(json!({"TableName": table})).expect("a request");
            let items = bench.database().scan(scan).expect("a page of everything").items;
            items.into_iter().flatten().map(|item| serde_json::to_value(item).expect("an item").to_string())
        };
        bench.template().tables.iter().flat_map(|table| scan(&table.name)).collect()
    }

    #[tokio::test]
    async fn everything_is_as_it_was() {
        let bench = Workbench::new(PathBuf::new()).expect("a bench");
        let before = everything(&bench);
        let mut undo = Undo::watch(&bench).expect("streams");
        let person = |id: &str, name: &str| json!({"PersonID": {"N": id}, "FirstName": {"S": name}});
        for (keys, item) in [
            (person("1", "a"), Some(person("1", "b"))),
            (person("1", "a"), Some(person("1", "c"))),
            (json!({"PersonID": {"N": "2"}}), None),
            (person("3", "a"), Some(person("3", "b"))),
            (person("4", "a"), Some(person("4", "b"))),
            (json!({"PersonID": {"N": "4"}}), None),
        ] {
            undo.set("dev.People", &keys, item.as_ref()).expect("a write");
        }
        assert_ne!(everything(&bench), before);
        for _ in 0..2 {
            undo.put_back().expect("all is put back");
            assert_eq!(everything(&bench), before);
        }
    }
}
