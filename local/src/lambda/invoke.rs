//! The [`Invoke`](https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html) API of Lambda, for
//! the AWS CLI, SDKs and `cargo lambda invoke`. A request needs neither a token nor a signature.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, State, rejection::BytesRejection},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::post,
};
use serde_json::Value;
use uuid::Uuid;

use crate::lambda::error::{error, unsupported};
use crate::lambda::event_queue::EventQueue;
use crate::lambda::runtime::{self, Invocation, Runtime, arn};
use crate::services::moderation;

/// The functions, and the events that wait for them.
#[derive(Clone)]
struct Functions {
    runtime: Arc<Runtime>,
    events: EventQueue,
}

/// Returns a router of `POST /2015-03-31/functions/{name}/invocations`.
pub(crate) fn router(runtime: Arc<Runtime>, events: EventQueue) -> Router {
    let functions = Functions { runtime, events };
    Router::new()
        .route("/2015-03-31/functions/{name}/invocations", post(invoke).fallback(unsupported))
        .with_state(functions)
}

async fn invoke(
    State(functions): State<Functions>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let kind = headers.get("x-amz-invocation-type").and_then(|kind| kind.to_str().ok());
    let response = answer(&functions, &name, kind, body).await;
    ([("x-amzn-requestid", Uuid::new_v4().to_string())], response).into_response()
}

async fn answer(
    Functions { runtime, events }: &Functions,
    name: &str,
    kind: Option<&str>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    if name == moderation::FUNCTION {
        let question = body.ok().and_then(|body| serde_json::from_slice(&body).ok());
        let answer = question.and_then(|question: Value| moderation::answer(&question));
        let message = "The payload has no picture: a JPEG in base64";
        return match answer {
            Some(answer) => Json(answer).into_response(),
            None => error(StatusCode::BAD_REQUEST, "InvalidRequestContentException", message),
        };
    }
    let Some(function) = runtime.name(name) else {
        let arn = if name.starts_with("arn:") { name.to_owned() } else { arn(name) };
        let message = format!("Function not found: {arn}");
        return error(StatusCode::NOT_FOUND, "ResourceNotFoundException", &message);
    };
    let mut payload = match body {
        Ok(payload) => payload,
        Err(rejection) => {
            let message = "Request must be smaller than 6291556 bytes for the InvokeFunction operation";
            return error(rejection.status(), "RequestTooLargeException", message);
        }
    };
    if payload.is_empty() {
        payload = Bytes::from_static(b"{}");
    }
    if let Err(problem) = serde_json::from_slice::<Value>(&payload) {
        let message = format!("Could not parse request body into json: {problem}");
        return error(StatusCode::BAD_REQUEST, "InvalidRequestContentException", &message);
    }
    match kind {
        None | Some("RequestResponse") => response(runtime::answer(runtime.invoke(function, payload).await)),
        Some("DryRun") => StatusCode::NO_CONTENT.into_response(),
        Some("Event") => {
            events.send(function, payload);
            StatusCode::ACCEPTED.into_response()
        }
        Some(kind) => {
            let message = format!("Value '{kind}' at 'invocationType' must be Event, RequestResponse or DryRun");
            error(StatusCode::BAD_REQUEST, "InvalidParameterValueException", &message)
        }
    }
}

/// Returns the answer of `Invoke` for the answer of a function, or for a function that could not be
/// invoked.
fn response(invocation: Option<Invocation>) -> Response {
    let Some(invocation) = invocation else {
        return error(StatusCode::TOO_MANY_REQUESTS, "TooManyRequestsException", "Rate Exceeded.");
    };
    let headers = [("content-type", "application/json"), ("x-amz-executed-version", "$LATEST")];
    let error = invocation.function_error.then_some([("x-amz-function-error", "Unhandled")]);
    (headers, error, invocation.payload).into_response()
}
