//! DynamoDB as the explorer drives it: the embedded engine, with the past states that a read may
//! still see.
//!
//! The engine serves one request after another and every read sees all writes. DynamoDB promises
//! less. A store therefore keeps every change since the schedule began, and a second engine that
//! can take any past state.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use dynoxide::{Database, DynoxideError};
use local::items::{READS, key_names, named};
use local::services::dynamodb;
use local::template::Template;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::world::World;

/// The tables, at the end of all writes so far.
pub(crate) struct Store {
    keys: BTreeMap<String, Vec<String>>,
    engine: Database,
    items: BTreeMap<ItemId, Value>,
    writes: Vec<Vec<Change>>,
    past: Database,
    past_view: View,
}

/// The table and the primary key of an item, as JSON.
pub(crate) type ItemId = (String, String);

/// The change of one item by a write.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub(crate) table: String,
    pub(crate) key: Value,
    pub(crate) old: Option<Value>,
    pub(crate) new: Option<Value>,
}

/// A state of the tables that a read sees.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct View {
    /// The number of writes that the read sees completely.
    pub(crate) writes: usize,
    /// The changes of the next write, a transaction, that the read sees too, by their positions.
    pub(crate) half: Vec<usize>,
}

/// An answer of DynamoDB: the HTTP status and the body.
pub(crate) type Reply = (u16, String);

impl Store {
    /// Creates the tables of the template with the items of a world.
    pub(crate) fn new(template: &Template, world: World) -> Result<Self> {
        let keys = template
            .tables
            .iter()
            .map(|table| (table.name.clone(), key_names(&table.create).map(str::to_owned).collect()));
        let mut store = Self {
            keys: keys.collect(),
            engine: database(template)?,
            items: BTreeMap::new(),
            writes: vec![],
            past: database(template)?,
            past_view: View { writes: 0, half: vec![] },
        };
        for (table, items) in world.items(template)? {
            for item in items {
                let put = json!({"TableName": table, "Item": item});
                store.serve("PutItem", &put);
                execute(&store.past, "PutItem", &put)?;
            }
        }
        store.writes.clear();
        Ok(store)
    }

    /// Returns the tables to the state at the beginning.
    pub(crate) fn reset(&mut self) -> Result<()> {
        self.show(&View { writes: 0, half: vec![] })?;
        for write in std::mem::take(&mut self.writes).iter().rev() {
            for change in write {
                set(&self.engine, change, change.old.as_ref())?;
                self.remember(change, change.old.clone());
            }
        }
        Ok(())
    }

    /// Returns all items.
    pub(crate) fn items(&self) -> &BTreeMap<ItemId, Value> {
        &self.items
    }

    /// Returns the number of writes so far.
    pub(crate) fn now(&self) -> usize {
        self.writes.len()
    }

    /// Returns the changes of the write that follows `writes` others.
    pub(crate) fn write(&self, writes: usize) -> &[Change] {
        &self.writes[writes]
    }

    /// Serves a request on the current state. Returns the reply, and the changes that it made.
    pub(crate) fn serve(&mut self, operation: &str, body: &Value) -> (Reply, Vec<Change>) {
        let reply = reply(execute(&self.engine, operation, body));
        let mut changes = vec![];
        if reply.0 == 200 {
            for (table, key) in self.written_keys(operation, body) {
                let get = json!({"TableName": table, "Key": key, "ConsistentRead": true});
                let got = execute(&self.engine, "GetItem", &get).ok();
                let new = got.and_then(|got| serde_json::from_str::<Value>(&got).ok()?.get("Item").cloned());
                let old = self.items.get(&(table.clone(), key.to_string())).cloned();
                if without_end(old.as_ref()) != without_end(new.as_ref()) {
                    changes.push(Change { table, key, old, new });
                }
            }
        }
        if !changes.is_empty() {
            for change in &changes {
                self.remember(change, change.new.clone());
            }
            self.writes.push(changes.clone());
        }
        (reply, changes)
    }

    /// Serves a read on a past state.
    pub(crate) fn serve_past(&mut self, operation: &str, body: &Value, view: &View) -> Result<Reply> {
        self.show(view)?;
        Ok(reply(execute(&self.past, operation, body)))
    }

    /// Returns the names of the key attributes of a table.
    pub(crate) fn key_names(&self, table: &str) -> &[String] {
        self.keys.get(table).map_or(&[], Vec::as_slice)
    }

    /// Returns the keys of the items that a request may write.
    pub(crate) fn written_keys(&self, operation: &str, body: &Value) -> Vec<(String, Value)> {
        let written = named(operation, body).into_iter().filter(|(action, ..)| !READS.contains(action));
        written.map(|(_, table, item)| (table.to_owned(), self.key_of(table, item))).collect()
    }

    /// Returns the key attributes of an item.
    pub(crate) fn key_of(&self, table: &str, item: &Value) -> Value {
        let names = self.key_names(table).iter();
        Value::Object(names.map(|name| (name.clone(), item[name].clone())).collect::<Map<_, _>>())
    }

    fn remember(&mut self, change: &Change, item: Option<Value>) {
        let id = (change.table.clone(), change.key.to_string());
        match item {
            Some(item) => self.items.insert(id, item),
            None => self.items.remove(&id),
        };
    }

    /// Brings the engine of past states to a view.
    fn show(&mut self, view: &View) -> Result<()> {
        if self.past_view == *view {
            return Ok(());
        }
        let (from, to) = (self.past_view.clone(), view.clone());
        for &position in &from.half {
            let change = &self.writes[from.writes][position];
            set(&self.past, change, change.old.as_ref())?;
        }
        for write in self.writes[to.writes.min(from.writes)..from.writes].iter().rev() {
            for change in write {
                set(&self.past, change, change.old.as_ref())?;
            }
        }
        for write in &self.writes[from.writes.min(to.writes)..to.writes] {
            for change in write {
                set(&self.past, change, change.new.as_ref())?;
            }
        }
        for &position in &to.half {
            let change = &self.writes[to.writes][position];
            set(&self.past, change, change.new.as_ref())?;
        }
        self.past_view = to;
        Ok(())
    }
}

/// Creates a database with the tables of the template. They have no streams: the explorer makes the
/// records itself, from the changes.
fn database(template: &Template) -> Result<Database> {
    let mut template = template.clone();
    for table in &mut template.tables {
        table
            .create
            .as_object_mut()
            .context("the description of a table is not an object")?
            .remove("StreamSpecification");
        // An expired item stays until something deletes it, as in DynamoDB, which takes days.
        table.ttl = None;
    }
    let database = Database::memory()?;
    dynamodb::create_tables(&database, &template)?;
    Ok(database)
}

/// Returns an item without the time at which the claim of a photo ends. A claim that is renewed in the same second
/// changes nothing. The wall clock would decide whether it does, and so whether there is a record.
fn without_end(item: Option<&Value>) -> Option<Value> {
    let mut item = item.cloned();
    if let Some(end) = item.as_mut().and_then(|item| item.pointer_mut("/claim/M/ends")) {
        *end = Value::Null;
    }
    item
}

/// Puts or deletes the item of a change.
fn set(database: &Database, change: &Change, item: Option<&Value>) -> Result<()> {
    match item {
        Some(item) => execute(database, "PutItem", &json!({"TableName": change.table, "Item": item}))?,
        None => execute(database, "DeleteItem", &json!({"TableName": change.table, "Key": change.key}))?,
    };
    Ok(())
}

fn reply(result: Result<String, DynoxideError>) -> Reply {
    match result {
        Ok(body) => (200, body),
        Err(error) => (error.status_code(), error.to_json()),
    }
}

/// Sends a request to the engine.
fn execute(database: &Database, operation: &str, body: &Value) -> Result<String, DynoxideError> {
    fn call<Q: DeserializeOwned, A: Serialize>(
        body: &Value,
        action: impl FnOnce(Q) -> Result<A, DynoxideError>,
    ) -> Result<String, DynoxideError> {
        let invalid = |error: serde_json::Error| DynoxideError::ValidationException(error.to_string());
        let answer = action(serde_json::from_value(body.clone()).map_err(invalid)?)?;
        // By way of a value, the members of every object are in order, so that equal answers are
        // equal texts.
        Ok(serde_json::to_value(&answer).map_err(invalid)?.to_string())
    }
    match operation {
        "GetItem" => call(body, |request| database.get_item(request)),
        "PutItem" => call(body, |request| database.put_item(request)),
        "UpdateItem" => call(body, |request| database.update_item(request)),
        "DeleteItem" => call(body, |request| database.delete_item(request)),
        "Query" => call(body, |request| database.query(request)),
        "Scan" => call(body, |request| database.scan(request)),
        "SearchVectors" => call(body, |request| database.search_vectors(request)),
        "BatchGetItem" => call(body, |request| database.batch_get_item(request)),
        "BatchWriteItem" => call(body, |request| database.batch_write_item(request)),
        "TransactGetItems" => call(body, |request| database.transact_get_items(request)),
        "TransactWriteItems" => call(body, |request| database.transact_write_items(request)),
        "DescribeTable" => call(body, |request| database.describe_table(request)),
        // SES, which accepts every e-mail.
        "SendEmail" => Ok(json!({"MessageId": "explored"}).to_string()),
        _ => panic!("the explorer does not know the operation {operation}: add it to store.rs"),
    }
}
