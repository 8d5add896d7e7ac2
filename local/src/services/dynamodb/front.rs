//! The DynamoDB endpoint for tools, in front of the engine. It passes each request on, and explains the operations that the
//! engine does not have, to which the engine answers with an empty message. Functions use the engine directly.

use std::io;
use std::sync::Arc;

use anyhow::Result;
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::net;

/// The answer of the engine to an operation that it does not have.
const UNKNOWN: &[u8] = br#"{"__type":"com.amazon.coral.service#UnknownOperationException"}"#;

/// The endpoint for tools. It stops when it is dropped.
pub struct Front {
    url: String,
    server: JoinHandle<io::Result<()>>,
}

struct Upstream {
    engine: String,
    client: Client<HttpConnector, Body>,
}

impl Front {
    /// Serves the engine at the URL `engine` on `listener`.
    pub fn start(listener: TcpListener, engine: &str) -> Result<Self> {
        let url = net::url(&listener)?;
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new()).build(connector);
        let upstream = Arc::new(Upstream { engine: engine.to_owned(), client });
        // The engine limits the size of a body.
        let router = Router::new().fallback(forward).layer(DefaultBodyLimit::disable()).with_state(upstream);
        let server = tokio::spawn(axum::serve(listener, router).into_future());
        Ok(Self { url, server })
    }

    /// Returns the URL of the endpoint.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn forward(State(upstream): State<Arc<Upstream>>, mut request: Request<Body>) -> Response {
    let operation = operation(request.headers());
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let Ok(uri) = Uri::try_from(format!("{}{path}", upstream.engine)) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    *request.uri_mut() = uri;
    request.headers_mut().remove(header::CONNECTION);
    let answer = match upstream.client.request(request).await {
        Ok(answer) => answer.map(Body::new),
        Err(error) => {
            net::log("dynamodb", &format!("cannot pass a request on: {error}"));
            return StatusCode::BAD_GATEWAY.into_response();
        }
    };
    if answer.status() != StatusCode::BAD_REQUEST {
        return answer;
    }
    let (mut parts, body) = answer.into_parts();
    let Ok(mut body) = to_bytes(body, usize::MAX).await else {
        return StatusCode::BAD_GATEWAY.into_response();
    };
    if let Some(operation) = operation.filter(|_| body == UNKNOWN) {
        body = explain(&operation);
        parts.headers.insert(header::CONTENT_LENGTH, body.len().into());
        parts.headers.insert("x-amz-crc32", HeaderValue::from(crc32fast::hash(&body)));
    }
    Response::from_parts(parts, body.into())
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
    let answer = json!({"__type": "com.amazon.coral.service#UnknownOperationException", "message": message});
    answer.to_string().into()
}
