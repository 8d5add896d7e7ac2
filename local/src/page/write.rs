//! `POST /local/dynamodb`: a write of the page to DynamoDB, as DynamoDB itself takes it. It passes
//! the recorder, so the page shows it like the requests of functions, with what its stream records
//! start. The header with its trace is in the answer.

use std::sync::Arc;
use std::time::SystemTime;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header, request::Parts};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

use super::context::Page;
use crate::activity::epoch_ms;
use crate::gateway::errors::error;
use crate::trace::{TRACE_HEADER, Trace};

/// The operations that the page may send.
const OPERATIONS: [&str; 2] = ["DynamoDB_20120810.DeleteItem", "DynamoDB_20120810.UpdateItem"];

/// An unsigned signature. The engine checks only that there is one.
const AUTHORIZATION: &str = "AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=none";

/// Sends a write of one item to DynamoDB, and publishes that the page has sent it.
pub(super) async fn send(State(page): State<Arc<Page>>, mut parts: Parts, body: Bytes) -> Response {
    if let Err(detail) = admit(&parts.headers) {
        return error(StatusCode::FORBIDDEN, "Forbidden", detail);
    }
    let trace = Trace::start();
    parts.uri = Uri::from_static("/");
    parts.headers.insert(header::AUTHORIZATION, HeaderValue::from_static(AUTHORIZATION));
    parts.headers.insert("x-amz-date", HeaderValue::from_static("19700101T000000Z"));
    let traced = HeaderValue::try_from(trace.header()).ok().map(|value| (HeaderName::from_static(TRACE_HEADER), value));
    parts.headers.extend(traced.clone());
    page.activity.publish(|| json!({"type": "edit", "trace": trace.to_string(), "time": epoch_ms(SystemTime::now())}));
    match page.recorded.send(parts, body).await {
        Ok((mut answer, _)) => {
            answer.headers_mut().extend(traced);
            answer
        }
        Err(_) => StatusCode::BAD_GATEWAY.into_response(),
    }
}

/// Returns an error that says why a request with these headers is not accepted. Only the page of the
/// stack itself may write: its origin is the host that it calls.
fn admit(headers: &HeaderMap) -> Result<(), &'static str> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if text("origin").strip_prefix("http://") != Some(text("host")) {
        return Err("only the page of the stack may write here; other programs have DynamoDB at its own port");
    }
    let is_allowed = OPERATIONS.contains(&text("x-amz-target"));
    is_allowed.then_some(()).ok_or("the page may update and delete items, and nothing else")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_page_of_the_stack_writes_one_item() {
        let admit = |origin: &'static str, target: &'static str| {
            let headers = [("host", "localhost:3000"), ("origin", origin), ("x-amz-target", target)];
            let headers = headers.into_iter().filter(|(_, value)| !value.is_empty());
            let headers = headers.map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)));
            super::admit(&headers.collect())
        };
        for operation in OPERATIONS {
            assert_eq!(admit("http://localhost:3000", operation), Ok(()), "{operation}");
            for origin in ["", "null", "http://localhost:5173", "https://localhost:3000", "http://evil.example"] {
                assert!(admit(origin, operation).is_err(), "{origin} {operation}");
            }
        }
        for target in ["", "DynamoDB_20120810.DeleteTable", "DynamoDB_20120810.Scan", "UpdateItem"] {
            assert!(admit("http://localhost:3000", target).is_err(), "{target}");
        }
    }
}
