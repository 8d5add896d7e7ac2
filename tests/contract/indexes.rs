//! What the indexes have: what is read there, and nothing that needlessly costs a write.

use std::collections::{BTreeMap, BTreeSet};

use local::template::Template;
use serde_json::Value;

use crate::bed::Run;

/// What no answer shows and an index has all the same, for the audit, which looks there for those whom somebody follows
/// who is gone.
const FOR_THE_AUDIT: (&str, &str) = ("InvertedIndex", "followingUser");

pub(crate) struct Indexes(BTreeMap<String, Index>);

struct Index {
    projects_all: bool,
    keys: BTreeSet<String>,
    /// What the items have that were read there, and what the answers have that were made of them.
    read: BTreeSet<String>,
    shown: BTreeSet<String>,
}

impl Indexes {
    pub(crate) fn of(template: &Template) -> Self {
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

    pub(crate) fn see(&mut self, run: &Run) {
        for request in &run.asked {
            let Some(index) = request.index().and_then(|name| self.0.get_mut(name)) else { continue };
            let attributes = request.items().into_iter().filter_map(Value::as_object).flat_map(|item| item.keys());
            index.read.extend(attributes.cloned());
            names(&run.body, &mut index.shown);
        }
    }

    pub(crate) fn needless(&self) -> Vec<String> {
        let mut needless = vec![];
        for (name, index) in &self.0 {
            if index.projects_all {
                needless
                    .push(format!("{name} projects all that an item has, whose every change then costs a write there"));
            }
            let shown = |attribute: &str| {
                index.shown.contains(attribute)
                    || index.keys.contains(attribute)
                    || (name.as_str(), attribute) == FOR_THE_AUDIT
            };
            let unseen: Vec<&str> =
                index.read.iter().map(String::as_str).filter(|attribute| !shown(attribute)).collect();
            if !unseen.is_empty() {
                needless.push(format!("{name} projects {}, which no answer shows", unseen.join(", ")));
            }
        }
        needless
    }
}

/// The names of all fields, in any depth.
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
