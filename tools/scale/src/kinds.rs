//! The kinds of items that each function reads and writes: for its sample event, and for the changes
//! that the others make for theirs, if it reads their streams.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anyhow::{Context as _, Result};
use local::costs::Pattern;
use local::items::{READS, key_names, named};
use local::template::{Function, Table, filter};
use serde_json::{Map, Value, json};
use shared::entities::Kind;
use testing::recorder::Request;
use testing::runner::Runner;

use crate::partitions::{Images, condition};

/// The file with the kinds of each function, which the page of the local stack shows.
pub(crate) const FILE: &str = "docs/results/kinds.json";

/// The kinds that a function reads and writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kinds {
    reads: BTreeSet<Kind>,
    writes: BTreeSet<Kind>,
}

/// Runs each function with its events, and then the functions that read streams with what changed.
pub(crate) async fn record(runner: &Runner, patterns: &BTreeMap<String, Pattern>) -> Result<BTreeMap<String, Kinds>> {
    let tables = &runner.template().tables;
    let functions = &runner.template().functions;
    let mut waiting = VecDeque::new();
    for function in functions {
        let event = runner.event(function)?;
        let pattern = patterns.get(&function.name).context("every function has a pattern")?;
        waiting.extend(variants(function, pattern, event)?.into_iter().map(|event| (function, event)));
    }
    let (mut kinds, mut seen) = (BTreeMap::<String, Kinds>::new(), BTreeSet::new());
    while let Some((function, event)) = waiting.pop_front() {
        let requests = runner.run(function, &event).await?.operations;
        let of_function = kinds.entry(function.name.clone()).or_default();
        for request in &requests {
            of_function.add(request, tables);
        }
        for (table, record) in Images::take(&runner.harness, function, &event, &requests)?.records() {
            let change = &record["dynamodb"];
            let kind = kind(tables, table, &change["Keys"]);
            // One change of these attributes in a kind stands for all. What a deletion finds is different.
            let deleted = change["NewImage"].get("erasing").map(|_| change["Keys"].to_string());
            let names = changed(&change["OldImage"], &change["NewImage"]);
            for reader in functions.iter().filter(|reader| gets(reader, table, &record)) {
                if seen.insert((&reader.name, kind, names.clone(), deleted.clone())) {
                    waiting.push_back((reader, json!({"Records": [record]})));
                }
            }
        }
    }
    Ok(kinds)
}

/// Returns the names of the attributes that differ between two items.
fn changed(old: &Value, new: &Value) -> BTreeSet<String> {
    let names = [old, new].into_iter().filter_map(Value::as_object).flat_map(Map::keys);
    names.filter(|name| old.get(*name) != new.get(*name)).cloned().collect()
}

/// Returns the kinds as JSON, one function to a line.
pub(crate) fn text(kinds: &BTreeMap<String, Kinds>) -> String {
    let names = |kinds: &BTreeSet<Kind>| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>();
    let line = |(function, Kinds { reads, writes }): (&String, &Kinds)| {
        format!("  {function:?}: {}", json!({"reads": names(reads), "writes": names(writes)}))
    };
    format!("{{\n{}\n}}\n", kinds.iter().map(line).collect::<Vec<_>>().join(",\n"))
}

/// Returns the sample event, the sample event with what else costs.toml names, and the deletions of
/// the users who have more than the one of the sample event.
fn variants(function: &Function, pattern: &Pattern, event: Value) -> Result<Vec<Value>> {
    let mut events = vec![];
    for query in pattern.with_query.keys() {
        let mut event = event.clone();
        let own = event["rawQueryString"].as_str().unwrap_or_default().to_owned();
        event["rawQueryString"] = [&own, query.as_str()].join("&").trim_start_matches('&').into();
        events.push(event);
    }
    if pattern.with_idempotency_key.is_some() {
        let mut event = event.clone();
        event["headers"]["idempotency-key"] = "8e03978e-40d5-43dd-bc93-6894a57f9324".into();
        events.push(event);
    }
    events.extend(pattern.with_field.iter().map(|(field, with)| with.add_to(field, event.clone())));
    if function.name == "delete-user" {
        let user = event["pathParameters"]["username"].as_str().context("the event names a user")?;
        for other in ["ada", "ben", "uma", "rosa"] {
            events.push(serde_json::from_str(
                &event.to_string().replace(&format!("\"{user}\""), &format!("\"{other}\"")),
            )?);
        }
    }
    events.push(event);
    Ok(events)
}

/// Returns whether a function gets a record of the stream of a table.
fn gets(function: &Function, table: &str, record: &Value) -> bool {
    let mut mappings = function.mappings.iter().filter(|mapping| mapping.table == table);
    mappings.any(|mapping| filter::any_matches(&mapping.filters, record))
}

impl Kinds {
    /// Adds the kinds of the items that a request names, asks for, or returns.
    fn add(&mut self, request: &Request, tables: &[Table]) {
        for (action, table, item) in named(&request.operation, &request.body) {
            let kinds = if READS.contains(&action) { &mut self.reads } else { &mut self.writes };
            kinds.extend(kind(tables, table, item));
        }
        let Some(table) = request.table() else { return };
        let returned = request.items().into_iter().filter_map(|item| kind(tables, table, item));
        self.reads.extend(returned);
        self.reads.extend(kind(tables, table, &condition(&request.body).into()));
    }
}

/// Returns the kind of an item, of which the key suffices.
fn kind(tables: &[Table], table: &str, item: &Value) -> Option<Kind> {
    let table = tables.iter().find(|known| known.name == table)?;
    Kind::of_key(|name| {
        let value = key_names(&table.create).any(|key| key == name).then(|| &item[name])?;
        match value.get("S").or_else(|| value.get("N"))? {
            Value::String(text) => Some(text),
            _ => None,
        }
    })
}
