//! Fault injection: an HTTP client that wraps the real one. It records the requests to DynamoDB and
//! S3, denies those that template.yaml does not allow the function, and injects the faults that a
//! test asks for.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aws_sdk_dynamodb::config::{HttpClient, RuntimeComponents, SharedHttpClient};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::http::StatusCode;
use serde_json::{Value, json};

use crate::permissions::Permissions;
use crate::recorded_request::{RecordedRequest, Service};

/// The outcome that a test chooses for one request to DynamoDB or S3, which the variants call the
/// service.
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    /// The service serves the request, and the function gets the answer.
    None,
    /// The service serves the request, and the answer is lost.
    AnswerLost,
    /// The connection breaks before the service sees the request.
    ConnectionLost,
    /// The service serves the request, and the answer comes after this time.
    Late(Duration),
    /// The request is never answered.
    NoAnswer,
    /// The service serves the request, and the body of its answer is not JSON.
    Unparsable,
    /// The service answers with this error code and does nothing.
    Error(&'static str),
    /// DynamoDB cancels the transaction, and a reason other than a condition has this code, such as
    /// `TransactionConflict`. The embedded engine serves one request after the other, so
    /// transactions never conflict without this fault.
    TransactionCanceled(&'static str),
    /// DynamoDB cancels the transaction, because the condition of this write failed: the first one
    /// whose action and key contain the text, such as `Update USER#ben`. All other writes met a
    /// conflict, which says nothing about their conditions.
    ConditionFailed(&'static str),
    /// `BatchGetItem` or `BatchWriteItem` returns all of its items as unprocessed.
    Unprocessed,
}

/// An HTTP client that records requests, denies those without a permission, and injects faults.
#[derive(Debug, Clone)]
pub(crate) struct FaultInjector {
    inner: SharedHttpClient,
    permissions: Permissions,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    record: Vec<RecordedRequest>,
    faults: VecDeque<Fault>,
    /// The number of requests to let pass, and the concurrent write to run before the next one.
    concurrent_write: Option<(usize, Box<dyn FnOnce() + Send>)>,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("record", &self.record).field("faults", &self.faults).finish_non_exhaustive()
    }
}

impl FaultInjector {
    pub(crate) fn new(inner: SharedHttpClient, permissions: Permissions) -> Self {
        Self { inner, permissions, state: Arc::default() }
    }

    /// Returns the requests since the last call.
    pub(crate) fn take_record(&self) -> Vec<RecordedRequest> {
        std::mem::take(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner).record)
    }

    /// Queues faults, one for each of the next requests.
    pub(crate) fn inject(&self, faults: impl IntoIterator<Item = Fault>) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).faults.extend(faults);
    }

    /// Runs `write` after `requests` further requests, just before the next one.
    pub(crate) fn write_concurrently(&self, requests: usize, write: impl FnOnce() + Send + 'static) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.concurrent_write = Some((requests, Box::new(write)));
    }

    /// Removes the queued faults.
    pub(crate) fn clear_faults(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).faults.clear();
    }
}

impl HttpClient for FaultInjector {
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
        let recorded = RecordedRequest::new(&request);
        let service = recorded.service;
        let hides_absence = match recorded.body["Bucket"].as_str() {
            Some(bucket) => !self.permissions.may_list(bucket),
            None => false,
        };
        let writes = recorded.writes();
        let fault = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(missing) = self.permissions.missing(&recorded) {
                eprintln!("{missing}");
                let code = if service == Service::S3 { "AccessDenied" } else { "AccessDeniedException" };
                return error(service, code, &missing);
            }
            state.record.push(recorded);
            match state.concurrent_write.take() {
                Some((0, write)) => write(),
                Some((requests, write)) => state.concurrent_write = Some((requests - 1, write)),
                None => {}
            }
            state.faults.pop_front().unwrap_or(Fault::None)
        };
        match fault {
            Fault::None if hides_absence => {
                let answer = self.inner.call(request);
                HttpConnectorFuture::new(async move {
                    let answer = answer.await?;
                    if answer.status().as_u16() == 404 {
                        Ok(s3_error("AccessDenied", "Access Denied"))
                    } else {
                        Ok(answer)
                    }
                })
            }
            Fault::None => self.inner.call(request),
            Fault::AnswerLost => {
                let answer = self.inner.call(request);
                HttpConnectorFuture::new(async move {
                    answer.await?;
                    Err(ConnectorError::timeout("the answer was lost".into()))
                })
            }
            Fault::ConnectionLost => {
                HttpConnectorFuture::ready(Err(ConnectorError::io("the connection is lost".into())))
            }
            Fault::Unprocessed => {
                let body: Value =
                    serde_json::from_slice(request.body().bytes().unwrap_or_default()).unwrap_or_default();
                respond(
                    200,
                    &json!({"Responses": {}, "UnprocessedKeys": body["RequestItems"], "UnprocessedItems": body["RequestItems"]}),
                )
            }
            Fault::Unparsable => {
                let answer = self.inner.call(request);
                HttpConnectorFuture::new(async move { Ok(answer.await?.map(|_| "<html>".into())) })
            }
            Fault::Late(delay) => {
                let answer = self.inner.call(request);
                HttpConnectorFuture::new(async move {
                    tokio::time::sleep(delay).await;
                    answer.await
                })
            }
            Fault::NoAnswer => HttpConnectorFuture::new(std::future::pending()),
            Fault::Error(code) => error(service, code, "injected"),
            Fault::TransactionCanceled(code) => {
                let mut codes = vec!["None"; writes.len()];
                *codes.last_mut().expect("the request is a transaction") = code;
                canceled(&codes)
            }
            Fault::ConditionFailed(write) => {
                let failed = writes.iter().position(|other| other.contains(write));
                let failed = failed.unwrap_or_else(|| panic!("none of the writes {writes:?} is {write}"));
                let code = |index| if index == failed { "ConditionalCheckFailed" } else { "TransactionConflict" };
                canceled(&(0..writes.len()).map(code).collect::<Vec<_>>())
            }
        }
    }
}

fn error(service: Service, code: &str, message: &str) -> HttpConnectorFuture {
    match service {
        Service::S3 => HttpConnectorFuture::ready(Ok(s3_error(code, message))),
        Service::DynamoDb
        | Service::Sqs
        | Service::Ses
        | Service::Pinpoint
        | Service::Connections
        | Service::Lambda => {
            respond(400, &json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{code}"), "message": message}))
        }
    }
}

/// Returns the answer of a canceled transaction, with the code of the reason for each of its items.
fn canceled(codes: &[&str]) -> HttpConnectorFuture {
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

/// Returns an answer of S3 with an error.
fn s3_error(code: &str, message: &str) -> HttpResponse {
    let status: u16 = match code {
        "AccessDenied" => 403,
        "NoSuchKey" | "NoSuchBucket" => 404,
        "SlowDown" | "ServiceUnavailable" => 503,
        "InternalError" => 500,
        _ => 400,
    };
    let body = format!("<Error><Code>{code}</Code><Message>{message}</Message></Error>");
    let mut response = HttpResponse::new(StatusCode::try_from(status).expect("a status"), body.into());
    response.headers_mut().insert("content-type", "application/xml");
    response
}

fn respond(status: u16, body: &Value) -> HttpConnectorFuture {
    let mut response = HttpResponse::new(StatusCode::try_from(status).expect("a status"), body.to_string().into());
    response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
    HttpConnectorFuture::ready(Ok(response))
}
