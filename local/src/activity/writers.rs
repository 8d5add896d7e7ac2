//! The last request that wrote an item, by the item's key.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};

use crate::items::{READS, key_names, named};
use crate::template::Table;
use crate::trace::Trace;

/// The maximum number of items and of stream records that are remembered. When there are more, all
/// are forgotten.
const MAX_ENTRIES: usize = 10_000;

/// The requests that wrote items lately, by the keys of the items.
///
/// This finds the request that caused a stream record, of which DynamoDB itself says nothing. It is
/// approximate:
///
/// - A record has the trace of the *last* recorded request that wrote its item until the record was
///   read for the first time, a few milliseconds after the write. If two requests write one item
///   within that time, both records have the trace of the second one.
/// - A write of another client of DynamoDB is not recorded. Its record has the trace of the last
///   recorded write.
/// - Items and records are forgotten from time to time, after 10,000 of them.
pub struct Writers {
    /// The names of the key attributes of each table.
    keys: HashMap<String, Vec<String>>,
    state: Mutex<State>,
}

struct State {
    items: HashMap<Item, Writer>,
    records: HashMap<(String, String), Option<Trace>>,
}

/// An item: the name of its table, and its key in JSON.
type Item = (String, String);

#[derive(Clone)]
struct Writer {
    trace: Option<Trace>,
    /// The writer before this one. It counts if this request fails.
    before: Option<Trace>,
}

impl Writers {
    /// Knows the writers of items in these tables. There are none yet.
    #[must_use]
    pub fn new(tables: &[Table]) -> Self {
        let keys =
            tables.iter().map(|table| (table.name.clone(), key_names(&table.create).map(str::to_owned).collect()));
        let state = State { items: HashMap::new(), records: HashMap::new() };
        Self { keys: keys.collect(), state: Mutex::new(state) }
    }

    /// Remembers the request as the writer of all items that it names. It has to be called before
    /// DynamoDB gets the request, because a stream record can be read as soon as the item is
    /// written.
    pub fn begin(&self, operation: &str, body: &Value, trace: &Trace) {
        let items = self.items(operation, body);
        let mut state = self.lock();
        if state.items.len() > MAX_ENTRIES {
            state.items.clear();
        }
        for item in items {
            let before = state.items.get(&item).and_then(|writer| writer.trace.clone());
            state.items.insert(item, Writer { trace: Some(trace.clone()), before });
        }
    }

    /// Forgets a request that failed.
    pub fn fail(&self, operation: &str, body: &Value, trace: &Trace) {
        let items = self.items(operation, body);
        let mut state = self.lock();
        for item in items {
            let writer = state.items.get(&item).filter(|writer| writer.trace.as_ref() == Some(trace)).cloned();
            if let Some(writer) = writer {
                state.items.insert(item, Writer { trace: writer.before, before: None });
            }
        }
    }

    /// Returns the names of the tables.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.keys.keys().map(String::as_str)
    }

    /// Returns the trace of the last request that wrote the item with this key.
    #[must_use]
    pub fn of_item(&self, table: &str, key: &Value) -> Option<Trace> {
        let item = self.item(table, key)?;
        self.lock().items.get(&item)?.trace.clone()
    }

    /// Returns the trace of the request that caused a stream record. All calls for one record
    /// return the same.
    #[must_use]
    pub fn of_record(&self, table: &str, record: &Value) -> Option<Trace> {
        let number = record["dynamodb"]["SequenceNumber"].as_str().unwrap_or_default();
        let id = (table.to_owned(), number.to_owned());
        if let Some(trace) = self.lock().records.get(&id) {
            return trace.clone();
        }
        // DynamoDB itself has deleted an item that has expired.
        let is_ours = record.get("userIdentity").is_none_or(Value::is_null);
        let trace = if is_ours { self.of_item(table, &record["dynamodb"]["Keys"]) } else { None };
        let mut state = self.lock();
        if state.records.len() > MAX_ENTRIES {
            state.records.clear();
        }
        state.records.insert(id, trace.clone());
        trace
    }

    /// Returns the items that a request writes.
    fn items(&self, operation: &str, body: &Value) -> Vec<Item> {
        let written = named(operation, body).into_iter().filter(|(action, ..)| !READS.contains(action));
        written.filter_map(|(_, table, item)| self.item(table, item)).collect()
    }

    /// Returns the item with these attributes, or with this key. Returns `None` if they lack a key
    /// attribute.
    fn item(&self, table: &str, attributes: &Value) -> Option<Item> {
        let attributes: &Map<String, Value> = attributes.as_object()?;
        let names = self.keys.get(table)?;
        let key: Option<BTreeMap<_, _>> = names.iter().map(|name| Some((name, attributes.get(name)?))).collect();
        Some((table.to_owned(), serde_json::to_string(&key?).ok()?))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn writers() -> Writers {
        let create = json!({"KeySchema": [{"AttributeName": "sk"}, {"AttributeName": "pk"}]});
        Writers::new(&[Table { logical_id: "T".to_owned(), name: "t".to_owned(), create, ttl: None }])
    }

    fn key(sk: &str) -> Value {
        json!({"pk": {"S": "a"}, "sk": {"S": sk}})
    }

    #[test]
    fn each_kind_of_write_names_its_items() {
        let item = |sk: &str| json!({"pk": {"S": "a"}, "sk": {"S": sk}, "more": {"S": "x"}});
        let transaction = json!([
            {"Put": {"TableName": "t", "Item": item("1")}},
            {"Update": {"TableName": "t", "Key": key("2")}},
            {"Delete": {"TableName": "t", "Key": key("3")}},
            {"ConditionCheck": {"TableName": "t", "Key": key("4")}},
        ]);
        for (operation, body, written) in [
            ("PutItem", json!({"TableName": "t", "Item": item("1")}), vec!["1"]),
            ("UpdateItem", json!({"TableName": "t", "Key": key("2")}), vec!["2"]),
            ("DeleteItem", json!({"TableName": "t", "Key": key("3")}), vec!["3"]),
            (
                "BatchWriteItem",
                json!({"RequestItems": {"t": [{"PutRequest": {"Item": item("1")}}, {"DeleteRequest": {"Key": key("2")}}]}}),
                vec!["1", "2"],
            ),
            ("TransactWriteItems", json!({"TransactItems": transaction}), vec!["1", "2", "3"]),
            ("GetItem", json!({"TableName": "t", "Key": key("1")}), vec![]),
            ("PutItem", json!({"TableName": "other", "Item": item("1")}), vec![]),
        ] {
            let (writers, trace) = (writers(), Trace::start());
            writers.begin(operation, &body, &trace);
            for sk in ["1", "2", "3", "4"] {
                let expected = written.contains(&sk).then(|| trace.clone());
                assert_eq!(writers.of_item("t", &key(sk)), expected, "{operation} {sk}");
            }
        }
    }

    #[test]
    fn a_failed_write_is_no_writer() {
        let (writers, first, second) = (writers(), Trace::start(), Trace::start());
        let body = json!({"TableName": "t", "Key": key("1")});
        writers.begin("UpdateItem", &body, &first);
        writers.begin("UpdateItem", &body, &second);
        assert_eq!(writers.of_item("t", &key("1")), Some(second.clone()));
        writers.fail("UpdateItem", &body, &second);
        assert_eq!(writers.of_item("t", &key("1")), Some(first.clone()));
        writers.fail("UpdateItem", &body, &second);
        assert_eq!(writers.of_item("t", &key("1")), Some(first));
    }

    #[test]
    fn a_record_keeps_its_writer() {
        let (writers, first, second) = (writers(), Trace::start(), Trace::start());
        let record = |number: &str| json!({"dynamodb": {"SequenceNumber": number, "Keys": key("1")}});
        let body = json!({"TableName": "t", "Key": key("1")});
        assert_eq!(writers.of_record("t", &record("0")), None);
        writers.begin("UpdateItem", &body, &first);
        assert_eq!(writers.of_record("t", &record("1")), Some(first.clone()));
        writers.begin("UpdateItem", &body, &second);
        assert_eq!(writers.of_record("t", &record("0")), None);
        assert_eq!(writers.of_record("t", &record("1")), Some(first));
        assert_eq!(writers.of_record("t", &record("2")), Some(second));
        let mut expired = record("3");
        expired["userIdentity"] = json!({"type": "Service", "principalId": "dynamodb.amazonaws.com"});
        assert_eq!(writers.of_record("t", &expired), None);
    }
}
