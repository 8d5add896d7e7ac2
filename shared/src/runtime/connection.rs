//! The loop of a function behind the route `$connect` of a WebSocket API.

use std::collections::BTreeMap;
use std::convert::Infallible;

use lambda_runtime::{LambdaEvent, service_fn};
use serde::{Deserialize, Serialize};
use tokio::time::timeout_at;

use super::handler::Handler;
use super::log::{Line, Outcome, log_json};
use super::process::{Process, StartError};
use super::{deadline, end, usage};
use crate::Error;
use crate::error::chain;

/// A connection that begins: the fields of the [event of
/// `$connect`](https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-route-keys-connect-disconnect.html)
/// that functions read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Connection {
    /// The parameters of the query. Without any, the event has `null`.
    #[serde(default)]
    query_string_parameters: Option<BTreeMap<String, String>>,
    request_context: RequestContext,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestContext {
    connection_id: String,
}

/// The answer, which decides whether the connection begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionResponse {
    /// 200, or the status of the handshake that fails.
    pub status_code: u16,
}

impl Connection {
    /// Returns the id, by which messages are sent.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.request_context.connection_id
    }

    /// Returns a parameter of the query.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query_string_parameters.as_ref()?.get(name).map(String::as_str)
    }
}

/// Serves connections for as long as Lambda sends them.
pub async fn run<H: Handler<Event = Connection>>() -> Result<(), StartError> {
    log_json();
    let handler = H::start(&Process::from_environment()?)?;
    // Boxed, because the compiler limits how deeply futures are nested.
    let ended = lambda_runtime::run(service_fn(async |event: LambdaEvent<Connection>| {
        let line = Line::begin(&event.context);
        let (answer, usage) =
            usage::measure(respond(async |connection| Box::pin(handler.handle(connection)).await, event)).await;
        line.write(&Outcome::Event { failed: answer.status_code >= 500 }, usage);
        Ok::<_, Infallible>(answer)
    }));
    end::outcome(ended.await)
}

/// Handles one connection. This is the only place that logs the causes of an error.
pub async fn respond(
    handle: impl AsyncFn(Connection) -> Result<(), Error>,
    LambdaEvent { payload, context }: LambdaEvent<Connection>,
) -> ConnectionResponse {
    let request_id = context.request_id.as_str();
    let outcome = timeout_at(deadline::work_ends(&context), handle(payload)).await;
    let outcome = outcome.unwrap_or_else(|_| Err(Error::Busy("the handler did not finish before its deadline".into())));
    let status_code = match outcome {
        Ok(()) => 200,
        Err(Error::Unauthenticated) => 401,
        Err(Error::Busy(cause)) => {
            tracing::warn!(requestId = request_id, cause = chain(cause.as_ref()), "transient error");
            503
        }
        Err(Error::Internal(cause)) => {
            tracing::error!(requestId = request_id, cause = chain(cause.as_ref()), "failed");
            500
        }
        Err(error) => {
            tracing::error!(requestId = request_id, cause = ?error, "failed");
            500
        }
    };
    ConnectionResponse { status_code }
}
