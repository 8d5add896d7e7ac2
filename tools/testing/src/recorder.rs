//! What a function asks of DynamoDB, and what that costs: an endpoint between the two which passes every request on and
//! keeps a record of it.
//!
//! The units are those that the engine reports, since it counts as AWS documents it; `recorder/tests.rs` holds it to
//! that, rule by rule.

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

/// The endpoint. It stops when dropped.
pub struct Recorder {
    url: String,
    record: Arc<Mutex<Vec<Request>>>,
    server: JoinHandle<io::Result<()>>,
}

/// A request and its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The operation: `Query`.
    pub operation: String,
    /// What was asked, with `ReturnConsumedCapacity` as it was sent on.
    pub body: Value,
    /// The HTTP status of the answer.
    pub status: u16,
    /// What was answered.
    pub answer: Value,
    /// The [units](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html) that it
    /// took. DynamoDB doesn't say what a request that it refused took.
    pub units: Units,
}

/// Capacity units.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Units {
    /// Those of reads.
    pub read: f64,
    /// Those of writes.
    pub write: f64,
    /// How many of them were of an index, by its name.
    pub indexes: BTreeMap<String, f64>,
}

impl Request {
    /// The table, unless it is a request to several items, each of which names its own.
    #[must_use]
    pub fn table(&self) -> Option<&str> {
        self.body["TableName"].as_str()
    }

    /// The index that was read.
    #[must_use]
    pub fn index(&self) -> Option<&str> {
        self.body["IndexName"].as_str()
    }

    /// The items that were read and returned.
    #[must_use]
    pub fn items(&self) -> Vec<&Value> {
        let answer = &self.answer;
        let of_tables = answer["Responses"].as_object().into_iter().flat_map(|tables| tables.values());
        let lists = of_tables.chain([&answer["Items"]]).filter_map(Value::as_array).flatten();
        lists.chain(answer.get("Item")).collect()
    }

    /// How many items DynamoDB read to find them: more than were returned if it threw some away.
    #[must_use]
    pub fn evaluated(&self) -> usize {
        let scanned = self.answer["ScannedCount"].as_u64().and_then(|count| usize::try_from(count).ok());
        scanned.unwrap_or_else(|| self.items().len())
    }
}

struct Wire {
    dynamodb: String,
    http: reqwest::Client,
    record: Arc<Mutex<Vec<Request>>>,
}

impl Recorder {
    /// Stands before the DynamoDB at this URL.
    pub fn start(dynamodb: &str) -> io::Result<Self> {
        let listener = net::bind(Ipv4Addr::LOCALHOST.into(), 0)?;
        let url = net::url(&listener)?;
        let record = Arc::default();
        let wire = Wire { dynamodb: dynamodb.to_owned(), http: reqwest::Client::new(), record: Arc::clone(&record) };
        let router = Router::new().fallback(pass_on).with_state(Arc::new(wire));
        let server = tokio::spawn(axum::serve(listener, router).into_future());
        Ok(Self { url, record, server })
    }

    /// Where it is.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What was answered since the last look, in this order.
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

async fn pass_on(State(wire): State<Arc<Wire>>, headers: HeaderMap, body: Bytes) -> Response {
    match wire.pass_on(headers, &body).await {
        Ok(answer) => answer,
        Err(error) => {
            net::log("recorder", &error.to_string());
            StatusCode::BAD_GATEWAY.into_response()
        }
    }
}

impl Wire {
    async fn pass_on(
        &self,
        mut headers: HeaderMap,
        body: &[u8],
    ) -> Result<Response, Box<dyn std::error::Error + Send + Sync>> {
        let target = headers.get("x-amz-target").and_then(|target| target.to_str().ok()).unwrap_or_default();
        let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
        let mut body: Value = serde_json::from_slice(body)?;
        body["ReturnConsumedCapacity"] = "INDEXES".into();
        // The engine doesn't check signatures, so nothing keeps the body from being another one.
        for of_this_connection in [header::HOST, header::CONTENT_LENGTH, header::CONNECTION] {
            headers.remove(of_this_connection);
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

/// The units of a request, of which DynamoDB tells for each table where there may be several.
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
