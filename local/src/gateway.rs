//! The HTTP API: routes a request, checks its token, makes the event, has the function invoked and answers.
//!
//! The gateway's own errors are problem+json as the functions' are; their `message` is what API Gateway would say.

pub mod event;
mod response;
pub mod router;

use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::{
    Json, Router,
    body::{Body, Bytes, HttpBody},
    extract::{ConnectInfo, DefaultBodyLimit, Path, RawQuery, Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use futures_util::StreamExt;
use serde_json::{Value, json};
use shared::values::Username;
use time::OffsetDateTime;
use tokio::{net::TcpListener, time::timeout};
use uuid::Uuid;

use crate::gateway::event::Call;
use crate::gateway::router::Unrouted;
use crate::lambda::invoke;
use crate::lambda::runtime::{InvokeError, MAX_PAYLOAD, Runtime};
use crate::net;
use crate::services::identity::Identity;
use crate::services::outbox;
use crate::services::outbox::Outbox;

/// A body may have [10 MB](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html).
const MAX_BODY: usize = 10 * 1024 * 1024;

/// Request line and headers together may have
/// [10,240 bytes](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html).
const MAX_HEAD: usize = 10_240;

/// All that an answer depends on.
pub struct Gateway {
    /// The routes.
    pub router: router::Router,
    /// The functions.
    pub runtime: Arc<Runtime>,
    /// Issuer and authorizer.
    pub identity: Identity,
    /// What functions have sent.
    pub outbox: Arc<Outbox>,
}

/// Serves the API until `stop` resolves.
pub async fn serve(
    listener: TcpListener,
    gateway: Arc<Gateway>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let app = Router::new()
        .route("/local/health", get(|| async { "ok" }))
        .route("/local/token/{username}", get(token))
        .route("/local/.well-known/openid-configuration", get(configuration))
        .route("/local/.well-known/jwks.json", get(keys))
        .route("/local/outbox", get(outbox::show))
        .route("/2015-03-31/functions/{name}/invocations", post(invoke::invoke))
        .merge(outbox::ses(gateway.outbox.clone()))
        .fallback(handle)
        .layer(DefaultBodyLimit::max(MAX_PAYLOAD))
        .with_state(gateway)
        .into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, app).with_graceful_shutdown(stop).await
}

/// `?group=` adds a group, each time that it is given.
async fn token(
    State(gateway): State<Arc<Gateway>>,
    Path(username): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    if let Err(broken) = username.parse::<Username>() {
        return problem(StatusCode::BAD_REQUEST, "Bad Request", &format!("a username {broken}"));
    }
    let mut groups = vec![];
    for parameter in query.iter().flat_map(|query| query.split('&')).filter(|parameter| !parameter.is_empty()) {
        // Cognito's names of groups have no spaces.
        match parameter.strip_prefix("group=").filter(|group| !group.is_empty() && group.bytes().all(is_unreserved)) {
            Some(group) => groups.push(group.to_owned()),
            None => return problem(StatusCode::BAD_REQUEST, "Bad Request", "the query may have group=<name> in it"),
        }
    }
    match gateway.identity.token(&username, &groups) {
        Ok(token) => token.into_response(),
        Err(error) => problem(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error", &error),
    }
}

/// <https://www.rfc-editor.org/rfc/rfc3986#section-2.3>
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

async fn configuration(State(gateway): State<Arc<Gateway>>) -> Json<Value> {
    Json(gateway.identity.configuration())
}

async fn keys(State(gateway): State<Arc<Gateway>>) -> Json<Value> {
    Json(json!(gateway.identity.keys()))
}

async fn handle(
    State(gateway): State<Arc<Gateway>>,
    ConnectInfo(client): ConnectInfo<SocketAddr>,
    request: Request,
) -> Response {
    let id = Uuid::new_v4().to_string();
    let (mut parts, body) = request.into_parts();
    // HTTP/2 has the host in the URI instead.
    if let Some(Ok(host)) = parts.uri.authority().map(|authority| HeaderValue::from_str(authority.as_str())) {
        parts.headers.entry(header::HOST).or_insert(host);
    }
    let mut response = answer(&gateway, client.ip(), &id, &parts, body).await.unwrap_or_else(|refusal| refusal);
    if let Ok(id) = HeaderValue::try_from(id) {
        response.headers_mut().insert("apigw-requestid", id);
    }
    response
}

async fn answer(
    gateway: &Gateway,
    source_ip: IpAddr,
    request_id: &str,
    parts: &Parts,
    body: Body,
) -> Result<Response, Response> {
    let bad_request = |detail| problem(StatusCode::BAD_REQUEST, "Bad Request", detail);
    if head_size(parts) > MAX_HEAD {
        let detail = "request line and headers together may have 10,240 bytes";
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        return Err(problem(status, "Request Header Fields Too Large", detail));
    }
    if !has_valid_host(&parts.headers) {
        return Err(bad_request("the Host header is missing or invalid"));
    }
    let path = parts.uri.path();
    let route = gateway.router.resolve(parts.method.as_str(), path).map_err(|unrouted| match unrouted {
        Unrouted::BadRequest => bad_request("the path's percent-encoding is broken"),
        Unrouted::NotFound => problem(StatusCode::NOT_FOUND, "Not Found", "no route has this method and path"),
    })?;
    let claims = authorize(&gateway.identity, &parts.headers).ok_or_else(unauthorized)?;
    if router::decode(parts.uri.query().unwrap_or_default()).is_none() {
        return Err(bad_request("the query's percent-encoding is broken"));
    }
    let body = read(&parts.headers, body).await?;

    let event = event::build(&Call {
        route_key: route.route_key,
        path_parameters: &route.path_parameters,
        parts,
        body: &body,
        claims: &claims,
        source_ip,
        request_id,
        time: OffsetDateTime::now_utc(),
    });
    let payload = event.to_string();
    if payload.len() > MAX_PAYLOAD {
        return Err(too_long("the event of the request may have 6 MB"));
    }
    let invocation = gateway.runtime.invoke(route.function, payload.into()).await.map_err(|error| failure(&error))?;
    if invocation.function_error {
        return Err(bad_gateway("the function reported an error; the stack's log has it"));
    }
    let response =
        serde_json::from_slice(&invocation.payload).map_err(|error| error.to_string()).and_then(response::response);
    response.map_err(|error| {
        net::log(route.function, &format!("malformed answer: {error}"));
        bad_gateway("the function's answer is malformed; the stack's log says how")
    })
}

fn head_size(parts: &Parts) -> usize {
    let uri = parts.uri.path_and_query().map_or(0, |uri| uri.as_str().len());
    let headers = parts.headers.iter();
    let headers: usize = headers.map(|(name, value)| name.as_str().len() + value.len()).sum();
    parts.method.as_str().len() + uri + headers
}

/// One host, with a port or without, that a URL can have: what a function builds from it must parse.
fn has_valid_host(headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return false;
    };
    host.to_str().is_ok_and(|host| {
        !host.contains(['/', '?', '#', '@', '\\', ' ', '\t']) && url::Url::parse(&format!("http://{host}/")).is_ok()
    })
}

fn authorize(identity: &Identity, headers: &HeaderMap) -> Option<std::collections::BTreeMap<String, String>> {
    let mut authorizations = headers.get_all(header::AUTHORIZATION).iter();
    match (authorizations.next(), authorizations.next()) {
        (Some(authorization), None) => identity.verify(authorization.to_str().ok()?),
        _ => None,
    }
}

/// The whole body, unless it is too long: then what comes is thrown away for a moment, so that a client that sends
/// first and reads then still gets its answer.
async fn read(headers: &HeaderMap, body: Body) -> Result<Bytes, Response> {
    let too_long = || too_long("a body may have 10 MB");
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let declared = declared.and_then(|length| length.parse::<u64>().ok()).unwrap_or(0);
    let mut excess = declared > MAX_BODY as u64 || body.size_hint().lower() > MAX_BODY as u64;
    let mut stream = body.into_data_stream();
    let mut bytes = Vec::new();
    while !excess && let Some(chunk) = stream.next().await {
        let chunk =
            chunk.map_err(|_| problem(StatusCode::BAD_REQUEST, "Bad Request", "the body did not arrive whole"))?;
        excess = bytes.len() + chunk.len() > MAX_BODY;
        bytes.extend_from_slice(&chunk);
    }
    if excess {
        drop(bytes);
        let drain = async { while let Some(Ok(_)) = stream.next().await {} };
        let _ = timeout(Duration::from_secs(2), drain).await;
        return Err(too_long());
    }
    Ok(bytes.into())
}

fn failure(error: &InvokeError) -> Response {
    match error {
        InvokeError::Unknown | InvokeError::Crashed(_) => {
            bad_gateway("the function ended without an answer; the stack's log says how")
        }
        InvokeError::TimedOut(_) => {
            problem(StatusCode::GATEWAY_TIMEOUT, "Service Unavailable", "the function took longer than its timeout")
        }
        InvokeError::Busy => {
            let detail = "all processes of the function are busy";
            let mut response = problem(StatusCode::SERVICE_UNAVAILABLE, "Service Unavailable", detail);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            response
        }
    }
}

fn unauthorized() -> Response {
    let detail = "a valid bearer token is needed";
    let mut response = problem(StatusCode::UNAUTHORIZED, "Unauthorized", detail);
    let challenge = HeaderValue::from_static("Bearer");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    response
}

fn bad_gateway(detail: &str) -> Response {
    problem(StatusCode::BAD_GATEWAY, "Internal Server Error", detail)
}

fn too_long(detail: &str) -> Response {
    problem(StatusCode::PAYLOAD_TOO_LARGE, "Request Too Long", detail)
}

fn problem(status: StatusCode, message: &str, detail: &str) -> Response {
    let body = json!({
        "type": "about:blank",
        "title": status.canonical_reason(),
        "status": status.as_u16(),
        "detail": detail,
        "message": message,
    });
    let kind = [(header::CONTENT_TYPE, "application/problem+json")];
    (status, kind, body.to_string()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_a_host() {
        let valid = |hosts: &[&str]| {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append(header::HOST, host.parse().unwrap());
            }
            has_valid_host(&headers)
        };
        for good in ["localhost", "127.0.0.1:3000", "[::1]:3000", "api.example.com:443"] {
            assert!(valid(&[good]), "{good}");
        }
        for bad in ["", "a b", "a/b", "a@b", "localhost:99999", "[::1", "1.2.3.999", "a<b", "user:pw@h"] {
            assert!(!valid(&[bad]), "{bad}");
        }
        assert!(!valid(&[]));
        assert!(!valid(&["a", "b"]));
    }

    #[tokio::test]
    async fn a_problem_serves_both_readers() {
        let response = unauthorized();
        assert_eq!(response.status(), 401);
        assert_eq!(response.headers()["www-authenticate"], "Bearer");
        assert_eq!(response.headers()["content-type"], "application/problem+json");
        let body = axum::body::to_bytes(response.into_body(), 1000).await.unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["title"], "Unauthorized");
        assert_eq!(body["message"], "Unauthorized");
        assert_eq!(body["status"], 401);
    }

    #[tokio::test]
    async fn a_body_is_read_up_to_its_limit() {
        let none = HeaderMap::new();
        let exact = read(&none, Body::from(vec![b'a'; MAX_BODY])).await.unwrap();
        assert_eq!(exact.len(), MAX_BODY);
        let over = read(&none, Body::from(vec![b'a'; MAX_BODY + 1])).await.unwrap_err();
        assert_eq!(over.status(), 413);
        let chunks = futures_util::stream::iter((0..=10 * 1024).map(|_| Ok::<_, io::Error>(vec![0; 1024])));
        let chunked = read(&none, Body::from_stream(chunks)).await.unwrap_err();
        assert_eq!(chunked.status(), 413);
    }
}
