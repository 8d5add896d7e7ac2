//! The differences between template.yaml and a table that was created before template.yaml changed.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::template::Table;

/// The differences between a table and the template, as the requests that remove them.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Differences {
    /// The bodies of `UpdateTable` requests, in their order. Each creates or deletes one global or
    /// vector index, because DynamoDB takes no more [in one
    /// request](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTable.html).
    pub(super) updates: Vec<Value>,
    /// The body of the `UpdateTimeToLive` request, if the table does not delete expired items.
    pub(super) time_to_live: Option<Value>,
    /// The names of local indexes that differ. They cannot be changed, because DynamoDB creates
    /// them with the table alone.
    pub(super) local_indexes: Vec<String>,
}

impl Differences {
    /// Compares a table with its `Table` of `DescribeTable` and its `TimeToLiveDescription`.
    /// Indexes that the template does not know are left alone.
    pub(super) fn between(table: &Table, description: &Value, time_to_live: &Value) -> Self {
        let mut differences = Self::default();
        let mut replacements = vec![];
        for wanted in members(&table.create, "GlobalSecondaryIndexes") {
            let found = find(description, "GlobalSecondaryIndexes", wanted);
            if found.is_some_and(|found| is_same(wanted, found)) {
                continue;
            }
            let keys: Vec<_> = members(wanted, "KeySchema").map(|part| &part["AttributeName"]).collect();
            let attributes = members(&table.create, "AttributeDefinitions");
            let attributes: Vec<_> =
                attributes.filter(|attribute| keys.contains(&&attribute["AttributeName"])).collect();
            let create = json!({
                "TableName": table.name,
                "AttributeDefinitions": attributes,
                "GlobalSecondaryIndexUpdates": [{"Create": wanted}],
            });
            if found.is_some() {
                let delete = json!({"Delete": {"IndexName": wanted["IndexName"]}});
                replacements.push(json!({"TableName": table.name, "GlobalSecondaryIndexUpdates": [delete]}));
                replacements.push(create);
            } else {
                differences.updates.push(create);
            }
        }
        for wanted in members(&table.create, "VectorIndexes") {
            let found = find(description, "VectorIndexes", wanted);
            if found.is_some_and(|found| is_same_vector_index(wanted, found)) {
                continue;
            }
            let update = |action: Value| json!({"TableName": table.name, "VectorIndexUpdates": [action]});
            if found.is_some() {
                replacements.push(update(json!({"Delete": {"IndexName": wanted["IndexName"]}})));
                replacements.push(update(json!({"Create": wanted})));
            } else {
                differences.updates.push(update(json!({"Create": wanted})));
            }
        }
        // While an index is replaced, what reads it fails. So the new ones come first.
        differences.updates.extend(replacements);
        for wanted in members(&table.create, "LocalSecondaryIndexes") {
            if !find(description, "LocalSecondaryIndexes", wanted).is_some_and(|found| is_same(wanted, found)) {
                differences.local_indexes.push(name(wanted).to_owned());
            }
        }
        let status = time_to_live["TimeToLiveStatus"].as_str();
        if let Some(attribute) = &table.ttl
            && !matches!(status, Some("ENABLED" | "ENABLING"))
        {
            let specification = json!({"AttributeName": attribute, "Enabled": true});
            differences.time_to_live = Some(json!({"TableName": table.name, "TimeToLiveSpecification": specification}));
        }
        differences
    }

    /// Returns the names of the indexes that are created, with "the time to live" if it is
    /// set.
    pub(super) fn names(&self) -> String {
        let kinds = ["GlobalSecondaryIndexUpdates", "VectorIndexUpdates"];
        let created = self.updates.iter().flat_map(|update| kinds.map(|kind| &update[kind][0]["Create"]));
        let mut names: Vec<_> =
            created.filter(|index| index.is_object()).map(|index| format!("the index {}", name(index))).collect();
        names.extend(self.time_to_live.as_ref().map(|_| "the time to live".to_owned()));
        names.join(", ")
    }
}

/// Returns the members of a list in a description.
fn members<'a>(description: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> {
    description[list].as_array().into_iter().flatten()
}

fn name(index: &Value) -> &str {
    index["IndexName"].as_str().unwrap_or_default()
}

fn find<'a>(description: &'a Value, list: &str, wanted: &Value) -> Option<&'a Value> {
    members(description, list).find(|found| name(found) == name(wanted))
}

/// Returns whether two descriptions of an index have the same key and the same projection.
fn is_same(wanted: &Value, found: &Value) -> bool {
    let attributes = |index: &Value| -> BTreeSet<String> {
        let names = members(&index["Projection"], "NonKeyAttributes").filter_map(Value::as_str);
        names.map(str::to_owned).collect()
    };
    wanted["KeySchema"] == found["KeySchema"]
        && wanted["Projection"]["ProjectionType"] == found["Projection"]["ProjectionType"]
        && attributes(wanted) == attributes(found)
}

/// Returns whether two descriptions of a vector index have the same vectors and the same
/// projection.
fn is_same_vector_index(wanted: &Value, found: &Value) -> bool {
    ["VectorAttribute", "Dimensions", "DistanceFunction"].iter().all(|name| wanted[name] == found[name])
        && wanted["Projection"]["ProjectionType"] == found["Projection"]["ProjectionType"]
}
