//! Tests of the backfill against the DynamoDB engine of the local stack, with concurrent writers,
//! and of the command.

#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::process::{Command, Output};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};
use local::listener;
use local::services::dynamodb::{self, Engine};
use ops::backfill::{self, Change, Event, Options, Totals};
use ops::client;
use serde_json::json;
use shared::dynamodb::Item;

const TABLE: &str = "things";

/// A table with the key `pk` and `sk`.
struct Table {
    engine: Engine,
    client: Client,
}

impl Table {
    async fn with(items: impl IntoIterator<Item = Item>) -> Self {
        let engine = Engine::start(listener::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap(), None).unwrap();
        let definition = json!({
            "TableName": TABLE, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [
                {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}
            ],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        });
        engine.database().create_table(serde_json::from_value(definition).unwrap()).unwrap();
        dynamodb::import(engine.database(), TABLE, items.into_iter().collect()).unwrap();
        let client = client::connect(Some(engine.endpoint())).await.unwrap();
        Self { engine, client }
    }

    async fn put(&self, item: Item) {
        self.client.put_item().table_name(TABLE).set_item(Some(item)).send().await.unwrap();
    }

    async fn delete(&self, number: usize) {
        let key = key(number).map(|(name, value)| (name.to_owned(), value)).into();
        self.client.delete_item().table_name(TABLE).set_key(Some(key)).send().await.unwrap();
    }

    /// Returns all items by the number in their key.
    async fn items(&self) -> HashMap<usize, Item> {
        let mut pages = self.client.scan().table_name(TABLE).into_paginator().send();
        let mut items = HashMap::new();
        while let Some(page) = pages.try_next().await.unwrap() {
            let number = |item: &Item| item["sk"].as_s().unwrap().parse().unwrap();
            items.extend(page.items.unwrap_or_default().into_iter().map(|item| (number(&item), item)));
        }
        items
    }

    async fn backfill(&self, change: Change) -> anyhow::Result<Totals> {
        backfill::run(&self.client, TABLE, change, fast(), |_| {}).await
    }

    /// Runs the command without any environment variables.
    async fn command(&self, arguments: &[&str]) -> (Output, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backfill"));
        command.args(["--table", TABLE, "--endpoint-url", self.engine.endpoint()]).args(arguments).env_clear();
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (output.clone(), text(&output.stdout), text(&output.stderr))
    }
}

fn fast() -> Options {
    Options { rate: 1000, ..Options::default() }
}

fn key(number: usize) -> [(&'static str, AttributeValue); 2] {
    [("pk", S(format!("thing {}", number % 7))), ("sk", S(format!("{number}")))]
}

fn thing<const LENGTH: usize>(number: usize, attributes: [(&str, AttributeValue); LENGTH]) -> Item {
    key(number).into_iter().chain(attributes).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A change that gives each item without a `size` the size 0.
fn sizes() -> Change {
    Change {
        condition: "attribute_not_exists(#size)".to_owned(),
        update: "SET #size = :zero".to_owned(),
        names: HashMap::from([("#size".to_owned(), "size".to_owned())]),
        values: Item::from([(":zero".to_owned(), N("0".to_owned()))]),
    }
}

fn number(number: u32) -> AttributeValue {
    N(number.to_string())
}

#[tokio::test]
async fn changes_each_selected_item_once_however_often_it_runs() {
    let sized = thing(500, [("size", number(7))]);
    let table = Table::with((0..500).map(|number| thing(number, [])).chain([sized.clone()])).await;
    let totals = table.backfill(sizes()).await.unwrap();
    assert_eq!(totals, Totals { read: 501, found: 500, updated: 500, changed_meanwhile: 0, failed: 0 });
    let items = table.items().await;
    assert_eq!((items.len(), &items[&500]), (501, &sized));
    assert!((0..500).all(|index| items[&index] == thing(index, [("size", number(0))])));

    let totals = table.backfill(sizes()).await.unwrap();
    assert_eq!(totals, Totals { read: 501, ..Totals::default() });
    assert_eq!(table.items().await, items);
}

/// The writers work between the Scan and the writes: the rate leaves them the time.
#[tokio::test]
async fn leaves_alone_what_others_change_or_delete_meanwhile() {
    let table = Table::with((0..200).map(|number| thing(number, []))).await;
    let options = Options { rate: 100, segments: 1, ..Options::default() };
    let backfill = backfill::run(&table.client, TABLE, sizes(), options, |_| {});
    let writers = async {
        for index in (0..200).step_by(4) {
            table.put(thing(index, [("size", number(9))])).await;
            table.delete(index + 1).await;
        }
    };
    let (totals, ()) = tokio::join!(backfill, writers);
    let totals = totals.unwrap();
    let items = table.items().await;
    assert_eq!(items.len(), 150, "no deleted item is back");
    for (index, item) in &items {
        let size = if index % 4 == 0 { 9 } else { 0 };
        assert_eq!(*item, thing(*index, [("size", number(size))]));
    }
    assert!(totals.changed_meanwhile > 0, "{totals:?}");
    assert_eq!((totals.updated + totals.changed_meanwhile, totals.failed), (totals.found, 0), "{totals:?}");
    assert_eq!(table.backfill(sizes()).await.unwrap().found, 0);
}

#[tokio::test]
async fn ends_at_the_first_item_for_which_the_condition_remains_true() {
    let table = Table::with((0..50).map(|index| thing(index, [("size", number(1))]))).await;
    let change = Change {
        condition: "attribute_exists(pk)".to_owned(),
        update: "ADD #size :one".to_owned(),
        values: Item::from([(":one".to_owned(), number(1))]),
        ..sizes()
    };
    let error = table.backfill(change).await.unwrap_err().to_string();
    assert!(error.starts_with("--where is still true for the first item"), "{error}");
    let changed = table.items().await.into_values().filter(|item| item["size"] == number(2)).count();
    assert_eq!(changed, 1);
}

#[tokio::test]
async fn reports_items_that_fail_and_changes_the_others() {
    let text = |index| thing(index, [("count", S("many".to_owned()))]);
    let table = Table::with((0..20).map(|index| thing(index, [("count", number(5))])).chain((20..23).map(text))).await;
    let change = Change { update: "SET #size = #count + :zero".to_owned(), ..sizes() };
    let names = HashMap::from([("#size", "size"), ("#count", "count")]);
    let names = names.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let mut failed = vec![];
    let watch = |event: Event<'_>| {
        if let Event::Failed(key, reason) = event {
            failed.push((key["sk"].as_s().unwrap().clone(), reason.to_owned()));
        }
    };
    let totals = backfill::run(&table.client, TABLE, Change { names, ..change }, fast(), watch).await.unwrap();
    assert_eq!(totals, Totals { read: 23, found: 23, updated: 20, changed_meanwhile: 0, failed: 3 });
    failed.sort();
    assert_eq!(failed.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), ["20", "21", "22"]);
    assert!(failed.iter().all(|(_, reason)| reason.ends_with("(ValidationException)")), "{failed:?}");
}

#[tokio::test]
async fn the_command_prints_totals_and_errors_and_exits_with_0_1_or_2() {
    let table = Table::with((0..9).map(|number| thing(number, []))).await;
    let change =
        ["--where", "attribute_not_exists(#size) AND begins_with(pk, :thing)", "--update", "SET #size = :zero"];
    let placeholders =
        ["--names", r##"{"#size": "size"}"##, "--values", r#"{":zero": {"N": "0"}, ":thing": {"S": "thing 1"}}"#];
    let arguments = [&change[..], &placeholders].concat();
    let dry = [&arguments[..], &["--dry-run"]].concat();
    for (arguments, line) in [
        (&dry, "9 items read, 2 would be changed\n"),
        (&arguments, "9 items read, 2 changed, 0 changed by others meanwhile, 0 failed\n"),
        (&arguments, "9 items read, 0 changed, 0 changed by others meanwhile, 0 failed\n"),
    ] {
        let (output, stdout, stderr) = table.command(arguments).await;
        assert_eq!((&*stdout, &*stderr, output.status.code()), (line, "", Some(0)));
    }

    table.put(thing(1, [("count", S("many".to_owned()))])).await;
    let where_text = ["--where", "attribute_not_exists(size2)", "--update", "ADD #c :one"];
    let placeholders = ["--names", r##"{"#c": "count"}"##, "--values", r#"{":one": {"N": "1"}}"#];
    for (arguments, error) in [
        (["--where", "a = :a", "--update", "SET b = :a"].to_vec(), "backfill: --values has no :a, which an expression"),
        ([&change[..], &placeholders].concat(), "backfill: --names has no #size, which an expression uses"),
        ([&arguments[..6], &["--values", "{}"]].concat(), "backfill: --values has no :thing, which an expression"),
        (["--where", "a", "--update", "b", "--names", "{"].to_vec(), "backfill: --names: EOF while parsing"),
        (["--where", "a", "--update", "b", "--values", r#"{":a": 1}"#].to_vec(), "backfill: --values: :a: must be an"),
        (["--where", "a = ", "--update", "SET b = a"].to_vec(), "backfill: reading failed: Invalid FilterExpression: "),
        ([&where_text[..], &placeholders].concat(), "backfill: --where is still true for the first item"),
    ] {
        let (output, stdout, stderr) = table.command(&arguments).await;
        assert_eq!((&*stdout, output.status.code()), ("", Some(2)), "{stderr}");
        assert!(stderr.lines().last().unwrap_or_default().starts_with(error), "{stderr}");
    }
    let failing = ["--where", "attribute_not_exists(done)", "--update", "SET done = :one, #c = #c + :one"];
    table.put(thing(3, [("count", number(1))])).await;
    let where_counts = [&failing[..], &placeholders].concat();
    let (output, stdout, stderr) = table.command(&where_counts).await;
    assert_eq!(output.status.code(), Some(1), "{stdout} {stderr}");
    let failed = stderr.lines().find(|line| line.starts_with(r#"{"pk":{"S":"thing 1"},"sk":{"S":"1"}}: "#));
    assert!(failed.is_some_and(|line| line.ends_with(" (ValidationException)")), "{stderr}");
}
