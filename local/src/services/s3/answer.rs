//! Bodies and errors of S3 in the types of the server.

use axum::body::Body;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};

/// Converts the body of a request.
pub(super) fn to_s3s(body: Body) -> s3s::Body {
    s3s::Body::http_body_unsync(body)
}

/// Returns an answer that is an error of S3.
pub(super) fn error(status: u16, code: &str, message: &str) -> Response {
    let escaped = message.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let body = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?><Error><Code>{code}</Code><Message>{escaped}</Message></Error>"#
    );
    let status = StatusCode::from_u16(status).unwrap_or_default();
    (status, [("content-type", "application/xml")], body).into_response()
}

pub(super) fn internal_error() -> Response {
    error(500, "InternalError", "We encountered an internal error. Please try again.")
}
