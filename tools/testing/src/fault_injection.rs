//! The wire between the SDK and the engine, for tests: it records what goes over it, refuses what the function may not
//! do, and loses what it is told to lose.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_dynamodb::config::{HttpClient, RuntimeComponents, SharedHttpClient};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::http::StatusCode;
use serde_json::{Value, json};

use crate::permissions::Permissions;

/// What can befall a request.
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    /// Nothing.
    None,
    /// DynamoDB does as it is asked, and its answer is lost.
    AnswerLost,
    /// The request gets nowhere, as after the end of the process.
    ConnectionLost,
    /// Nobody answers.
    NoAnswer,
    /// DynamoDB refuses with this code.
    Error(&'static str),
    /// A transaction is cancelled, with a code for each of its items. The embedded engine has no concurrent
    /// transactions, so this is the only way to see what comes of their conflicts.
    TransactionCanceled(&'static [&'static str]),
    /// `BatchGetItem` or `BatchWriteItem` processes none of its items.
    Unprocessed,
}

/// Wraps the real HTTP client.
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    inner: SharedHttpClient,
    permissions: Permissions,
    state: Arc<Mutex<State>>,
}

/// A request that went over the wire.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) operation: String,
    pub(crate) body: Value,
}

#[derive(Default)]
struct State {
    record: Vec<Asked>,
    faults: VecDeque<Fault>,
    /// How many requests are let pass first, and what happens then.
    meanwhile: Option<(usize, Box<dyn FnOnce() + Send>)>,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("record", &self.record).field("faults", &self.faults).finish_non_exhaustive()
    }
}

impl Wire {
    pub(crate) fn new(inner: SharedHttpClient, permissions: Permissions) -> Self {
        Self { inner, permissions, state: Arc::default() }
    }

    pub(crate) fn take_record(&self) -> Vec<Asked> {
        std::mem::take(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner).record)
    }

    pub(crate) fn inject(&self, faults: impl IntoIterator<Item = Fault>) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).faults.extend(faults);
    }

    pub(crate) fn write_concurrently(&self, requests: usize, happens: impl FnOnce() + Send + 'static) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.meanwhile = Some((requests, Box::new(happens)));
    }

    pub(crate) fn clear_faults(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).faults.clear();
    }
}

impl HttpClient for Wire {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        let inner = self.inner.http_connector(settings, components);
        let permissions = self.permissions.clone();
        SharedHttpConnector::new(Connector { inner, permissions, state: self.state.clone() })
    }
}

#[derive(Debug)]
struct Connector {
    inner: SharedHttpConnector,
    permissions: Permissions,
    state: Arc<Mutex<State>>,
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let fault = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let target = request.headers().get("x-amz-target").unwrap_or_default();
            let operation = target.rsplit('.').next().unwrap_or_default();
            let body = serde_json::from_slice(request.body().bytes().unwrap_or_default()).unwrap_or_default();
            let asked = Asked { operation: operation.to_owned(), body };
            if let Some(missing) = self.permissions.missing(&asked) {
                eprintln!("{missing}");
                return refuse("AccessDeniedException", &missing);
            }
            state.record.push(asked);
            match state.meanwhile.take() {
                Some((0, happens)) => happens(),
                Some((requests, happens)) => state.meanwhile = Some((requests - 1, happens)),
                None => {}
            }
            state.faults.pop_front().unwrap_or(Fault::None)
        };
        match fault {
            Fault::None => self.inner.call(request),
            Fault::AnswerLost => {
                let answer = self.inner.call(request);
                HttpConnectorFuture::new(async move {
                    answer.await?;
                    Err(ConnectorError::timeout("the answer was lost".into()))
                })
            }
            Fault::ConnectionLost => {
                HttpConnectorFuture::ready(Err(ConnectorError::io("the connection is dead".into())))
            }
            Fault::Unprocessed => {
                let asked: Value =
                    serde_json::from_slice(request.body().bytes().unwrap_or_default()).unwrap_or_default();
                respond(
                    200,
                    &json!({"Responses": {}, "UnprocessedKeys": asked["RequestItems"], "UnprocessedItems": asked["RequestItems"]}),
                )
            }
            Fault::NoAnswer => HttpConnectorFuture::new(std::future::pending()),
            Fault::Error(code) => refuse(code, "refused"),
            Fault::TransactionCanceled(codes) => {
                let reasons: Vec<Value> = codes.iter().map(|code| json!({"Code": code, "Message": "why"})).collect();
                respond(
                    400,
                    &json!({
                        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
                        "Message": "cancelled",
                        "CancellationReasons": reasons,
                    }),
                )
            }
        }
    }
}

fn refuse(code: &str, message: &str) -> HttpConnectorFuture {
    respond(400, &json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{code}"), "message": message}))
}

fn respond(status: u16, body: &Value) -> HttpConnectorFuture {
    let mut response = HttpResponse::new(StatusCode::try_from(status).expect("a status"), body.to_string().into());
    response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
    HttpConnectorFuture::ready(Ok(response))
}
