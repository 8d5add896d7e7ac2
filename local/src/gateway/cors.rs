//! [Cross-origin resource sharing](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html), by
//! which a browser lets a page of another origin read the answers of this API.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use uuid::Uuid;

use crate::template::Cors;

/// The headers that only the gateway sets when the API has a CORS configuration. Those of a function are ignored.
const CORS_HEADERS: [HeaderName; 6] = [
    header::ACCESS_CONTROL_ALLOW_ORIGIN,
    header::ACCESS_CONTROL_ALLOW_METHODS,
    header::ACCESS_CONTROL_ALLOW_HEADERS,
    header::ACCESS_CONTROL_ALLOW_CREDENTIALS,
    header::ACCESS_CONTROL_EXPOSE_HEADERS,
    header::ACCESS_CONTROL_MAX_AGE,
];

/// Answers a preflight, and adds the CORS headers to all other answers, errors of the gateway included. Does neither if
/// the API has no CORS configuration.
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
    for name in CORS_HEADERS {
        response.headers_mut().remove(name);
    }
    if let Some(allowed) = allowed {
        insert(response.headers_mut(), "access-control-allow-origin", &allowed);
        insert(response.headers_mut(), "access-control-expose-headers", &cors.expose_headers.join(","));
    }
    response
}

/// Returns whether a browser asks with this request if it may send another one. A token cannot come with it, so the
/// gateway answers without one, for any path.
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

#[cfg(test)]
mod tests {
    use axum::{Router, body::Body, http::request, middleware, routing::get};
    use hyper::service::Service;
    use hyper_util::service::TowerToHyperService;

    use super::*;

    const ORIGIN: &str = "https://a.example";

    /// Returns the answer of an API whose function sends CORS headers of its own.
    async fn answer(cors: Option<Cors>, request: request::Builder) -> Response {
        let own =
            [("access-control-allow-origin", "*"), ("access-control-allow-credentials", "true"), ("etag", "\"1\"")];
        let app = Router::new().route("/", get(async move || (own, "body")));
        let app = app.layer(middleware::from_fn_with_state(cors.map(Arc::new), apply));
        TowerToHyperService::new(app).call(request.body(Body::empty()).unwrap()).await.unwrap()
    }

    fn cors() -> Cors {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Cors {
            allow_origins: list(&[ORIGIN]),
            allow_methods: list(&["GET", "PUT"]),
            allow_headers: list(&["authorization", "if-match"]),
            expose_headers: list(&["etag", "location"]),
            max_age: 600,
        }
    }

    /// Returns the CORS headers of an answer by name.
    fn cors_headers(response: &Response) -> Vec<String> {
        let all = response.headers().iter().filter(|(name, _)| name.as_str().starts_with("access-control-"));
        let mut all: Vec<_> = all.map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
        all.sort();
        all
    }

    #[tokio::test]
    async fn answers_a_preflight_without_the_function() {
        let preflight = |origin| {
            let request = Request::options("/any/path").header("origin", origin);
            request.header("access-control-request-method", "PUT").header("access-control-request-headers", "if-match")
        };
        let response = answer(Some(cors()), preflight(ORIGIN)).await;
        assert_eq!(response.status(), 204);
        assert!(response.headers().contains_key("apigw-requestid"));
        let expected = [
            "access-control-allow-headers: authorization,if-match",
            "access-control-allow-methods: GET,PUT",
            "access-control-allow-origin: https://a.example",
            "access-control-max-age: 600",
        ];
        assert_eq!(cors_headers(&response), expected);

        let response = answer(Some(cors()), preflight("https://b.example")).await;
        assert_eq!(response.status(), 204);
        assert!(cors_headers(&response).is_empty());
        assert_eq!(answer(None, preflight(ORIGIN)).await.status(), 404);
        // These two are no preflights.
        let request = Request::options("/any/path").header("origin", ORIGIN);
        assert_eq!(answer(Some(cors()), request).await.status(), 404);
        let request = Request::options("/any/path").header("access-control-request-method", "PUT");
        assert_eq!(answer(Some(cors()), request).await.status(), 404);
    }

    #[tokio::test]
    async fn replaces_the_cors_headers_of_the_function() {
        let get = |origin| Request::get("/").header("origin", origin);
        let response = answer(Some(cors()), get(ORIGIN)).await;
        let expected =
            ["access-control-allow-origin: https://a.example", "access-control-expose-headers: etag,location"];
        assert_eq!(cors_headers(&response), expected);
        assert_eq!(response.headers()["etag"], "\"1\"");
        for request in [get("https://b.example"), Request::get("/")] {
            let response = answer(Some(cors()), request).await;
            assert_eq!(response.status(), 200);
            assert!(cors_headers(&response).is_empty());
        }
        assert_eq!(cors_headers(&answer(None, get(ORIGIN)).await).len(), 2);
    }
}
