//! The errors of the API of Lambda.

use axum::{
    Json,
    http::{Method, StatusCode, Uri},
    response::{IntoResponse, Response},
};
use serde_json::json;

/// Returns an error of Lambda.
pub(super) fn error(status: StatusCode, kind: &'static str, message: &str) -> Response {
    let body = Json(json!({"Type": "User", "Message": message}));
    (status, [("x-amzn-errortype", kind)], body).into_response()
}

/// Answers an operation that the stack does not have.
pub(super) async fn unsupported(method: Method, uri: Uri) -> Response {
    let message = format!(
        "The local stack has no operation of Lambda for {method} {}. It has ListFunctions and Invoke. template.yaml defines \
         the functions, and a change of it needs a new start of the stack.",
        uri.path()
    );
    error(StatusCode::NOT_IMPLEMENTED, "UnsupportedOperationException", &message)
}
