//! `GET /local/events`: what happens in the stack, as [server-sent
//! events](https://html.spec.whatwg.org/multipage/server-sent-events.html) of one JSON object each.
//!
//! | `type` | is sent |
//! |---|---|
//! | `hello` | first, with the id of this run of the stack and the endpoint of DynamoDB |
//! | `request` | when the gateway has answered a request of the API |
//! | `invocation` | when a function has ended |
//! | `dynamodb` | when DynamoDB has answered a request of a function or of the page |
//! | `edit` | when the page writes an item |
//! | `s3` | when S3 has answered a request of a function |
//! | `live` | when the WebSocket API has answered a request of a function. `messages` counts units of 32 KB |
//! | `record` | when a record is in a stream |
//! | `lagged` | in place of events that a slow client has missed, with their number |
//!
//! The members `trace` and `writtenBy` connect them: a request, its invocation and the requests of
//! this invocation have one trace, and a record names the trace of the request that wrote its item.
//! An event comes after its causes have *begun*, in no other order.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::{Stream, StreamExt as _, stream};
use serde_json::{Map, Value, json};

use super::context::Page;
use crate::activity::{Activity, epoch_ms, milliseconds};
use crate::recorder::{Request, Sink, Units};
use crate::trace::Trace;

/// The maximum size of the body or the answer of a request to DynamoDB in an event. A longer one is
/// left out.
const MAX_BODY_BYTES: usize = 256 * 1024;

/// Sends the events until the client leaves or the stack stops.
pub(super) async fn stream(State(page): State<Arc<Page>>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let watcher = page.activity.watch().await;
    let hello = json!({"type": "hello", "stack": page.stack, "dynamodb": page.dynamodb}).to_string();
    let events = stream::unfold(watcher, async |mut watcher| Some((watcher.next().await?, watcher)));
    let events = stream::iter([Arc::from(hello)]).chain(events);
    Sse::new(events.map(|event: Arc<str>| Ok(Event::default().data(event)))).keep_alive(KeepAlive::default())
}

/// Publishes the requests of functions to DynamoDB.
pub(crate) struct Recorded(pub(crate) Arc<Activity>);

impl Sink for Recorded {
    fn sent(&self, operation: &str, body: &Value, trace: Option<&Trace>) {
        if let Some(trace) = trace {
            self.0.writers.begin(operation, body, trace);
        }
    }

    fn answered(&self, request: Request) {
        if let Some(trace) = request.trace.as_ref().filter(|_| request.status != 200) {
            self.0.writers.fail(&request.operation, &request.body, trace);
        }
        self.0.publish(|| {
            let mut event = json!({
                "type": "dynamodb",
                "trace": request.trace.as_ref().map(Trace::to_string),
                "time": epoch_ms(request.time),
                "ms": milliseconds(request.duration),
                "operation": request.operation,
                "body": request.body,
                "status": request.status,
                "answer": request.answer,
                "units": units(&request.units),
            });
            for name in ["body", "answer"] {
                if event[name].to_string().len() > MAX_BODY_BYTES {
                    event[name] = Value::Null;
                    event["cut"] = json!(true);
                }
            }
            event
        });
    }
}

fn units(units: &Units) -> Value {
    let tables = units.tables.iter();
    let tables = tables.map(|(name, units)| (name.clone(), json!({"table": units.table, "indexes": units.indexes})));
    let tables: Map<_, _> = tables.collect();
    json!({"read": units.read, "write": units.write, "searched": units.search_bytes, "tables": tables})
}
