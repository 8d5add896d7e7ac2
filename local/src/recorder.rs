//! A DynamoDB endpoint that passes each request on to another endpoint and records it with its
//! answer and its capacity units. The page shows the requests, and the tests count them.
//!
//! The units are those that the engine reports, because it counts as AWS documents it;
//! `recorder/tests.rs` checks it rule by rule.

use std::collections::BTreeMap;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use axum::body::Bytes;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use serde_json::Value;

use crate::dynamodb_proxy::{Answer, Upstream};
use crate::listener;
use crate::trace::{TRACE_HEADER, Trace};

pub use crate::dynamodb_proxy::Proxy;

#[cfg(test)]
mod tests;

/// The operations that consume read units.
const READS: [&str; 6] = ["GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan", "SearchVectors"];

/// The operations that consume write units.
const WRITES: [&str; 5] = ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"];

/// A recorded request and its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The operation, for example `Query`.
    pub operation: String,
    /// The body of the request as the client sent it, without `ReturnConsumedCapacity`.
    pub body: Value,
    /// The HTTP status of the answer.
    pub status: u16,
    /// The body of the answer as the client gets it, without `ConsumedCapacity`.
    pub answer: Value,
    /// The
    /// [units](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html)
    /// that the request consumed; zero for a failed request, for which DynamoDB reports none.
    pub units: Units,
    /// The trace of the invocation or of the page that sent the request. Other clients have none.
    pub trace: Option<Trace>,
    /// The time at which the request arrived.
    pub time: SystemTime,
    /// The time until the answer of DynamoDB.
    pub duration: Duration,
    /// Whether the client [repeats](https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html)
    /// a request that got no answer in time, or an error.
    pub is_retry: bool,
}

/// Capacity units.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Units {
    /// Read units, in tables and indexes together.
    pub read: f64,
    /// Write units, in tables and indexes together.
    pub write: f64,
    /// The bytes that a [search of
    /// vectors](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/VectorSearchMonitoring.html)
    /// consumed.
    pub search_bytes: f64,
    /// The bytes that were written into vector indexes.
    pub vector_write_bytes: f64,
    /// The units by the name of the table.
    pub tables: BTreeMap<String, TableUnits>,
}

/// The units that a table and its indexes consumed. They are read units or write units: no
/// operation consumes both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableUnits {
    /// The units of the table itself.
    pub table: f64,
    /// The units by the name of the index.
    pub indexes: BTreeMap<String, f64>,
}

/// The receiver of recorded requests.
pub trait Sink: Send + Sync + 'static {
    /// Called with each request before DynamoDB gets it.
    fn sent(&self, operation: &str, body: &Value, trace: Option<&Trace>) {
        let _ = (operation, body, trace);
    }

    /// Called with each request and its answer before the client gets the answer, also if the
    /// client is gone.
    fn answered(&self, request: Request);
}

impl Request {
    /// Returns the table; `None` for an operation on several items, each of which names its own
    /// table.
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
        let found = answer["SearchResults"].as_array().into_iter().flatten().map(|result| &result["Item"]);
        lists.chain(answer.get("Item")).chain(found).collect()
    }

    /// Returns the number of items that DynamoDB read: more than it returned if a filter dropped
    /// some.
    #[must_use]
    pub fn evaluated(&self) -> usize {
        let scanned = self.answer["ScannedCount"].as_u64().and_then(|count| usize::try_from(count).ok());
        scanned.unwrap_or_else(|| self.items().len())
    }
}

impl Units {
    /// Returns the units of an answer. For an operation on several tables, DynamoDB reports them by
    /// table.
    fn from_consumed(operation: &str, consumed: &Value) -> Self {
        let of_tables = consumed.as_array().map_or_else(|| vec![consumed], |tables| tables.iter().collect());
        let number = |value: &Value| value["CapacityUnits"].as_f64().unwrap_or_default();
        let mut units =
            Self { search_bytes: consumed["VectorSearchRequestBytes"].as_f64().unwrap_or_default(), ..Self::default() };
        let sum = if READS.contains(&operation) { &mut units.read } else { &mut units.write };
        for consumed in of_tables {
            let Some(name) = consumed["TableName"].as_str() else { continue };
            *sum += number(consumed);
            let vectors = consumed["VectorIndexes"].as_object().into_iter().flatten();
            let bytes = vectors.filter_map(|(_, consumed)| consumed["VectorWriteRequestBytes"].as_f64());
            units.vector_write_bytes += bytes.sum::<f64>();
            let table = units.tables.entry(name.to_owned()).or_default();
            table.table += number(&consumed["Table"]);
            for kind in ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"] {
                for (index, consumed) in consumed[kind].as_object().into_iter().flatten() {
                    *table.indexes.entry(index.clone()).or_default() += number(consumed);
                }
            }
        }
        units
    }

    /// Returns the units of all indexes by name.
    pub fn indexes(&self) -> impl Iterator<Item = (&str, f64)> {
        let indexes = self.tables.values().flat_map(|table| &table.indexes);
        indexes.map(|(name, units)| (name.as_str(), *units))
    }
}

/// Starts a recording endpoint in front of the DynamoDB at this URL, on a free port of this machine.
pub fn start(dynamodb: &str, sink: impl Sink) -> io::Result<Proxy> {
    let listener = listener::bind(Ipv4Addr::LOCALHOST.into(), 0)?;
    let sink = Arc::new(sink);
    Proxy::start(listener, dynamodb, move |dynamodb, parts, body| record(sink.clone(), dynamodb, parts, body))
}

/// Passes a request on and records it.
async fn record(sink: Arc<impl Sink>, dynamodb: Arc<Upstream>, parts: Parts, body: Bytes) -> Answer {
    let text = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let operation = text("x-amz-target").rsplit('.').next().unwrap_or_default().to_owned();
    let Some(mut request) = body_of(&operation, &body) else {
        return Ok(dynamodb.send(parts, body).await?.0);
    };
    let trace = Trace::from_header(text(TRACE_HEADER));
    // For example `attempt=2; max=5`.
    let is_retry =
        text("amz-sdk-request").split("; ").any(|field| field.starts_with("attempt=") && field != "attempt=1");
    sink.sent(&operation, &request, trace.as_ref());

    // Functions ask for their total, which the log shows. What is recorded is the request without
    // this question.
    let asked = request.as_object_mut().and_then(|members| members.remove("ReturnConsumedCapacity"));
    let mut counted = request.clone();
    counted["ReturnConsumedCapacity"] = "INDEXES".into();
    let (time, begin) = (SystemTime::now(), Instant::now());
    // The body differs from the signed one; the engine checks no signatures.
    let sent = dynamodb.send(parts, counted.to_string().into()).await;
    let mut recorded = Request {
        operation,
        body: request,
        status: StatusCode::BAD_GATEWAY.as_u16(),
        answer: Value::Null,
        units: Units::default(),
        trace,
        time,
        duration: begin.elapsed(),
        is_retry,
    };
    let (mut response, answer) = match sent {
        Ok(answer) => answer,
        Err(error) => {
            sink.answered(recorded);
            return Err(error);
        }
    };
    recorded.status = response.status().as_u16();
    recorded.answer = serde_json::from_slice(&answer).unwrap_or_default();
    if let Some(members) = recorded.answer.as_object_mut() {
        let consumed = members.remove("ConsumedCapacity").unwrap_or_default();
        recorded.units = Units::from_consumed(&recorded.operation, &consumed);
        let mut members = members.clone();
        if let Some(consumed) = reduce(consumed, asked.as_ref().and_then(Value::as_str)) {
            members.insert("ConsumedCapacity".to_owned(), consumed);
        }
        let reduced = serde_json::to_vec(&members)?;
        if let Some(checksum) = response.headers_mut().get_mut("x-amz-crc32") {
            *checksum = HeaderValue::from(crc32fast::hash(&reduced));
        }
        *response.body_mut() = reduced.into();
    }
    sink.answered(recorded);
    Ok(response)
}

/// Returns the body of a request that reports its units, or `None` for any other request.
fn body_of(operation: &str, body: &[u8]) -> Option<Value> {
    let consumes = READS.contains(&operation) || WRITES.contains(&operation);
    consumes.then(|| serde_json::from_slice(body).ok()).flatten().filter(Value::is_object)
}

/// Reduces the units of an answer to what the client has asked for.
fn reduce(mut consumed: Value, asked: Option<&str>) -> Option<Value> {
    if consumed.is_null() || matches!(asked, None | Some("NONE")) {
        return None;
    }
    if asked == Some("TOTAL") {
        let of_tables = match &mut consumed {
            Value::Array(of_tables) => of_tables.as_mut_slice(),
            one => std::slice::from_mut(one),
        };
        for units in of_tables.iter_mut().filter_map(Value::as_object_mut) {
            for detail in ["Table", "LocalSecondaryIndexes", "GlobalSecondaryIndexes", "VectorIndexes"] {
                units.remove(detail);
            }
        }
    }
    Some(consumed)
}
