//! The network between the processes and AWS: it holds every request until the explorer decides
//! what becomes of it.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::Context;

use aws_config::SdkConfig;
use aws_config::timeout::TimeoutConfig;
use aws_smithy_runtime_api::client::http::{HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::http::StatusCode;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use futures_util::task::AtomicWaker;
use serde_json::Value;
use testing::RecordedRequest;
use tokio::sync::oneshot;

use crate::s3;

/// The number of a process, in the order in which the processes of a schedule start.
pub(crate) type ProcessId = usize;

/// The answer that the explorer chooses for a request.
pub(crate) type Chosen = oneshot::Receiver<Result<HttpResponse, ConnectorError>>;

/// The requests that wait for the explorer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Network(Arc<Held>);

#[derive(Debug, Default)]
struct Held {
    requests: Mutex<Vec<HeldRequest>>,
    /// The waker of the task that waits for the next request.
    waker: AtomicWaker,
}

/// A request that waits for the explorer.
#[derive(Debug)]
pub(crate) struct HeldRequest {
    /// The process that sent it.
    pub(crate) process: ProcessId,
    /// The operation, for example `Query`.
    pub(crate) operation: String,
    /// The body. For S3, it has the base64 of what the request sends as its `Content`.
    pub(crate) body: Value,
    /// The id of the call of the SDK, which is the same for all attempts.
    pub(crate) call: String,
    /// Whether its process waits for it no more.
    pub(crate) is_late: bool,
    answer: oneshot::Sender<Result<HttpResponse, ConnectorError>>,
}

impl HeldRequest {
    /// Answers the request.
    pub(crate) fn answer(self, status: u16, body: impl Into<Vec<u8>>) {
        self.answer_with_tag(status, body, None);
    }

    /// Answers the request, which has read an object with this `ETag`.
    pub(crate) fn answer_with_tag(self, status: u16, body: impl Into<Vec<u8>>, etag: Option<String>) {
        let mut body = body.into();
        let length = body.len();
        if self.operation == "HeadObject" {
            body.clear();
        }
        let mut response = HttpResponse::new(StatusCode::try_from(status).expect("a status"), body.into());
        response.headers_mut().insert("content-length", length.to_string());
        if let Some(etag) = etag {
            response.headers_mut().insert("etag", etag);
        }
        response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
        let _ = self.answer.send(Ok(response));
    }

    /// Lets the attempt fail without an answer.
    pub(crate) fn fail(self, error: ConnectorError) {
        let _ = self.answer.send(Err(error));
    }

    /// Lets the attempt time out. The request stays, and nobody gets its answer.
    pub(crate) fn give_up(&mut self) {
        self.is_late = true;
        let (nobody, _) = oneshot::channel();
        let answer = std::mem::replace(&mut self.answer, nobody);
        let _ = answer.send(Err(ConnectorError::timeout("the request is late".into())));
    }
}

impl Network {
    /// Returns the configuration of the clients of a process.
    ///
    /// No attempt has a timeout, because the explorer chooses how attempts end. The clock stands
    /// still while requests are held, and runs ahead while a process only waits for time to pass.
    pub(crate) fn configuration(&self, process: ProcessId) -> SdkConfig {
        let connection = Connection { process, network: self.clone() };
        let http = http_client_fn(move |_, _| SharedHttpConnector::new(connection.clone()));
        let config = testing::sdk_config(http, "http://127.0.0.1").into_builder();
        config.timeout_config(TimeoutConfig::disabled()).build()
    }

    /// Holds a request until the explorer chooses its answer.
    pub(crate) fn hold(&self, process: ProcessId, operation: &str, body: Value, call: &str) -> Chosen {
        let (answer, chosen) = oneshot::channel();
        let (operation, call) = (operation.to_owned(), call.to_owned());
        let request = HeldRequest { process, operation, body, call, is_late: false, answer };
        self.0.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        self.0.waker.wake();
        chosen
    }

    /// Takes the requests that were sent since the last call.
    pub(crate) fn take(&self) -> Vec<HeldRequest> {
        std::mem::take(&mut *self.0.requests.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Wakes the task of `context` when the next request is sent.
    pub(crate) fn wake(&self, context: &Context<'_>) {
        self.0.waker.register(context.waker());
    }
}

#[derive(Debug, Clone)]
struct Connection {
    process: ProcessId,
    network: Network,
}

impl HttpConnector for Connection {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let RecordedRequest { operation, mut body, .. } = RecordedRequest::new(&request);
        if s3::has_content(&operation) {
            let content = request.body().bytes().expect("the body of a request is in memory");
            body["Content"] = BASE64.encode(content).into();
        }
        let call = request.headers().get("amz-sdk-invocation-id").unwrap_or_default();
        let chosen = self.network.hold(self.process, &operation, body, call);
        HttpConnectorFuture::new(async move {
            chosen.await.unwrap_or_else(|_| Err(ConnectorError::io("the explorer has ended".into())))
        })
    }
}
