//! A proxy in front of an endpoint of DynamoDB.

use std::error::Error;
use std::io;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::DefaultBodyLimit;
use axum::http::request::Parts;
use axum::http::{HeaderName, Request, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::task::JoinHandle;

use crate::listener::Listener;

/// The headers of a request or an answer that belong to its connection or to its exact bytes, or
/// that let a page of another origin read the answer.
const DROPPED_HEADERS: [HeaderName; 6] = [
    header::HOST,
    header::CONTENT_LENGTH,
    header::CONNECTION,
    header::TRANSFER_ENCODING,
    header::ACCEPT_ENCODING,
    header::ORIGIN,
];

/// An answer, or the reason why there is none.
pub(crate) type Answer = Result<Response, Box<dyn Error + Send + Sync>>;

/// A running server. It stops when it is dropped.
pub struct Proxy {
    url: String,
    server: JoinHandle<io::Result<()>>,
}

/// The endpoint behind a proxy.
pub(crate) struct Upstream {
    url: String,
    client: Client<HttpConnector, Body>,
}

impl Proxy {
    /// Starts a server on `listener` before the endpoint at the URL `upstream`. `answer` answers
    /// each request.
    pub(crate) fn start<F, A>(listener: impl Into<Listener>, upstream: &str, answer: F) -> io::Result<Self>
    where
        F: Fn(Arc<Upstream>, Parts, Bytes) -> A + Clone + Send + Sync + 'static,
        A: Future<Output = Answer> + Send + 'static,
    {
        let listener = listener.into();
        let url = listener.url()?;
        let upstream = Arc::new(Upstream::new(upstream));
        let handle = async move |request: Request<Body>| {
            let (parts, body) = request.into_parts();
            let Ok(body) = to_bytes(body, usize::MAX).await else {
                return StatusCode::BAD_REQUEST.into_response();
            };
            // A task of its own: DynamoDB serves a request even if the client has gone.
            let answer = tokio::spawn(answer(upstream, parts, body)).await;
            answer.map_err(Into::into).flatten().unwrap_or_else(|error| {
                terminal::log("dynamodb", &format!("cannot pass a request on: {error}"));
                StatusCode::BAD_GATEWAY.into_response()
            })
        };
        // DynamoDB itself limits the size of a body.
        let router = Router::new().fallback(handle).layer(DefaultBodyLimit::disable());
        let server = tokio::spawn(axum::serve(listener, router).into_future());
        Ok(Self { url, server })
    }

    /// Returns the URL of the server.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Upstream {
    /// Returns the endpoint at this URL.
    pub(crate) fn new(url: &str) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Self { url: url.to_owned(), client: Client::builder(TokioExecutor::new()).build(connector) }
    }

    /// Sends a request. Returns the answer, and its body once more.
    pub(crate) async fn send(
        &self,
        mut parts: Parts,
        body: Bytes,
    ) -> Result<(Response, Bytes), Box<dyn Error + Send + Sync>> {
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        parts.uri = Uri::try_from(format!("{}{path}", self.url))?;
        for name in DROPPED_HEADERS {
            parts.headers.remove(name);
        }
        let answer = self.client.request(Request::from_parts(parts, body.into())).await?;
        let (mut parts, body) = answer.into_parts();
        let body = to_bytes(Body::new(body), usize::MAX).await?;
        for name in DROPPED_HEADERS {
            parts.headers.remove(name);
        }
        Ok((Response::from_parts(parts, Body::from(body.clone())), body))
    }
}
