//! The items that a request to DynamoDB names, and the partitions that they are in.

use std::collections::BTreeMap;

use local::template::Template;
use serde_json::{Map, Value};

/// The division of items among partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Division {
    /// Each item is alone in a partition, and so is each entry of an index. DynamoDB comes close to
    /// it when an item collection stays hot, because it [splits
    /// it](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/burst-adaptive-capacity.html)
    /// between its items. An entry of an index then never limits anything: it is written at most as
    /// often as its item, and with no more units. So entries have no partition here.
    Items,
    /// All items with one partition key are in one partition, and so are all entries of an index
    /// with one partition key. That is how a collection begins, and stays while it is not hot.
    Collections,
}

/// The tables of template.yaml, as far as requests are concerned.
pub(crate) struct Tables {
    division: Division,
    tables: BTreeMap<String, Table>,
}

/// The names of key attributes.
struct Table {
    /// The partition key, and the sort key if there is one.
    key: Vec<String>,
    /// The global indexes with their partition keys.
    indexes: Vec<(String, Vec<String>)>,
}

/// The way in which a request uses an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// It writes or deletes the item.
    Write,
    /// It checks a condition on the item, as a part of a transaction that writes other items.
    Check,
    /// It reads the item.
    Read,
}

/// A partition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Partition {
    /// The table or the index.
    pub(crate) of: String,
    /// The values of the key attributes that all of its items have.
    pub(crate) key: String,
}

/// An item that a request names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// The table and the primary key.
    pub(crate) item: String,
    pub(crate) access: Access,
    /// The partition of the item.
    pub(crate) partition: Partition,
    /// The partitions of its entries in indexes, if it is written.
    pub(crate) entries: Vec<Partition>,
}

impl Tables {
    pub(crate) fn new(template: &Template, division: Division) -> Self {
        let names = |keys: &Value, kind: &str| -> Vec<String> {
            let keys = keys.as_array().into_iter().flatten().filter(|part| kind.is_empty() || part["KeyType"] == kind);
            keys.filter_map(|part| part["AttributeName"].as_str()).map(ToOwned::to_owned).collect()
        };
        let table = |create: &Value| Table {
            key: names(&create["KeySchema"], ""),
            indexes: create["GlobalSecondaryIndexes"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|index| Some((index["IndexName"].as_str()?.to_owned(), names(&index["KeySchema"], "HASH"))))
                .collect(),
        };
        let tables = template.tables.iter().map(|each| (each.name.clone(), table(&each.create)));
        Self { division, tables: tables.collect() }
    }

    /// Returns the items that a request names, in its order. A Query names none, so nothing limits
    /// it.
    pub(crate) fn parts(&self, operation: &str, body: &Value) -> Vec<Part> {
        let table = |body: &Value| body["TableName"].as_str().unwrap_or_default().to_owned();
        let part = |access, body: &Value| self.part(&table(body), access, body.get("Item").unwrap_or(&body["Key"]));
        match operation {
            "GetItem" => vec![part(Access::Read, body)],
            "PutItem" | "UpdateItem" | "DeleteItem" => vec![part(Access::Write, body)],
            "TransactWriteItems" | "TransactGetItems" => {
                let all = body["TransactItems"].as_array().into_iter().flatten().filter_map(Value::as_object).flatten();
                let access = |kind: &str| match kind {
                    "Get" => Access::Read,
                    "ConditionCheck" => Access::Check,
                    _ => Access::Write,
                };
                all.map(|(kind, body)| part(access(kind), body)).collect()
            }
            "BatchGetItem" | "BatchWriteItem" => {
                let tables = body["RequestItems"].as_object().into_iter().flatten();
                tables
                    .flat_map(|(table, requests)| {
                        let keys = requests["Keys"].as_array().into_iter().flatten();
                        let reads = keys.map(|key| self.part(table, Access::Read, key));
                        let writes = requests.as_array().into_iter().flatten().map(|write| {
                            let put = write.pointer("/PutRequest/Item");
                            let item = put.or_else(|| write.pointer("/DeleteRequest/Key"));
                            self.part(table, Access::Write, item.unwrap_or(&Value::Null))
                        });
                        reads.chain(writes).collect::<Vec<_>>()
                    })
                    .collect()
            }
            _ => vec![],
        }
    }

    fn part(&self, table: &str, access: Access, item: &Value) -> Part {
        let names = self.tables.get(table);
        let key = names.map(|names| values(&names.key, item).unwrap_or_default()).unwrap_or_default();
        let (partition, entries) = match (self.division, names) {
            (Division::Collections, Some(names)) => {
                let indexes = names.indexes.iter().filter(|_| access == Access::Write);
                let entries = indexes.filter_map(|(name, key)| {
                    Some(Partition { of: format!("{table}/{name}"), key: values(key, item)? })
                });
                (values(&names.key[..1], item).unwrap_or_default(), entries.collect())
            }
            _ => (key.clone(), vec![]),
        };
        let partition = Partition { of: table.to_owned(), key: partition };
        Part { item: format!("{table} {key}"), access, partition, entries }
    }
}

/// Returns the values of these attributes as text, or `None` if the item lacks one. An item that a
/// request only names by its key lacks all others.
fn values(names: &[String], item: &Value) -> Option<String> {
    let values: Option<Map<_, _>> = names.iter().map(|name| Some((name.clone(), item.get(name)?.clone()))).collect();
    Some(Value::Object(values?).to_string())
}
