//! The [`Invoke`](https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html) API of Lambda, for the AWS CLI, SDKs
//! and `cargo lambda invoke`. A request needs neither a token nor a signature.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, State, rejection::BytesRejection},
    http::{HeaderMap, HeaderValue, StatusCode},
    response::{IntoResponse, Response},
    routing::post,
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::lambda::runtime::{Invocation, InvokeError, Runtime, arn};

/// Returns a router of `POST /2015-03-31/functions/{name}/invocations`.
pub(crate) fn router(runtime: Arc<Runtime>) -> Router {
    Router::new().route("/2015-03-31/functions/{name}/invocations", post(invoke)).with_state(runtime)
}

async fn invoke(
    State(runtime): State<Arc<Runtime>>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let kind = headers.get("x-amz-invocation-type").and_then(|kind| kind.to_str().ok());
    let mut response = answer(&runtime, &name, kind, body).await;
    if let Ok(id) = HeaderValue::try_from(Uuid::new_v4().to_string()) {
        response.headers_mut().insert("x-amzn-requestid", id);
    }
    response
}

async fn answer(
    runtime: &Arc<Runtime>,
    name: &str,
    kind: Option<&str>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    if !runtime.knows(name) {
        let arn = if name.starts_with("arn:") { name.to_owned() } else { arn(name) };
        let message = format!("Function not found: {arn}");
        return error(StatusCode::NOT_FOUND, "ResourceNotFoundException", &message);
    }
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
        None | Some("RequestResponse") => response(runtime.invoke(name, payload).await),
        Some("DryRun") => StatusCode::NO_CONTENT.into_response(),
        Some("Event") => {
            let (runtime, name) = (runtime.clone(), name.to_owned());
            tokio::spawn(async move { runtime.invoke(&name, payload).await });
            StatusCode::ACCEPTED.into_response()
        }
        Some(kind) => {
            let message = format!("Value '{kind}' at 'invocationType' must be Event, RequestResponse or DryRun");
            error(StatusCode::BAD_REQUEST, "InvalidParameterValueException", &message)
        }
    }
}

/// Converts the result of an invocation into the answer of `Invoke`.
fn response(result: Result<Invocation, InvokeError>) -> Response {
    let unhandled = |kind: &str, message: String| Invocation {
        payload: json!({"errorType": kind, "errorMessage": message}).to_string().into(),
        function_error: true,
    };
    let invocation = match result {
        Ok(invocation) => invocation,
        Err(InvokeError::Crashed(message)) => unhandled("Runtime.ExitError", message),
        Err(InvokeError::TimedOut(message)) => unhandled("Sandbox.Timedout", message),
        Err(InvokeError::Unknown | InvokeError::Busy) => {
            let status = StatusCode::TOO_MANY_REQUESTS;
            return error(status, "TooManyRequestsException", "Rate Exceeded.");
        }
    };
    let headers = [("content-type", "application/json"), ("x-amz-executed-version", "$LATEST")];
    let mut response = (headers, invocation.payload).into_response();
    if invocation.function_error {
        let unhandled = HeaderValue::from_static("Unhandled");
        response.headers_mut().insert("x-amz-function-error", unhandled);
    }
    response
}

fn error(status: StatusCode, kind: &'static str, message: &str) -> Response {
    let body = Json(json!({"Type": "User", "Message": message}));
    (status, [("x-amzn-errortype", kind)], body).into_response()
}
