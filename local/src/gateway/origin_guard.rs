//! Keeps web pages of other sites away from the endpoints of the stack itself, which need no token:
//! a page in the developer's browser could otherwise issue itself tokens, read all tables and
//! invoke functions.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    middleware::Next,
    response::Response,
};

use crate::gateway::errors::error;
use crate::host_header;
use crate::origins;
use crate::template::Cors;

/// The beginnings of the paths of these endpoints: those of the stack, and the Invoke API.
const PATHS: [&str; 2] = ["/local/", "/2015-03-31/"];

/// The conditions under which a request is admitted.
pub(super) struct OriginGuard {
    /// Whether any host is accepted, because the stack listens to other machines.
    pub(super) any_host: bool,
    /// The origins that the API allows.
    pub(super) cors: Option<Arc<Cors>>,
}

/// Answers 403 to a request that the page of another site may have sent.
pub(super) async fn check(State(guard): State<Arc<OriginGuard>>, request: Request, next: Next) -> Response {
    if PATHS.iter().any(|path| request.uri().path().starts_with(path))
        && let Err(detail) = guard.admit(request.headers())
    {
        return error(StatusCode::FORBIDDEN, "Forbidden", &detail);
    }
    next.run(request).await
}

impl OriginGuard {
    /// Returns an error that says why a request with these headers is not accepted.
    ///
    /// - Its `Host` has to be [accepted](host_header::check).
    /// - Its `Origin` has to be the stack itself or an origin that the API allows. Requests that no
    ///   page has sent have none, nor do requests of which no foreign page can read the answer.
    fn admit(&self, headers: &HeaderMap) -> Result<(), String> {
        host_header::check(headers, self.any_host)?;
        let cors = self.cors.as_deref();
        origins::refused(headers, cors).map_or(Ok(()), |origin| Err(origins::advice(origin, cors)))
    }
}
