//! A table in an engine of its own, and the audit of this table.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::LazyLock;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use local::listener;
use local::sample::{FAVORITE, QUICK_PHOTOS};
use local::services::dynamodb;
use local::services::dynamodb::Engine;
use local::stack;
use local::template::Template;
use ops::audit;
use ops::audit::{Options, Progress, Report, Resolution};
use serde_json::Value;
use shared::dynamodb::Item;
use shared::entities::{FAVORITE_PK, FAVORITE_SK, Key, PK, SK};
use tokio::sync::mpsc;

/// template.yaml, which takes longer to parse than a small audit takes.
pub(crate) static TEMPLATE: LazyLock<Template> = LazyLock::new(|| Template::read(&Template::find().unwrap()).unwrap());

/// A database with the tables.
static TABLES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let database = dynamodb::in_memory().unwrap();
    dynamodb::create_tables(&database, &TEMPLATE).unwrap();
    dynamodb::snapshot(&database).unwrap()
});

pub(crate) struct AuditedTable {
    pub(crate) name: String,
    pub(crate) engine: Engine,
    pub(crate) client: Client,
}

/// The items of a table by key, in plain JSON.
pub(crate) type Items = BTreeMap<(String, String), Value>;

impl AuditedTable {
    /// Creates the table `quick-photos` with these items.
    pub(crate) fn photos(items: Vec<Item>) -> Self {
        Self::new(QUICK_PHOTOS, items)
    }

    /// Creates the table `<stage>.Favorite` with these items.
    pub(crate) fn favorites(items: Vec<Item>) -> Self {
        Self::new(FAVORITE, items)
    }

    fn new(logical_id: &str, items: Vec<Item>) -> Self {
        let database = dynamodb::restore(&TABLES).unwrap();
        let engine = Engine::serve(listener::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap(), database).unwrap();
        let name = TEMPLATE.table(logical_id).unwrap().name.clone();
        dynamodb::import(engine.database(), &name, items).unwrap();
        let client = stack::client(engine.endpoint());
        Self { name, engine, client }
    }

    pub(crate) async fn put(&self, items: impl IntoIterator<Item = Item>) {
        for item in items {
            self.client.put_item().table_name(&self.name).set_item(Some(item)).send().await.unwrap();
        }
    }

    pub(crate) async fn delete(&self, key: impl Into<Item>) {
        self.client.delete_item().table_name(&self.name).set_key(Some(key.into())).send().await.unwrap();
    }

    pub(crate) async fn set(&self, key: impl Into<Item>, path: &str, value: Option<AttributeValue>) {
        set(&self.client, &self.name, key, path, value).await;
    }

    /// Sets the counts of the photos of a user that have become ready, and of all.
    pub(crate) async fn set_photos(&self, username: &str, ready: i64, all: i64) {
        self.set(self::user(username), "photos", Some(number(ready))).await;
        self.set(user(username), "uploads", Some(number(all))).await;
    }

    pub(crate) async fn all_items(&self) -> Items {
        all_items(&self.client, &self.name).await
    }

    pub(crate) async fn audit(&self, repair: bool) -> Report {
        audit::run(&self.client, &self.name, options(repair), |_| {}).await.unwrap()
    }

    /// Repairs the table, and calls `change` before each inspection of the candidates except for
    /// the first one. `change` receives the number of the inspection, from 2.
    pub(crate) async fn repair_with_concurrent_changes(&self, change: impl AsyncFn(usize)) -> Report {
        let (send, mut inspections) = mpsc::unbounded_channel();
        // One second is enough for a change, even on a loaded machine.
        let options = Options { recheck_delay: Duration::from_secs(1), ..options(true) };
        let audit = audit::run(&self.client, &self.name, options, |progress| {
            if let Progress::Inspecting(_) = progress {
                send.send(()).unwrap();
            }
        });
        let changes = async {
            let mut number = 0;
            while inspections.recv().await.is_some() {
                number += 1;
                if number > 1 {
                    change(number).await;
                }
            }
        };
        tokio::select! {
            report = audit => report.unwrap(),
            () = changes => unreachable!("the audit keeps the sender"),
        }
    }

    /// Audits the table without repairs, asserts that nothing has changed, and returns the sorted
    /// findings.
    pub(crate) async fn findings(&self) -> Vec<String> {
        let before = self.all_items().await;
        let report = self.audit(false).await;
        assert!(report.findings.iter().all(|(_, resolution)| *resolution == Resolution::Reported));
        assert_eq!(self.all_items().await, before);
        lines(&report)
    }

    /// Repairs the table, asserts that every finding was repaired, by itself or by another repair,
    /// and that the next audit finds nothing. Returns the sorted findings.
    pub(crate) async fn repair(&self) -> Vec<String> {
        // The limit has tests of its own.
        let options = Options { delete_at_most: Some(300), ..options(true) };
        let report = audit::run(&self.client, &self.name, options, |_| {}).await.unwrap();
        let is_repaired = |resolution| matches!(resolution, Resolution::Repaired | Resolution::Gone);
        assert!(report.findings.iter().all(|(_, resolution)| is_repaired(*resolution)), "{report:?}");
        assert_eq!(self.findings().await, [""; 0]);
        lines(&report)
    }

    /// Asserts that the audit finds these lines, and that a repair leaves the table with exactly
    /// these items.
    pub(crate) async fn assert_repaired(&self, lines: &[&str], expected: &Items) {
        assert_eq!(self.findings().await, lines);
        assert_eq!(self.repair().await, lines);
        assert_eq!(&self.all_items().await, expected);
    }
}

/// Returns the options of an audit without delays. The indexes of this engine have no lag, and no
/// function is at work.
pub(crate) fn options(repair: bool) -> Options {
    let recheck_delay = Duration::from_millis(20);
    Options { repair, recheck_delay, min_deletion_age: Duration::ZERO, ..Options::default() }
}

/// Sets the attribute at `path`, such as `reactions.heart`, or removes it if `value` is `None`.
pub(crate) async fn set(client: &Client, table: &str, key: impl Into<Item>, path: &str, value: Option<AttributeValue>) {
    let parts: Vec<String> = path.split('.').map(|part| format!("#{}", part.replace('+', "plus"))).collect();
    let mut update = client.update_item().table_name(table).set_key(Some(key.into()));
    for (placeholder, name) in parts.iter().zip(path.split('.')) {
        update = update.expression_attribute_names(placeholder, name);
    }
    let path = parts.join(".");
    update = match value {
        Some(value) => {
            update.update_expression(format!("SET {path} = :value")).expression_attribute_values(":value", value)
        }
        None => update.update_expression(format!("REMOVE {path}")),
    };
    update.send().await.unwrap();
}

pub(crate) async fn all_items(client: &Client, table: &str) -> Items {
    let mut items = client.scan().table_name(table).into_paginator().items().send();
    let mut all = Items::new();
    while let Some(item) = items.try_next().await.unwrap() {
        let key = |names: [&str; 2]| names.into_iter().find_map(|name| item.get(name)).unwrap().as_s().unwrap().clone();
        let key = (key([PK, FAVORITE_PK]), key([SK, FAVORITE_SK]));
        all.insert(key, serde_dynamo::from_item(item.clone()).unwrap());
    }
    all
}

fn lines(report: &Report) -> Vec<String> {
    assert_eq!(report.unconfirmed, 0);
    let mut lines: Vec<String> = report.findings.iter().map(|(finding, _)| finding.to_string()).collect();
    lines.sort();
    lines
}

pub(crate) fn number(number: i64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

pub(crate) fn text(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

/// Returns the key of a user.
pub(crate) fn user(username: &str) -> Key {
    Key::user(&username.parse().unwrap())
}

/// Returns the key of the timer of a deleted name.
pub(crate) fn rest(username: &str) -> Key {
    Key::rest(&username.parse().unwrap())
}

/// Returns the key of a photo.
pub(crate) fn photo(username: &str, id: &str) -> Key {
    Key::photo(&username.parse().unwrap(), &id.parse().unwrap())
}

/// Returns an item with any key and any attributes.
pub(crate) fn item<const N: usize>(pk: &str, sk: &str, attributes: [(&str, AttributeValue); N]) -> Item {
    let keys = [(PK, text(pk)), (SK, text(sk))];
    keys.into_iter().chain(attributes).map(|(name, value)| (name.to_owned(), value)).collect()
}
