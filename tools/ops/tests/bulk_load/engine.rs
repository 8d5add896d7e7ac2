//! A DynamoDB engine, a proxy that injects faults, and the command `bulk-load`.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::types::AttributeValue;
use axum::Router;
use axum::body::Bytes;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use dynoxide::Database;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;

/// An engine with the tables `things` (key: PK, SK; index on `owner`) and `bytes` (key: the number
/// `n`, the binary `b`).
pub(crate) struct Engine {
    pub(crate) url: String,
    pub(crate) client: Client,
    pub(crate) directory: TempDir,
}

impl Engine {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let database = Database::memory().unwrap();
        for table in [
            json!({
                "TableName": "things",
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [
                    {"AttributeName": "PK", "AttributeType": "S"},
                    {"AttributeName": "SK", "AttributeType": "S"},
                    {"AttributeName": "owner", "AttributeType": "S"},
                ],
                "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
                "GlobalSecondaryIndexes": [{
                    "IndexName": "ByOwner",
                    "KeySchema": [{"AttributeName": "owner", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "KEYS_ONLY"},
                }],
            }),
            json!({
                "TableName": "bytes",
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [
                    {"AttributeName": "n", "AttributeType": "N"},
                    {"AttributeName": "b", "AttributeType": "B"},
                ],
                "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}],
            }),
        ] {
            database.create_table(serde_json::from_value(table).unwrap()).unwrap();
        }
        tokio::spawn(dynoxide::server::serve_on(listener, database));
        Self { client: client(&url), url, directory: TempDir::new().unwrap() }
    }

    /// Writes a file of items.
    pub(crate) fn file(&self, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.directory.path().join("items.json");
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) async fn items(&self, table: &str) -> Vec<HashMap<String, AttributeValue>> {
        let pages = self.client.scan().table_name(table).into_paginator().items().send();
        pages.try_collect().await.unwrap()
    }

    /// Returns the values of the attribute `v` by `PK`.
    pub(crate) async fn values(&self) -> HashMap<String, String> {
        let items = self.items("things").await;
        items.iter().map(|item| (item["PK"].as_s().unwrap().clone(), item["v"].as_n().unwrap().clone())).collect()
    }

    /// Starts a proxy in front of the engine, and returns a client of it. `decide` receives the
    /// number of each `BatchWriteItem` request and its writes, and decides on the response.
    pub(crate) async fn proxy<F>(
        &self,
        decide: impl Fn(usize, Vec<Value>) -> F + Clone + Send + Sync + 'static,
    ) -> Client
    where
        F: Future<Output = Reply> + Send,
    {
        let (engine, number) = (self.url.clone(), Arc::new(Mutex::new(0)));
        let handler = async move |headers: HeaderMap, body: Bytes| -> Response {
            let mut request: Value = serde_json::from_slice(&body).unwrap();
            if headers["x-amz-target"] != "DynamoDB_20120810.BatchWriteItem" {
                return forward(&engine, headers, &request).await;
            }
            let writes = request["RequestItems"]["things"].as_array().unwrap().clone();
            let number = {
                let mut next = number.lock().unwrap();
                *next += 1;
                *next - 1
            };
            match decide(number, writes.clone()).await {
                Reply::Forward => forward(&engine, headers, &request).await,
                Reply::NoAnswer => std::future::pending().await,
                Reply::ForwardAndThen(then) => {
                    let answer = forward(&engine, headers, &request).await;
                    then();
                    answer
                }
                Reply::Process(processed) => {
                    request["RequestItems"]["things"] = json!(writes[..processed]);
                    forward(&engine, headers, &request).await;
                    json!({"UnprocessedItems": {"things": writes[processed..]}}).to_string().into_response()
                }
                Reply::Error(status, code) => (
                    StatusCode::from_u16(status).unwrap(),
                    json!({"__type": code, "message": "injected by the test"}).to_string(),
                )
                    .into_response(),
            }
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let app = Router::new().fallback(handler).layer(DefaultBodyLimit::disable());
        tokio::spawn(async move { axum::serve(listener, app).await });
        client(&url)
    }
}

/// The response of the proxy.
pub(crate) enum Reply {
    Forward,
    /// Writes this number of items and returns the others as unprocessed.
    Process(usize),
    Error(u16, &'static str),
    NoAnswer,
    ForwardAndThen(Box<dyn FnOnce() + Send>),
}

async fn forward(engine: &str, mut headers: HeaderMap, request: &Value) -> Response {
    headers.remove("content-length");
    let answer = reqwest::Client::new().post(engine).headers(headers).body(request.to_string()).send().await.unwrap();
    (StatusCode::from_u16(answer.status().as_u16()).unwrap(), answer.bytes().await.unwrap()).into_response()
}

fn client(url: &str) -> Client {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(url)
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("local", "local", None, None, "test"))
        .http_client(shared::runtime::https::from_environment().unwrap())
        .build();
    Client::from_conf(config)
}

/// Runs the command without any environment variables: no region, no credentials, no home
/// directory.
pub(crate) async fn bulk_load(file: PathBuf, table: &'static str, url: String) -> Output {
    tokio::task::spawn_blocking(move || {
        Command::new(env!("CARGO_BIN_EXE_bulk-load"))
            .arg(file)
            .args(["--table", table, "--endpoint-url", &url])
            .env_clear()
            .output()
            .unwrap()
    })
    .await
    .unwrap()
}

/// Returns one line for each key and value.
pub(crate) fn lines(items: impl Iterator<Item = (usize, usize)>) -> String {
    items
        .map(|(key, value)| format!("{}\n", json!({"PK": format!("key {key}"), "SK": "-", "v": value})))
        .collect::<Vec<_>>()
        .concat()
}

pub(crate) fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}
