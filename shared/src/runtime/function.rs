//! Start-up of a function: one client, made before the first event, and the loop that serves
//! events.
//!
//! Every cold start runs this code, so it is kept short. The comments state the measurements behind
//! each decision; `cargo run --release --bin measure` repeats them.

use std::convert::Infallible;
use std::future::{Future, ready};
use std::pin::Pin;

use lambda_http::request::RequestContext;
use lambda_http::{IntoResponse, Request, RequestExt, service_fn};
use tokio::time::timeout_at;

use super::log::{Line, Outcome, log_json};
use super::{client, deadline, end, usage};
use crate::error::chain;
use crate::http::caching::Revalidation;
use crate::http::cursor::Sealer;
use crate::http::{HttpResponse, Response, answer, precondition, request};
use crate::{Error, Table};

/// Serves events with `handler` for as long as Lambda sends them. A request with a precondition or
/// with a parameter in the query string gets a 400.
///
/// Lambda sends one event at a time, so each `main` uses a runtime with one thread. With several
/// threads, a cold start of get-user takes 1.07 times as long and 1.11 times the CPU time.
pub async fn run<F, A, T>(handler: F) -> Result<(), lambda_http::Error>
where
    F: Fn(Table, Request) -> A,
    A: Future<Output = Result<Response<T>, Error>> + Send,
{
    run_with_query(&[], handler).await
}

/// Serves events like [`run`] with a `handler` that takes these parameters of the query string. A
/// request with another parameter gets a 400, so that no typing error is ignored. Of the functions
/// that take `cursor`, each request carries the [`Sealer`] to [`Page`](crate::http::page::Page).
pub async fn run_with_query<F, A, T>(parameters: &[&str], handler: F) -> Result<(), lambda_http::Error>
where
    F: Fn(Table, Request) -> A,
    A: Future<Output = Result<Response<T>, Error>> + Send,
{
    serve(parameters, precondition::must_be_absent, handler).await
}

/// Serves events like [`run_with_query`] with a `handler` that checks the
/// [preconditions](precondition) of each request itself.
pub async fn run_with_preconditions<F, A, T>(parameters: &[&str], handler: F) -> Result<(), lambda_http::Error>
where
    F: Fn(Table, Request) -> A,
    A: Future<Output = Result<Response<T>, Error>> + Send,
{
    serve(parameters, |_| Ok(()), handler).await
}

async fn serve<C, F, A, T>(parameters: &[&str], check: C, handler: F) -> Result<(), lambda_http::Error>
where
    C: Fn(&Request) -> Result<(), Error>,
    F: Fn(Table, Request) -> A,
    A: Future<Output = Result<Response<T>, Error>> + Send,
{
    log_json();
    let table = client::table().await?;
    let sealer = parameters.contains(&"cursor").then(Sealer::from_environment).transpose()?;
    let checked = |table, mut request: Request| {
        let checked = request::must_only_have(parameters, &request).and_then(|()| check(&request));
        if let Some(sealer) = &sealer {
            request.extensions_mut().insert(sealer.clone());
        }
        let answer = Box::pin(handler(table, request));
        async {
            checked?;
            answer.await
        }
    };
    let ended = lambda_http::run(service_fn(|request: Request| {
        let response = respond(checked, table.clone(), request);
        async { response.await.map(CompleteResponse) }
    }));
    end::outcome(ended.await)
}

/// A response whose body is complete text. For another type, `lambda_http` would collect the body
/// from a stream and decode it from the character encoding of its media type, and every function
/// would link the tables of 40 encodings.
struct CompleteResponse(HttpResponse);

impl IntoResponse for CompleteResponse {
    fn into_response(self) -> Pin<Box<dyn Future<Output = HttpResponse> + Send>> {
        Box::pin(ready(self.0))
    }
}

/// Handles one event. Returns the answer of the handler, or the problem details of its error. This
/// is the only place that logs the request and the causes of the error.
///
/// Shortly before Lambda ends the invocation, the handler is stopped and the caller gets 503. A
/// write that was under way may be committed or not; the caller repeats the request, as after any
/// lost answer.
pub fn respond<F, A, T>(
    handler: F,
    table: Table,
    request: Request,
) -> impl Future<Output = Result<HttpResponse, Infallible>> + Send
where
    F: Fn(Table, Request) -> A,
    A: Future<Output = Result<Response<T>, Error>> + Send,
{
    let context = request.lambda_context_ref().cloned();
    let deadline = context.as_ref().map(deadline::work_ends);
    let context = context.unwrap_or_default();
    let line = Line::begin(&context);
    let route = route(&request);
    let revalidation = Revalidation::from_request(&request);
    // The future of a handler has some 20 KB. Boxed where it is made, it is not copied by each
    // layer around it, which was a tenth of the instructions of a warm request.
    let answer = Box::pin(handler(table, request));
    async move {
        let (answer, usage) = usage::measure(async {
            match deadline {
                Some(deadline) => timeout_at(deadline, answer)
                    .await
                    .unwrap_or_else(|_| Err(Error::Busy("the handler did not finish before its deadline".into()))),
                None => answer.await,
            }
        })
        .await;
        let response = match answer {
            Ok(response) => response.into(),
            Err(error) => {
                log_causes(&context.request_id, &error);
                answer::problem(error)
            }
        };
        let response = revalidation.apply(response);
        line.write(&Outcome::Request { route: &route, status: response.status().as_u16() }, usage);
        Ok(response)
    }
}

/// Returns the route that the gateway has found for a request, such as `GET /users/{username}`.
fn route(request: &Request) -> String {
    match request.request_context_ref() {
        Some(RequestContext::ApiGatewayV2(context)) => context.route_key.clone().unwrap_or_default(),
        _ => String::new(),
    }
}

/// Logs the causes of an error that the caller does not see.
fn log_causes(request_id: &str, error: &Error) {
    match error {
        Error::Busy(cause) => tracing::warn!(requestId = request_id, cause = chain(cause.as_ref()), "transient error"),
        Error::Internal(cause) => {
            tracing::error!(requestId = request_id, cause = chain(cause.as_ref()), "failed");
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use aws_sdk_dynamodb::config::BehaviorVersion;
    use aws_sdk_dynamodb::{Client, Config};
    use lambda_http::http::StatusCode;
    use lambda_runtime::Context;
    use tokio::time::Instant;

    use super::*;

    /// Returns the answer of a handler in an invocation that Lambda ends after `time_left`.
    async fn answer<A>(time_left: Duration, handler: impl Fn(Table, Request) -> A) -> HttpResponse
    where
        A: Future<Output = Result<Response<()>, Error>> + Send,
    {
        let mut context = Context::default();
        let since_epoch = (SystemTime::now() + time_left).duration_since(SystemTime::UNIX_EPOCH).unwrap();
        context.deadline = since_epoch.as_millis().try_into().unwrap();
        let deadline = Instant::now() + time_left;
        let config = Config::builder().behavior_version(BehaviorVersion::latest()).build();
        let table = Table { client: Client::from_conf(config), name: "quick-photos".into() };
        let Ok(answer) = respond(handler, table, Request::default().with_lambda_context(context)).await;
        assert!(Instant::now() < deadline, "Lambda has ended the invocation");
        answer
    }

    #[tokio::test(start_paused = true)]
    async fn answers_503_before_lambda_ends_the_invocation() {
        let answer = answer(Duration::from_secs(10), |_, _| std::future::pending()).await;
        assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(answer.headers()["retry-after"], "1");
    }

    #[tokio::test]
    async fn answers_with_the_answer_of_a_handler_that_finishes_in_time() {
        let answer = answer(Duration::from_secs(10), |_, _| ready(Ok(answer::no_content()))).await;
        assert_eq!(answer.status(), StatusCode::NO_CONTENT);
    }
}
