//! Tests of bulk-load against the engine of the local stack: the items that it loads, the lines
//! that it refuses, and its retries.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use local::listener;
use local::services::dynamodb::{self, Engine};
use ops::bulk_load::{STALL_TIMEOUT, Totals, load};
use serde_json::{Value, json};
use shared::dynamodb::Item;

/// An engine with the table `things`, whose key is the string PK and the number SK.
struct Things(Engine);

impl Things {
    fn start() -> Self {
        let engine = Engine::start(listener::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap(), None).unwrap();
        let table = json!({
            "TableName": "things",
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [
                {"AttributeName": "PK", "AttributeType": "S"}, {"AttributeName": "SK", "AttributeType": "N"},
            ],
            "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
        });
        engine.database().create_table(serde_json::from_value(table).unwrap()).unwrap();
        Self(engine)
    }

    /// Runs the command without any environment variables: no region, no credentials, no home
    /// directory.
    async fn bulk_load(&self, content: String) -> Output {
        let endpoint = self.0.endpoint().to_owned();
        let run = move || {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), content).unwrap();
            let mut command = Command::new(env!("CARGO_BIN_EXE_bulk-load"));
            command.arg(file.path()).args(["--table", "things", "--endpoint-url", &endpoint]);
            command.env_clear().output().unwrap()
        };
        tokio::task::spawn_blocking(run).await.unwrap()
    }

    /// Returns the attribute `v` of the items by PK and SK.
    async fn values(&self) -> BTreeMap<String, String> {
        let client = dynamodb::client(self.0.endpoint());
        let items: Vec<Item> =
            client.scan().table_name("things").into_paginator().items().send().try_collect().await.unwrap();
        let text = |value: &AttributeValue| value.as_s().or(value.as_n()).unwrap().clone();
        let key = |item: &Item| format!("{} {}", text(&item["PK"]), text(&item["SK"]));
        items.iter().map(|item| (key(item), text(&item["v"]))).collect()
    }

    /// Returns a client whose `BatchWriteItem` requests get these answers first, and then those of
    /// the engine.
    fn client_with(&self, faults: impl IntoIterator<Item = Fault>) -> Client {
        let (engine, faults) = (self.0.endpoint().to_owned(), faults.into_iter().collect::<Arc<[_]>>());
        let number = Arc::new(AtomicUsize::new(0));
        let answer = async move |headers: HeaderMap, body: Bytes| -> Response {
            let mut request: Value = serde_json::from_slice(&body).unwrap();
            let is_write = headers["x-amz-target"] == "DynamoDB_20120810.BatchWriteItem";
            let fault = if is_write { faults.get(number.fetch_add(1, Ordering::Relaxed)) } else { None };
            let mut unprocessed = json!({});
            match fault {
                Some(Fault::Error(status, code)) => {
                    let body = json!({"__type": code, "message": "injected by the test"}).to_string();
                    return (StatusCode::from_u16(*status).unwrap(), body).into_response();
                }
                Some(Fault::Process(processed)) => {
                    let writes = request["RequestItems"]["things"].as_array_mut().unwrap();
                    unprocessed = json!({"things": writes.split_off(*processed)});
                    if writes.is_empty() {
                        return json!({"UnprocessedItems": unprocessed}).to_string().into_response();
                    }
                }
                None => {}
            }
            let mut forwarded = headers;
            forwarded.remove("content-length");
            let forwarded = reqwest::Client::new().post(engine).headers(forwarded).body(request.to_string());
            let forwarded = forwarded.send().await.unwrap();
            let status = StatusCode::from_u16(forwarded.status().as_u16()).unwrap();
            let mut body: Value = forwarded.json().await.unwrap();
            if is_write && status.is_success() {
                body["UnprocessedItems"] = unprocessed;
            }
            (status, body.to_string()).into_response()
        };
        let listener = listener::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
        let client = dynamodb::client(&listener::url(&listener).unwrap());
        tokio::spawn(axum::serve(listener, Router::new().fallback(answer)).into_future());
        client
    }
}

enum Fault {
    /// The number of items that the request processes.
    Process(usize),
    Error(u16, &'static str),
}

/// Returns one line for each key and value.
fn lines(items: impl IntoIterator<Item = (usize, usize)>) -> String {
    let line = |(key, value)| format!("{}\n", json!({"PK": "p", "SK": key, "v": value}));
    items.into_iter().map(line).collect::<Vec<_>>().concat()
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn loads_both_formats_and_names_the_lines_that_it_refuses() {
    let things = Things::start();
    let large = "x".repeat(400 * 1024);
    let content = [
        "\u{feff}{\"PK\": \"plain\", \"SK\": 1, \"v\": 12345678901234567890123456789012345678}\r",
        "no JSON",
        "",
        r#"{"PK": {"S": "typed"}, "SK": {"N": "1"}, "v": {"N": "1"}}"#,
        r#"{"Item": {"PK": {"S": "exported"}, "SK": {"N": "1"}, "v": {"N": "2"}}}"#,
        r#"{"PK": "no sort key"}"#,
        &format!(r#"{{"PK": "large", "SK": 1, "v": "{large}"}}"#),
        r#"{"PK": "wrong type", "SK": "1", "v": 3}"#,
    ];
    let output = things.bulk_load(content.join("\n")).await;
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(stdout.starts_with("3 items loaded in "), "{stdout}");
    let refused = [
        ":2: is not valid JSON: ",
        ":6: SK is missing or has another type than a key has",
        ":7: Item size has exceeded the maximum allowed size",
        ":8: ",
        "bulk-load: 4 lines were skipped",
    ];
    let mut printed: Vec<_> = stderr.lines().collect();
    printed[2..4].sort_unstable();
    assert_eq!(printed.len(), refused.len(), "{stderr}");
    assert!(printed.iter().zip(refused).all(|(line, reason)| line.contains(reason)), "{stderr}");
    assert_eq!(output.status.code(), Some(1));
    let expected = [("exported 1", "2"), ("plain 1", "12345678901234567890123456789012345678"), ("typed 1", "1")];
    assert_eq!(things.values().await, expected.map(|(key, value)| (key.to_owned(), value.to_owned())).into());
}

#[tokio::test]
async fn loads_the_last_of_several_lines_with_the_same_key() {
    let things = Things::start();
    let last = "{\"PK\": \"p\", \"SK\": 3.0, \"v\": 5000}\n";
    let output = things.bulk_load(lines((0..2000).map(|number| (number % 100, number))) + last).await;
    assert_eq!((text(&output.stderr), output.status.code()), ("", Some(0)));
    assert!(text(&output.stdout).starts_with("2001 items loaded in "));
    let value = |key| if key == 3 { 5000 } else { 1900 + key };
    assert_eq!(things.values().await, (0..100).map(|key| (format!("p {key}"), value(key).to_string())).collect());
}

#[tokio::test]
async fn sends_again_what_a_throttled_table_has_not_processed() {
    let things = Things::start();
    let client = things.client_with([
        Fault::Process(10),
        Fault::Error(400, "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"),
        Fault::Error(500, "com.amazonaws.dynamodb.v20120810#InternalServerError"),
        Fault::Process(0),
        Fault::Process(1),
    ]);
    let content = lines((0..400).map(|number| (number, number)));
    let totals = load(&client, "things", STALL_TIMEOUT, content.as_bytes(), |line, reason| panic!("{line}: {reason}"));
    assert_eq!(totals.await.unwrap(), Totals { loaded: 400, refused: 0 });
    assert_eq!(things.values().await.len(), 400);
}

#[tokio::test]
async fn ends_when_the_table_processes_nothing_or_allows_no_writes() {
    let things = Things::start();
    let content = lines([(1, 1)]);
    let stalled = things.client_with((0..100).map(|_| Fault::Process(0)));
    let error = load(&stalled, "things", Duration::from_millis(200), content.as_bytes(), |_, _| {}).await.unwrap_err();
    assert_eq!(error.to_string(), "the table has processed no item for 0 s");
    let denied = things.client_with([Fault::Error(400, "AccessDeniedException")]);
    let error = load(&denied, "things", STALL_TIMEOUT, content.as_bytes(), |_, _| {}).await.unwrap_err();
    let expected = "writing failed: injected by the test (AccessDeniedException); add the action to the policy of \
        these credentials";
    assert_eq!(error.to_string(), expected);
}
