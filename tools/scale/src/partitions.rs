//! The partitions that an invocation touches, and the capacity units that each of them takes.
//!
//! DynamoDB reports the units of a request by table and index. This module attributes them to
//! partition keys. The units of a request for several items are divided evenly among these items.
//! The units of an index are divided among the entries that differ between the item before and the
//! item after the invocation.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, ensure};
use local::items::{key_names, named};
use local::template::{Function, Table};
use serde_json::{Map, Value, json};
use testing::harness::Harness;
use testing::recorder::{Request, TableUnits};

use crate::names::Names;

#[cfg(test)]
mod tests;

/// The units that an invocation takes from partitions whose keys have the same template.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Load {
    /// The table or the global index.
    pub(crate) place: String,
    /// The partition key with names in place of values, such as `USER#<username>`.
    pub(crate) partition: String,
    /// The read units of the one that takes most.
    pub(crate) reads: f64,
    /// The write units of the one that takes most.
    pub(crate) writes: f64,
    /// The read units of all of them.
    pub(crate) total_reads: f64,
    /// The write units of all of them.
    pub(crate) total_writes: f64,
}

/// An item: its attributes in DynamoDB JSON.
type Item = Map<String, Value>;

/// An item that a request names, as it was before the invocation and after it.
struct Named<'a> {
    key: Item,
    before: Option<&'a Item>,
    after: Option<&'a Item>,
}

/// The read and write units of each partition, by the table or index and the partition key.
struct Units(BTreeMap<(String, String), [f64; 2]>);

impl Units {
    fn add(&mut self, place: &str, partition: &str, units: [f64; 2]) {
        let [reads, writes] = self.0.entry((place.to_owned(), partition.to_owned())).or_default();
        *reads += units[0];
        *writes += units[1];
    }
}

/// Items that the requests of an invocation name, by their tables and keys, as they were before it
/// and after it.
pub(crate) struct Images {
    before: BTreeMap<(String, String), Item>,
    after: BTreeMap<(String, String), Item>,
}

impl Images {
    /// Returns the images of an invocation that has just ended. Restores the tables to read the items
    /// before it.
    pub(crate) fn take(harness: &Harness, function: &Function, event: &Value, requests: &[Request]) -> Result<Self> {
        let tables = &harness.template().tables;
        let named: BTreeSet<(String, String)> = requests.iter().flat_map(|request| items(request, tables)).collect();
        let after = images(harness, &named)?;
        harness.restore()?;
        harness.apply_stream_changes(function, event)?;
        Ok(Self { before: images(harness, &named)?, after })
    }

    /// Returns the stream records of what the invocation changed, with their tables.
    pub(crate) fn records(&self) -> Vec<(&str, Value)> {
        let names: BTreeSet<_> = self.before.keys().chain(self.after.keys()).collect();
        let changed = names.into_iter().filter(|name| self.before.get(name) != self.after.get(name));
        let record = |name: &'_ (String, String)| {
            let (before, after) = (self.before.get(name), self.after.get(name));
            let change = match (before, after) {
                (None, _) => "INSERT",
                (_, None) => "REMOVE",
                _ => "MODIFY",
            };
            let images = [("OldImage", before), ("NewImage", after)].into_iter();
            let mut images: Map<String, Value> =
                images.filter_map(|(image, item)| Some((image.to_owned(), item?.clone().into()))).collect();
            images.insert("Keys".to_owned(), parse(&name.1).into());
            images.insert("SequenceNumber".to_owned(), "1".into());
            json!({"eventName": change, "dynamodb": images})
        };
        changed.map(|name| (name.0.as_str(), record(name))).collect()
    }
}

/// Returns the loads of an invocation.
pub(crate) fn loads(
    tables: &[Table],
    event: &Value,
    requests: &[Request],
    Images { before, after }: &Images,
) -> Result<Vec<Load>> {
    let mut units = Units(BTreeMap::new());
    for request in requests.iter().filter(|request| request.status == 200) {
        for (name, consumed) in &request.units.tables {
            let table = tables.iter().find(|table| table.name == *name);
            let table = table.with_context(|| format!("template.yaml has no table {name}"))?;
            if request.operation == "Query" {
                query(request, table, &mut units)?;
            } else {
                let named: Vec<Named> = items(request, tables)
                    .iter()
                    .filter(|(of, _)| *of == table.name)
                    .map(|name| Named { key: parse(&name.1), before: before.get(name), after: after.get(name) })
                    .collect();
                of_items(request, table, consumed, &named, &mut units);
            }
        }
    }
    let recorded: f64 = requests.iter().map(|request| request.units.read + request.units.write).sum();
    let attributed: f64 = units.0.values().map(|[reads, writes]| reads + writes).sum();
    ensure!((attributed - recorded).abs() < 1e-6, "only {attributed} of {recorded} units have a partition");
    Ok(by_template(tables, &units, &Names::from_event(event)))
}

/// Adds the units of a Query to the partition that its key condition names.
fn query(request: &Request, table: &Table, units: &mut Units) -> Result<()> {
    let schema = request.index().map_or(Some(&table.create), |name| index(table, name).map(|(_, index)| index));
    let schema = schema.with_context(|| format!("{} has no index of the Query", table.name))?;
    let partition = partition(schema, &condition(&request.body))
        .with_context(|| format!("{} does not name the partition", request.body["KeyConditionExpression"]))?;
    let is_global = request.index().is_some_and(|name| index(table, name).is_some_and(|(global, _)| global));
    let place = if is_global { request.index().unwrap_or_default() } else { &table.name };
    units.add(place, &partition, [request.units.read, 0.0]);
    Ok(())
}

/// Returns the values with which the key condition of a Query compares key attributes.
pub(crate) fn condition(query: &Value) -> Item {
    let expression = query["KeyConditionExpression"].as_str().unwrap_or_default();
    let parts = expression.split(" AND ").filter_map(|part| {
        let part = part.trim_matches(['(', ')', ' ']).trim_start_matches("begins_with(");
        let (name, value) = part.split_once(" = ").or_else(|| part.split_once(", "))?;
        let name = query["ExpressionAttributeNames"][name].as_str().unwrap_or(name);
        Some((name.to_owned(), query["ExpressionAttributeValues"][value].clone()))
    });
    parts.collect()
}

/// Adds the units of a request that names its items: to their partitions in the table, which are
/// those of local indexes too, and to the partitions of their entries in global indexes.
fn of_items(request: &Request, table: &Table, consumed: &TableUnits, items: &[Named], units: &mut Units) {
    let is_read = request.units.read > 0.0;
    let mut add = |place: &str, partitions: &[String], sum: f64| {
        for partition in partitions {
            #[expect(clippy::cast_precision_loss, reason = "a request has at most 100 items")]
            let share = sum / partitions.len() as f64;
            units.add(place, partition, if is_read { [share, 0.0] } else { [0.0, share] });
        }
    };
    let in_table = |key: &Item| partition(&table.create, key).unwrap_or_default();
    let all: Vec<String> = items.iter().map(|item| in_table(&item.key)).collect();
    add(&table.name, &all, consumed.table);
    for (name, sum) in &consumed.indexes {
        let Some((is_global, schema)) = index(table, name).filter(|_| *sum > 0.0) else { continue };
        let changed = items.iter().flat_map(|item| {
            let entries = changed_entries(table, schema, item.before, item.after);
            entries.into_iter().map(|entry| if is_global { entry } else { in_table(&item.key) })
        });
        let changed: Vec<String> = changed.collect();
        add(if is_global { name } else { &table.name }, if changed.is_empty() { &all } else { &changed }, *sum);
    }
}

/// Returns the partitions of an index in which an item's entry appears, disappears or changes.
fn changed_entries(table: &Table, index: &Value, before: Option<&Item>, after: Option<&Item>) -> Vec<String> {
    let keys: Vec<&str> = [&table.create, index].into_iter().flat_map(key_names).collect();
    let others: Vec<&str> =
        index["Projection"]["NonKeyAttributes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let is_all = index["Projection"]["ProjectionType"] == "ALL";
    let entry = |item: &Item| -> Option<(Vec<Value>, Item)> {
        let key: Option<Vec<Value>> = key_names(index).map(|name| item.get(name).cloned()).collect();
        let is_in = |name: &str| is_all || keys.contains(&name) || others.contains(&name);
        let attributes = item.iter().filter(|(name, _)| is_in(name));
        Some((key?, attributes.map(|(name, value)| (name.clone(), value.clone())).collect()))
    };
    let (old, new) = (before.and_then(entry), after.and_then(entry));
    if old == new {
        return vec![];
    }
    let is_in_place = matches!((&old, &new), (Some((old, _)), Some((new, _))) if old == new);
    let entries = if is_in_place { vec![new] } else { vec![old, new] };
    entries.into_iter().flatten().filter_map(|(_, attributes)| partition(index, &attributes)).collect()
}

/// Groups the partitions by the templates of their keys, those of tables first.
fn by_template(tables: &[Table], units: &Units, names: &Names) -> Vec<Load> {
    let mut loads = BTreeMap::new();
    for ((place, partition), [reads, writes]) in &units.0 {
        let is_index = !tables.iter().any(|table| table.name == *place);
        let partition = names.template(partition);
        let load = loads.entry((is_index, place, partition.clone())).or_insert_with(|| Load {
            place: place.clone(),
            partition,
            ..Load::default()
        });
        load.reads = load.reads.max(*reads);
        load.writes = load.writes.max(*writes);
        load.total_reads += reads;
        load.total_writes += writes;
    }
    loads.into_values().collect()
}

/// Returns the table and the primary key, as JSON, of each item that a request names.
fn items(request: &Request, tables: &[Table]) -> Vec<(String, String)> {
    let key_of = |(_, table, item): (&str, &str, &Value)| {
        let table = tables.iter().find(|known| known.name == table)?;
        let key: Item = key_names(&table.create).map(|name| (name.to_owned(), item[name].clone())).collect();
        Some((table.name.clone(), json!(key).to_string()))
    };
    named(&request.operation, &request.body).into_iter().filter_map(key_of).collect()
}

/// Reads items by their tables and keys. An item that does not exist is not in the result.
fn images(harness: &Harness, keys: &BTreeSet<(String, String)>) -> Result<BTreeMap<(String, String), Item>> {
    let mut images = BTreeMap::new();
    for (table, key) in keys {
        let request = serde_json::from_value(json!({"TableName": table, "Key": parse(key), "ConsistentRead": true}))?;
        let answer = serde_json::to_value(harness.database().get_item(request)?)?;
        if let Some(item) = answer["Item"].as_object() {
            images.insert((table.clone(), key.clone()), item.clone());
        }
    }
    Ok(images)
}

/// Parses a key that [`items`] returned.
fn parse(key: &str) -> Item {
    serde_json::from_str(key).unwrap_or_default()
}

/// Returns whether an index is a global one, and its description in the template.
fn index<'a>(table: &'a Table, name: &str) -> Option<(bool, &'a Value)> {
    [("LocalSecondaryIndexes", false), ("GlobalSecondaryIndexes", true)].into_iter().find_map(|(kind, is_global)| {
        let mut indexes = table.create[kind].as_array()?.iter();
        indexes.find(|index| index["IndexName"] == name).map(|index| (is_global, index))
    })
}

/// Returns the attributes of the partition key. A global index may have several.
fn hash_names(schema: &Value) -> Vec<&str> {
    let parts = schema["KeySchema"].as_array().into_iter().flatten();
    parts.filter(|part| part["KeyType"] == "HASH").filter_map(|part| part["AttributeName"].as_str()).collect()
}

/// Returns the partition key of an item, if it has one.
fn partition(schema: &Value, item: &Item) -> Option<String> {
    let values: Option<Vec<String>> = hash_names(schema).into_iter().map(|name| item.get(name).map(text)).collect();
    values.map(|values| values.join(" + "))
}

/// Returns the text of a string or a number in DynamoDB JSON.
fn text(value: &Value) -> String {
    value["S"].as_str().or_else(|| value["N"].as_str()).unwrap_or_default().to_owned()
}
