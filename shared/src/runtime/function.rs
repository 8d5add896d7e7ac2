//! Start-up of a function: one client, made before the first event, and the loop that serves events.
//!
//! A cold start pays for all that stands here, so it is kept short. What was measured stands beside what it decided;
//! `cargo run --release --bin measure` measures it again.

use std::convert::Infallible;
use std::future::{Future, ready};
use std::pin::Pin;

use lambda_http::{IntoResponse, Request, RequestExt, service_fn};

use super::client;
use super::log::log_json;
use crate::error::chain;
use crate::http::answer;
use crate::{Error, Response, Table};

/// Serves events with `handler` for as long as Lambda sends them, one at a time. So each `main` has a runtime of one thread:
/// with several, get-user's cold start takes 1.07 times as long and 1.11 times the CPU.
pub async fn run<F, A>(handler: F) -> Result<(), lambda_http::Error>
where
    F: Fn(Table, Request) -> A,
    A: Future<Output = Result<Response, Error>> + Send,
{
    log_json();
    let table = client::table().await?;
    lambda_http::run(service_fn(|request: Request| {
        let response = respond(&handler, table.clone(), request);
        async { response.await.map(Whole) }
    }))
    .await
}

/// A response whose body is there, as text. `lambda_http` would take it for a stream, collect it, and look at its media type
/// for one of 40 character encodings to decode it from, whose tables every function would link.
struct Whole(Response);

impl IntoResponse for Whole {
    fn into_response(self) -> Pin<Box<dyn Future<Output = Response> + Send>> {
        Box::pin(ready(self.0))
    }
}

/// One event: the handler's answer, or the problem that stands for its error. The error's causes go to the log, once,
/// here.
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
                Error::Busy(cause) => tracing::warn!(request_id, cause = chain(cause.as_ref()), "busy"),
                Error::Internal(cause) => {
                    tracing::error!(request_id, cause = chain(cause.as_ref()), "failed");
                }
                _ => {}
            }
            answer::problem(error)
        }))
    }
}
