//! The items and objects that a request touches, by which independent requests are known.

use std::collections::BTreeSet;

use local::items::{READS, named};
use serde_json::Value;

use crate::s3;
use crate::screen;
use crate::store::Store;

/// The partition keys of global indexes whose values are usernames, which stand in the keys of
/// their items.
const USERNAMES: [&str; 2] = ["reactingUser", "author"];

/// The items that a request may read and write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Footprint {
    pub(crate) reads: BTreeSet<Area>,
    pub(crate) writes: BTreeSet<Area>,
}

/// A part of a table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Area {
    /// An item: the table, the partition key and the whole key.
    Item(String, String, String),
    /// The items of a partition.
    Partition(String, String),
    /// The items of a partition of a global secondary index: the table and the partition key, as
    /// text.
    Index(String, String),
    /// All items.
    Table(String),
    /// The object with this key, or a connection.
    Object(String),
    /// The objects whose keys begin with this prefix.
    Objects(String),
}

impl Area {
    /// Returns the connection of an operation of API Gateway.
    fn connection(body: &Value) -> Self {
        Self::Object(format!("connection {}", body["ConnectionId"]))
    }

    /// Returns the kind of the items: the table, and what their keys begin with.
    pub(crate) fn kind(&self) -> String {
        let prefix = |text: &str| text.trim_start_matches('#').split('#').next().unwrap_or_default().to_owned();
        match self {
            Self::Item(table, _, key) => {
                let key: Value = serde_json::from_str(key).unwrap_or_default();
                let values = key.as_object().into_iter().flatten().filter_map(|(_, value)| value["S"].as_str());
                let prefixes: Vec<String> = values.filter(|value| value.contains('#')).map(prefix).collect();
                format!("{table} {}", prefixes.join(" "))
            }
            Self::Partition(table, _) | Self::Index(table, _) | Self::Table(table) => table.clone(),
            Self::Object(_) | Self::Objects(_) => "objects".to_owned(),
        }
    }

    /// Returns whether this is a part of a bucket.
    pub(crate) fn is_of_bucket(&self) -> bool {
        matches!(self, Self::Object(_) | Self::Objects(_))
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Item(table, _, key), Self::Item(other_table, _, other_key)) => {
                (table, key) == (other_table, other_key)
            }
            (
                Self::Item(table, partition, _) | Self::Partition(table, partition),
                Self::Partition(other_table, other),
            )
            | (Self::Partition(table, partition), Self::Item(other_table, other, _)) => {
                (table, partition) == (other_table, other)
            }
            (Self::Index(table, value), Self::Item(other_table, _, key))
            | (Self::Item(other_table, _, key), Self::Index(table, value)) => {
                table == other_table && may_hold(value, key)
            }
            (Self::Object(key), Self::Object(other)) => key == other,
            (Self::Object(key), Self::Objects(prefix)) | (Self::Objects(prefix), Self::Object(key)) => {
                key.starts_with(prefix)
            }
            (one, other) => one.table().is_some_and(|table| other.table() == Some(table)),
        }
    }

    /// Returns the table, or `None` for a part of a bucket.
    fn table(&self) -> Option<&String> {
        match self {
            Self::Item(table, ..) | Self::Partition(table, _) | Self::Index(table, _) | Self::Table(table) => {
                Some(table)
            }
            Self::Object(_) | Self::Objects(_) => None,
        }
    }
}

/// Returns whether a partition of an index may hold an item. The attributes of the item are not
/// known yet, because the request that writes it may change them. But an index either has an
/// attribute of the primary key or a part of one as its partition key, or its partition key begins
/// as that of the table, with the kind and the owner.
fn may_hold(partition: &str, key: &str) -> bool {
    let key: Value = serde_json::from_str(key).unwrap_or_default();
    let mut values = key.as_object().into_iter().flatten().filter_map(|(_, value)| value["S"].as_str());
    let beginning = |text: &str| text.split('#').take(2).map(ToOwned::to_owned).collect::<Vec<_>>();
    values.any(|value| {
        value == partition || beginning(value) == beginning(partition) || value.split('#').any(|part| part == partition)
    })
}

impl Footprint {
    /// Returns what a request touches.
    pub(crate) fn new(store: &Store, operation: &str, body: &Value) -> Self {
        let table = || body["TableName"].as_str().unwrap_or_default().to_owned();
        let (mut reads, mut writes) = (BTreeSet::new(), BTreeSet::new());
        for (action, table, item) in named(operation, body) {
            let key = store.key_of(table, item);
            let partition = store.key_names(table).first().map(|name| key[name].to_string()).unwrap_or_default();
            let areas = if READS.contains(&action) { &mut reads } else { &mut writes };
            areas.insert(Area::Item(table.to_owned(), partition, key.to_string()));
        }
        match operation {
            "Query" => {
                reads.insert(queried(store, table(), body));
            }
            // A search may find every vector.
            "SearchVectors" => {
                reads.insert(Area::Table(table()));
            }
            // A connection is open or not, which is like an object of its own.
            screen::POST => {
                reads.insert(Area::connection(body));
            }
            screen::CLOSE | screen::OPEN | screen::DISCONNECT => {
                writes.insert(Area::connection(body));
            }
            "GetObject" => reads.extend(s3::keys(body).into_iter().map(Area::Object)),
            "ListObjectVersions" => {
                reads.insert(Area::Objects(body["Prefix"].as_str().unwrap_or_default().to_owned()));
            }
            "PutObject" | "DeleteObject" | "DeleteObjects" => {
                writes.extend(s3::keys(body).into_iter().map(Area::Object));
            }
            _ => {}
        }
        Self { reads, writes }
    }

    /// Returns whether the order of two requests matters: whether one writes what the other reads
    /// or writes.
    pub(crate) fn conflicts_with(&self, other: &Self) -> bool {
        let overlap = |some: &BTreeSet<Area>, others: &BTreeSet<Area>| {
            some.iter().any(|one| others.iter().any(|other| one.overlaps(other)))
        };
        overlap(&self.writes, &other.writes)
            || overlap(&self.writes, &other.reads)
            || overlap(&self.reads, &other.writes)
    }

    /// Adds what another request touches.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.reads.extend(other.reads.iter().cloned());
        self.writes.extend(other.writes.iter().cloned());
    }
}

/// Returns the partition that a Query reads. The key condition of every function begins with the
/// partition key. A local secondary index has the partition key of its table, and a global one has
/// another.
fn queried(store: &Store, table: String, body: &Value) -> Area {
    let condition = body["KeyConditionExpression"].as_str().unwrap_or_default();
    let names = store.key_names(&table);
    let first = condition.split(" AND ").next().unwrap_or_default();
    match first.split_once(" = ") {
        Some((name, value)) => {
            let value = &body["ExpressionAttributeValues"][value];
            match value["S"].as_str() {
                _ if names.first().is_some_and(|partition| partition == name) => {
                    Area::Partition(table, value.to_string())
                }
                Some(text) if text.contains('#') || USERNAMES.contains(&name) => Area::Index(table, text.to_owned()),
                _ => Area::Table(table),
            }
        }
        None => Area::Table(table),
    }
}
