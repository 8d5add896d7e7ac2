//! A DynamoDB endpoint that passes each request on to another endpoint and records it with its answer and its capacity
//! units.
//!
//! The units are those that the engine reports, because it counts as AWS documents it; `recorder/tests.rs` checks it
//! rule by rule.

use std::collections::BTreeMap;
use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use tokio::task::JoinHandle;

use local::net;

#[cfg(test)]
mod tests;

/// The recording endpoint. It stops when dropped.
pub struct Recorder {
    url: String,
    record: Arc<Mutex<Vec<Request>>>,
    server: JoinHandle<io::Result<()>>,
}

/// A recorded request and its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The operation, for example `Query`.
    pub operation: String,
    /// The body of the request, with the `ReturnConsumedCapacity` that the recorder adds.
    pub body: Value,
    /// The HTTP status of the answer.
    pub status: u16,
    /// The body of the answer.
    pub answer: Value,
    /// The [units](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html) that
    /// the request consumed; zero for a failed request, for which DynamoDB reports none.
    pub units: Units,
}

/// Capacity units, in tables and indexes together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Units {
    /// Read units.
    pub read: f64,
    /// Write units.
    pub write: f64,
    /// The part of the units that indexes consumed, by index name.
    pub indexes: BTreeMap<String, f64>,
}

impl Request {
    /// Returns the table; `None` for an operation on several items, each of which names its own table.
    #[must_use]
    pub fn table(&self) -> Option<&str> {
        self.body["TableName"].as_str()
    }

    /// Returns the index that the request reads.
    #[must_use]
    pub fn index(&self) -> Option<&str> {
        self.body["IndexName"].as_str()
    }

    /// Returns the items that the answer holds.
    #[must_use]
    pub fn items(&self) -> Vec<&Value> {
        let answer = &self.answer;
        let of_tables = answer["Responses"].as_object().into_iter().flat_map(|tables| tables.values());
        let lists = of_tables.chain([&answer["Items"]]).filter_map(Value::as_array).flatten();
        lists.chain(answer.get("Item")).collect()
    }

    /// Returns the number of items that DynamoDB read: more than it returned if a filter dropped some.
    #[must_use]
    pub fn evaluated(&self) -> usize {
        let scanned = self.answer["ScannedCount"].as_u64().and_then(|count| usize::try_from(count).ok());
        scanned.unwrap_or_else(|| self.items().len())
    }
}

struct Upstream {
    dynamodb: String,
    http: reqwest::Client,
    record: Arc<Mutex<Vec<Request>>>,
}

impl Recorder {
    /// Starts an endpoint in front of the DynamoDB at this URL.
    pub fn start(dynamodb: &str) -> io::Result<Self> {
        let listener = net::bind(Ipv4Addr::LOCALHOST.into(), 0)?;
        let url = net::url(&listener)?;
        let record = Arc::default();
        let upstream =
            Upstream { dynamodb: dynamodb.to_owned(), http: reqwest::Client::new(), record: Arc::clone(&record) };
        let router = Router::new().fallback(forward).with_state(Arc::new(upstream));
        let server = tokio::spawn(axum::serve(listener, router).into_future());
        Ok(Self { url, record, server })
    }

    /// Returns the URL of the endpoint.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the requests that were answered since the last call, in the order of the answers.
    #[must_use]
    pub fn take(&self) -> Vec<Request> {
        std::mem::take(&mut *self.record.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn forward(State(upstream): State<Arc<Upstream>>, headers: HeaderMap, body: Bytes) -> Response {
    match upstream.forward(headers, &body).await {
        Ok(answer) => answer,
        Err(error) => {
            net::log("recorder", &error.to_string());
            StatusCode::BAD_GATEWAY.into_response()
        }
    }
}

impl Upstream {
    async fn forward(
        &self,
        mut headers: HeaderMap,
        body: &[u8],
    ) -> Result<Response, Box<dyn std::error::Error + Send + Sync>> {
        let target = headers.get("x-amz-target").and_then(|target| target.to_str().ok()).unwrap_or_default();
        let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
        let mut body: Value = serde_json::from_slice(body)?;
        body["ReturnConsumedCapacity"] = "INDEXES".into();
        // The body differs from the signed one; the engine checks no signatures.
        for connection_header in [header::HOST, header::CONTENT_LENGTH, header::CONNECTION] {
            headers.remove(connection_header);
        }
        let sent = self.http.post(&self.dynamodb).headers(headers).body(body.to_string()).send().await?;
        let (status, content_type) = (sent.status(), sent.headers().get(header::CONTENT_TYPE).cloned());
        let text = sent.bytes().await?;
        let answer: Value = serde_json::from_slice(&text)?;
        let units = units(&operation, &answer["ConsumedCapacity"]);
        let request = Request { operation, body, status: status.as_u16(), answer, units };
        self.record.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        let content_type = content_type.map(|value| (header::CONTENT_TYPE, value));
        Ok((status, content_type.into_iter().collect::<HeaderMap>(), text).into_response())
    }
}

/// Returns the units of a request. For an operation on several tables, DynamoDB reports them by table.
fn units(operation: &str, consumed: &Value) -> Units {
    let of_tables = consumed.as_array().map_or_else(|| vec![consumed], |tables| tables.iter().collect());
    let mut units = Units::default();
    let is_read = matches!(operation, "GetItem" | "BatchGetItem" | "TransactGetItems" | "Query" | "Scan");
    let sum = if is_read { &mut units.read } else { &mut units.write };
    for table in of_tables {
        *sum += table["CapacityUnits"].as_f64().unwrap_or_default();
        for kind in ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"] {
            for (index, of_index) in table[kind].as_object().into_iter().flatten() {
                *units.indexes.entry(index.clone()).or_default() +=
                    of_index["CapacityUnits"].as_f64().unwrap_or_default();
            }
        }
    }
    units
}
