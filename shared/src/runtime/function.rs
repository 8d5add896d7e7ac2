//! Start-up of a function: one client, made before the first event, and the loop that serves events.
//!
//! Every cold start runs this code, so it is kept short. The comments state the measurements behind each decision;
//! `cargo run --release --bin measure` repeats them.

use std::convert::Infallible;
use std::future::{Future, ready};
use std::pin::Pin;

use lambda_http::{IntoResponse, Request, RequestExt, service_fn};

use super::client;
use super::log::log_json;
use crate::error::chain;
use crate::http::answer;
use crate::{Error, Response, Table};

/// Serves events with `handler` for as long as Lambda sends them.
///
/// Lambda sends one event at a time, so each `main` uses a runtime with one thread. With several threads, a cold start
/// of get-user takes 1.07 times as long and 1.11 times the CPU time.
pub async fn run<F, A>(handler: F) -> Result<(), lambda_http::Error>
where
    F: Fn(Table, Request) -> A,
    A: Future<Output = Result<Response, Error>> + Send,
{
    log_json();
    let table = client::table().await?;
    lambda_http::run(service_fn(|request: Request| {
        let response = respond(&handler, table.clone(), request);
        async { response.await.map(CompleteResponse) }
    }))
    .await
}

/// A response whose body is complete text. For another type, `lambda_http` would collect the body from a stream and
/// decode it from the character encoding of its media type, and every function would link the tables of 40 encodings.
struct CompleteResponse(Response);

impl IntoResponse for CompleteResponse {
    fn into_response(self) -> Pin<Box<dyn Future<Output = Response> + Send>> {
        Box::pin(ready(self.0))
    }
}

/// Handles one event. Returns the answer of the handler, or the problem details of its error. This is the only place
/// that logs the causes of the error.
pub fn respond<F, A>(
    handler: F,
    table: Table,
    request: Request,
) -> impl Future<Output = Result<Response, Infallible>> + Send
where
    F: Fn(Table, Request) -> A,
    A: Future<Output = Result<Response, Error>> + Send,
{
    let request_id = request.lambda_context_ref().map(|context| context.request_id.clone()).unwrap_or_default();
    let answer = handler(table, request);
    async move {
        Ok(answer.await.unwrap_or_else(|error| {
            match &error {
                Error::Busy(cause) => tracing::warn!(request_id, cause = chain(cause.as_ref()), "transient error"),
                Error::Internal(cause) => {
                    tracing::error!(request_id, cause = chain(cause.as_ref()), "failed");
                }
                _ => {}
            }
            answer::problem(error)
        }))
    }
}
