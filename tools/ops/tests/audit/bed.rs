//! A table of a test's own.

use std::collections::BTreeMap;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use local::sample::QUICK_PHOTOS;
use local::services::dynamodb;
use local::services::dynamodb::Engine;
use local::template::Template;
use ops::audit;
use ops::audit::{Options, Outcome, Report};
use ops::client;
use serde_json::Value;
use shared::dynamodb::Item;
use shared::model::{favorites, photos};
use tokio::net::TcpSocket;

/// The table of users and photos.
pub(crate) const TABLE: &str = "quick-photos";

pub(crate) struct Bed {
    pub(crate) table: String,
    pub(crate) engine: Engine,
    pub(crate) client: Client,
}

/// Every item by its key, in plain JSON.
pub(crate) type Everything = BTreeMap<(String, String), Value>;

impl Bed {
    pub(crate) async fn with(items: Vec<Item>) -> Self {
        Self::of(QUICK_PHOTOS, items).await
    }

    /// The items are of the table with this logical id.
    pub(crate) async fn of(table: &str, items: Vec<Item>) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        // As for the stack: without it, answers wait 40 ms for an ACK.
        socket.set_nodelay(true).unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let engine = Engine::start(socket.listen(1024).unwrap(), None).unwrap();
        let template = Template::read(&Template::find().unwrap()).unwrap();
        dynamodb::create_tables(engine.database(), &template).unwrap();
        let table = template.table(table).unwrap().name.clone();
        dynamodb::import(engine.database(), &table, items).unwrap();
        let client = client::connect(Some(engine.endpoint())).await.unwrap();
        Self { table, engine, client }
    }

    pub(crate) async fn put(&self, items: impl IntoIterator<Item = Item>) {
        for item in items {
            self.client.put_item().table_name(&self.table).set_item(Some(item)).send().await.unwrap();
        }
    }

    pub(crate) async fn delete(&self, key: impl Into<Item>) {
        self.client.delete_item().table_name(&self.table).set_key(Some(key.into())).send().await.unwrap();
    }

    pub(crate) async fn set(&self, key: impl Into<Item>, path: &str, value: Option<AttributeValue>) {
        set(&self.client, &self.table, key, path, value).await;
    }

    pub(crate) async fn all_items(&self) -> Everything {
        all_items(&self.client, &self.table).await
    }

    pub(crate) async fn audit(&self, repair: bool) -> Report {
        // This engine's index is never behind.
        let options = Options { repair, between_looks: Duration::from_millis(20), ..Options::default() };
        audit::run(&self.client, &self.table, options, |_| {}).await.unwrap()
    }

    /// The lines of an audit that only reports, and that it changed nothing.
    pub(crate) async fn found(&self) -> Vec<String> {
        let before = self.all_items().await;
        let report = self.audit(false).await;
        assert!(report.findings.iter().all(|(_, outcome)| *outcome == Outcome::Reported));
        assert_eq!(self.all_items().await, before);
        lines(&report)
    }

    /// The lines of an audit that mends all it finds; the next one finds nothing.
    pub(crate) async fn repaired(&self) -> Vec<String> {
        let report = self.audit(true).await;
        assert!(report.findings.iter().all(|(_, outcome)| *outcome == Outcome::Repaired));
        assert_eq!(self.found().await, [""; 0]);
        lines(&report)
    }
}

/// An update of one attribute at `path`, such as `reactions.heart`; none removes it.
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

pub(crate) async fn all_items(client: &Client, table: &str) -> Everything {
    let mut items = client.scan().table_name(table).into_paginator().items().send();
    let mut everything = Everything::new();
    while let Some(item) = items.try_next().await.unwrap() {
        let key = |names: [&str; 2]| names.into_iter().find_map(|name| item.get(name)).unwrap().as_s().unwrap().clone();
        let key = (key([photos::PK, favorites::PK]), key([photos::SK, favorites::SK]));
        everything.insert(key, serde_dynamo::from_item(item.clone()).unwrap());
    }
    everything
}

fn lines(report: &Report) -> Vec<String> {
    assert_eq!(report.unsettled, 0);
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

/// The key of a user.
pub(crate) fn user(username: &str) -> photos::Key {
    photos::Key::user(&username.parse().unwrap())
}

/// The key of a photo.
pub(crate) fn photo(username: &str, timestamp: &str) -> photos::Key {
    photos::Key::photo(&username.parse().unwrap(), &timestamp.parse().unwrap())
}

/// An item by its parts, without any sense.
pub(crate) fn item<const N: usize>(pk: &str, sk: &str, attributes: [(&str, AttributeValue); N]) -> Item {
    let keys = [(photos::PK, text(pk)), (photos::SK, text(sk))];
    keys.into_iter().chain(attributes).map(|(name, value)| (name.to_owned(), value)).collect()
}
