//! The projections of the indexes: each projects every attribute that is read from it, and none
//! that only costs write units.

use std::collections::{BTreeMap, BTreeSet};

use local::template::Template;
use serde_json::Value;
use testing::runner::Run;

/// The indexes and attributes that they project although no answer of a sample event shows them.
/// An answer shows the people of the first one, and by the second one that there were more.
const SELDOM_SHOWN: [(&str, &str); 2] = [("InboxByTime", "events"), ("InboxByTime", "evicted")];

/// The attributes that answers show under another name, with this name.
const RENAMED: [(&str, &str); 2] = [("author", "username"), ("tagIds", "tags")];

/// The indexes of all tables by their names.
pub(crate) struct Indexes(BTreeMap<String, Index>);

struct Index {
    projects_all: bool,
    keys: BTreeSet<String>,
    /// The attributes of the items that functions read there.
    read: BTreeSet<String>,
    /// The fields of the answers that functions made of these items.
    shown: BTreeSet<String>,
}

impl Indexes {
    pub(crate) fn new(template: &Template) -> Self {
        let keys = |of: &Value| -> Vec<String> {
            let parts = of["KeySchema"].as_array().unwrap().iter();
            parts.map(|part| part["AttributeName"].as_str().unwrap().to_owned()).collect()
        };
        let mut indexes = BTreeMap::new();
        for table in &template.tables {
            for kind in ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"] {
                for index in table.create[kind].as_array().into_iter().flatten() {
                    let found = Index {
                        projects_all: index["Projection"]["ProjectionType"] == "ALL",
                        keys: keys(&table.create).into_iter().chain(keys(index)).collect(),
                        read: BTreeSet::new(),
                        shown: BTreeSet::new(),
                    };
                    indexes.insert(index["IndexName"].as_str().unwrap().to_owned(), found);
                }
            }
        }
        Self(indexes)
    }

    /// Adds the reads and the answer of an invocation.
    pub(crate) fn record(&mut self, run: &Run) {
        for request in &run.operations {
            let Some(index) = request.index().and_then(|name| self.0.get_mut(name)) else { continue };
            let attributes = request.items().into_iter().filter_map(Value::as_object).flat_map(|item| item.keys());
            index.read.extend(attributes.cloned());
            names(&run.body, &mut index.shown);
            // An answer shows the members of a map as fields of their own.
            for (name, value) in request.items().into_iter().filter_map(Value::as_object).flatten() {
                let mut members = value["M"].as_object().into_iter().flat_map(|members| members.keys());
                if members.any(|member| index.shown.contains(member)) {
                    index.shown.insert(name.clone());
                }
            }
        }
    }

    /// Describes the projections that cost a write and that no answer needs.
    pub(crate) fn needless_projections(&self) -> Vec<String> {
        let mut needless = vec![];
        for (name, index) in &self.0 {
            if index.projects_all {
                needless.push(format!(
                    "{name} projects all attributes, so every change of an item costs a write there: name the attributes \
                     that answers show"
                ));
            }
            let shown = |attribute: &str| {
                index.shown.contains(attribute)
                    || RENAMED.iter().any(|&(of_item, field)| of_item == attribute && index.shown.contains(field))
                    || index.keys.contains(attribute)
                    || SELDOM_SHOWN.contains(&(name.as_str(), attribute))
            };
            let not_shown: Vec<&str> =
                index.read.iter().map(String::as_str).filter(|attribute| !shown(attribute)).collect();
            if !not_shown.is_empty() {
                needless.push(format!(
                    "{name} projects {}, which no answer shows: take it out of NonKeyAttributes",
                    not_shown.join(", ")
                ));
            }
        }
        needless
    }
}

/// Adds the names of all fields of a body, at any depth, to `found`.
fn names(body: &Value, found: &mut BTreeSet<String>) {
    match body {
        Value::Object(fields) => {
            for (name, value) in fields {
                found.insert(name.clone());
                names(value, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| names(value, found)),
        _ => {}
    }
}
