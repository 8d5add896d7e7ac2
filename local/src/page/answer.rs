//! The answers of the endpoints of the page, which are JSON.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::gateway::errors::error;

/// The reason for an answer without a result.
pub(super) struct Refusal(pub(super) StatusCode, pub(super) String);

impl Refusal {
    pub(super) fn bad_request(detail: impl Into<String>) -> Self {
        Self(StatusCode::BAD_REQUEST, detail.into())
    }

    pub(super) fn not_found(detail: impl Into<String>) -> Self {
        Self(StatusCode::NOT_FOUND, detail.into())
    }
}

impl<E: Into<anyhow::Error>> From<E> for Refusal {
    fn from(cause: E) -> Self {
        Self(StatusCode::INTERNAL_SERVER_ERROR, format!("{:#}", cause.into()))
    }
}

/// Answers with the result of a computation, which may block.
pub(super) async fn answer(compute: impl FnOnce() -> Result<Value, Refusal> + Send + 'static) -> Response {
    match spawn_blocking(compute).await.unwrap_or_else(|cause| Err(cause.into())) {
        Ok(value) => Json(value).into_response(),
        Err(Refusal(status, detail)) => error(status, status.canonical_reason().unwrap_or_default(), &detail),
    }
}
