//! [Cross-origin resource
//! sharing](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html), by
//! which a browser lets a page of another origin read the answers of this API.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use uuid::Uuid;

use crate::origins;
use crate::template::Cors;

/// The CORS configuration of the API, if it has one, and the origins that were refused so far.
pub(super) struct Origins {
    pub(super) cors: Option<Arc<Cors>>,
    pub(super) refused: Mutex<BTreeSet<String>>,
}

/// Answers a preflight, and adds the CORS headers to all other answers, errors of the gateway
/// included. Does neither if the API has no CORS configuration. API Gateway would also ignore the
/// CORS headers of a function, which send none.
///
/// The log says once of each refused origin how to allow it.
pub(super) async fn apply(State(state): State<Arc<Origins>>, request: Request, next: Next) -> Response {
    let cors = state.cors.as_deref();
    if let Some(origin) = origins::refused(request.headers(), cors)
        && state.refused.lock().unwrap_or_else(PoisonError::into_inner).insert(origin.to_owned())
    {
        terminal::log("local", &origins::advice(origin, cors));
    }
    let Some(cors) = cors else {
        return next.run(request).await;
    };
    let origin = request.headers().get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
    let allowed = origin.and_then(|origin| cors.allow(origin));
    if is_preflight(request.method(), request.headers()) {
        let mut response = StatusCode::NO_CONTENT.into_response();
        insert(response.headers_mut(), "apigw-requestid", &Uuid::new_v4().to_string());
        if let Some(allowed) = allowed {
            allow(response.headers_mut(), cors, &allowed);
        }
        return response;
    }
    let mut response = next.run(request).await;
    if let Some(allowed) = allowed {
        insert(response.headers_mut(), "access-control-allow-origin", &allowed);
        insert(response.headers_mut(), "access-control-expose-headers", &cors.expose_headers.join(","));
    }
    response
}

/// Returns whether a browser asks with this request if it may send another one. A token cannot come
/// with it, so the gateway answers without one, for any path.
fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
    method == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// Returns what the answer to a preflight says if the API has no CORS configuration, and as on AWS
/// no route that takes it.
pub(super) fn unrouted(method: &Method, headers: &HeaderMap) -> Option<String> {
    let origin = origins::refused(headers, None).filter(|_| is_preflight(method, headers));
    origin.map(|origin| origins::advice(origin, None))
}

/// Adds the headers that allow the request that follows a preflight.
fn allow(headers: &mut HeaderMap, cors: &Cors, origin: &str) {
    insert(headers, "access-control-allow-origin", origin);
    insert(headers, "access-control-allow-methods", &cors.allow_methods.join(","));
    insert(headers, "access-control-allow-headers", &cors.allow_headers.join(","));
    insert(headers, "access-control-max-age", &cors.max_age.to_string());
}

fn insert(headers: &mut HeaderMap, name: &'static str, value: &str) {
    if let Ok(value) = HeaderValue::try_from(value) {
        headers.insert(name, value);
    }
}
