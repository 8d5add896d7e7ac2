//! [Cross-origin resource
//! sharing](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html), by
//! which a browser lets a page of another origin read the answers of this API.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use uuid::Uuid;

use crate::template::Cors;

/// Answers a preflight, and adds the CORS headers to all other answers, errors of the gateway
/// included. Does neither if the API has no CORS configuration. API Gateway would also ignore the
/// CORS headers of a function, which send none.
pub(super) async fn apply(State(cors): State<Option<Arc<Cors>>>, request: Request, next: Next) -> Response {
    let Some(cors) = cors else {
        return next.run(request).await;
    };
    let origin = request.headers().get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
    let allowed = origin.and_then(|origin| cors.allow(origin));
    if is_preflight(&request) {
        let mut response = StatusCode::NO_CONTENT.into_response();
        insert(response.headers_mut(), "apigw-requestid", &Uuid::new_v4().to_string());
        if let Some(allowed) = allowed {
            allow(response.headers_mut(), &cors, &allowed);
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
fn is_preflight(request: &Request) -> bool {
    let headers = request.headers();
    request.method() == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
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
