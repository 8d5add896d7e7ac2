//! The DynamoDB endpoint for tools, in front of the engine. It passes each request on, and explains
//! the operations that the engine does not have, to which the engine answers with an empty message.
//! Functions use the engine directly.

use std::io;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::IntoResponse as _;
use serde_json::json;

use crate::dynamodb_proxy::Proxy;
use crate::host_header;
use crate::listener::Listener;

/// The answer of the engine to an operation that it does not have.
const UNKNOWN: &[u8] = br#"{"__type":"com.amazon.coral.service#UnknownOperationException"}"#;

/// Serves the engine at the URL `engine` on `listener`. Unless `any_host` is set, clients have to
/// call it by an address or as localhost. No web page can use it, because its answers allow no
/// origin.
pub(crate) fn start(listener: Listener, engine: &str, any_host: bool) -> io::Result<Proxy> {
    Proxy::start(listener, engine, move |engine, parts, body| async move {
        if let Err(reason) = host_header::check(&parts.headers, any_host) {
            return Ok((StatusCode::FORBIDDEN, error("AccessDeniedException", reason)).into_response());
        }
        let operation = operation(&parts.headers);
        let (mut answer, body) = engine.send(parts, body).await?;
        if let Some(operation) = operation.filter(|_| body == UNKNOWN) {
            let body = explain(&operation);
            answer.headers_mut().insert("x-amz-crc32", HeaderValue::from(crc32fast::hash(&body)));
            *answer.body_mut() = body.into();
        }
        Ok(answer)
    })
}

/// Returns the operation of a request.
fn operation(headers: &HeaderMap) -> Option<String> {
    let target = headers.get("x-amz-target")?.to_str().ok()?;
    Some(target.rsplit_once('.')?.1.to_owned())
}

/// Returns the answer to an operation that the engine does not have.
fn explain(operation: &str) -> Bytes {
    let copies = ["Backup", "Restore", "Export", "Import"].iter().any(|part| operation.contains(part));
    let advice = if copies {
        "To keep a copy of the tables, start the stack with --data-dir DIR, stop it, and copy DIR."
    } else {
        "It has the operations on items, tables, streams, tags and the time to live; the others are on AWS only."
    };
    let message = format!("The DynamoDB of the local stack has no {operation}. {advice}");
    error("UnknownOperationException", &message)
}

/// Returns the body of an error as SDKs expect it.
fn error(name: &str, message: &str) -> Bytes {
    let error = json!({"__type": format!("com.amazon.coral.service#{name}"), "message": message});
    error.to_string().into()
}
