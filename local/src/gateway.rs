//! API Gateway: routes a request, verifies its token if the route has an authorizer, builds the event,
//! invokes the function and sends its answer. It stands in for both APIs, that of all nouns and that of
//! links, and for CloudFront in front of the second one, which keeps no answer here. The module
//! `connect` opens the connections of the WebSocket API.

mod api_page;
mod connect;
mod cors;
pub(crate) mod errors;
pub mod event;
mod home;
mod invocation;
mod issuer;
mod origin_guard;
mod request_event;
mod response;
pub mod router;

use std::{
    io,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes, HttpBody},
    extract::{ConnectInfo, DefaultBodyLimit, Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header, request::Parts},
    middleware,
    response::{IntoResponse, Response},
    routing::get,
    serve::ListenerExt as _,
};
use futures_util::StreamExt;
use time::OffsetDateTime;
use tokio::time::timeout;

use crate::gateway::connect::Connect;
use crate::gateway::cors::Origins;
use crate::gateway::errors::{bad_gateway, bad_request, error, request_timeout, too_long, unauthorized};
use crate::gateway::event::Call;
use crate::gateway::invocation::invoke;
use crate::gateway::origin_guard::OriginGuard;
use crate::gateway::request_event::{Arrival, Handled};
use crate::gateway::router::{Match, Unrouted};
use crate::lambda::event_queue::EventQueue;
use crate::lambda::origin::Origin;
use crate::lambda::runtime::{Endpoints, MAX_PAYLOAD_BYTES, Runtime};
use crate::lambda::{self, functions, variables};
use crate::listener::Listener;
use crate::page::{self, Page};
use crate::services::identity::{Claims, Identity};
use crate::services::live::{self, Live};
use crate::services::outbox;
use crate::services::outbox::Outbox;
use crate::services::push::{self, Push};
use crate::services::sqs::Sqs;
use crate::template::Cors;
use crate::trace::Trace;

/// The maximum size of a body:
/// [10 MB](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html).
const MAX_BODY_BYTES: usize = 10 * 1024 * 1024;

/// The maximum size of the request line and the headers together: [10,240
/// bytes](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html).
const MAX_HEAD_BYTES: usize = 10_240;

/// The time in which a whole body arrives: that in which API Gateway waits for a
/// [function](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html).
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// The time in which the rest of a body that is too long is read and discarded.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// The state of the HTTP API.
pub struct Gateway {
    /// The routes.
    pub router: router::Router,
    /// The functions.
    pub runtime: Arc<Runtime>,
    /// The events of asynchronous invocations.
    pub events: EventQueue,
    /// The token issuer and the authorizer.
    pub identity: Arc<Identity>,
    /// The outbox.
    pub outbox: Arc<Outbox>,
    /// The push service.
    pub push: Arc<Push>,
    /// The connections of the WebSocket API.
    pub live: Arc<Live>,
    /// The on-failure queues, whose messages are in the outbox.
    pub queues: Sqs,
    /// The CORS configuration of the API, if it has one.
    pub cors: Option<Arc<Cors>>,
    /// The root of the project, which has the files of the API page.
    pub root: PathBuf,
    /// The page.
    pub page: Arc<Page>,
    /// The endpoints of the services for functions that run elsewhere than in the stack.
    pub endpoints: Endpoints,
    /// Whether the stack listens to other machines, which may know it by any name.
    pub any_host: bool,
}

/// Serves the API until `stop` resolves.
pub async fn serve(
    listener: Listener,
    gateway: Arc<Gateway>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let guard = Arc::new(OriginGuard { any_host: gateway.any_host, cors: gateway.cors.clone() });
    let origins = Arc::new(Origins { cors: gateway.cors.clone(), refused: Mutex::default() });
    let mut functions = gateway.page.template.functions.iter();
    let connect = Connect {
        function: functions.find(|function| function.connects).map(|function| function.name.clone()),
        runtime: gateway.runtime.clone(),
        live: gateway.live.clone(),
        activity: gateway.page.activity.clone(),
    };
    let app = Router::new()
        .route("/", get(home).fallback(handle))
        .route("/local/health", get(|| async { "ok" }))
        .fallback(handle)
        .with_state(gateway.clone())
        .merge(api_page::router(&gateway.root))
        .merge(page::router(gateway.page.clone()))
        .merge(issuer::router(gateway.identity.clone()))
        .merge(outbox::router(gateway.outbox.clone()))
        .merge(push::router(gateway.push.clone()))
        .merge(live::router(gateway.live.clone()))
        .merge(connect::router(connect))
        .merge(gateway.queues.clone().router())
        .merge(lambda::invoke::router(gateway.runtime.clone(), gateway.events.clone()))
        .merge(functions::router(&gateway.page.template))
        .merge(variables::router(&gateway.page.template, &gateway.endpoints))
        .layer(DefaultBodyLimit::max(MAX_PAYLOAD_BYTES))
        .layer(middleware::from_fn_with_state(guard, origin_guard::check))
        .layer(middleware::from_fn_with_state(origins, cors::apply));
    let app = app.into_make_service_with_connect_info::<SocketAddr>();
    // As a `TapIo`, it tells the address of a client.
    axum::serve(listener.tap_io(|_| ()), app).with_graceful_shutdown(stop).await
}

/// Answers `GET /`: a browser gets the page, and other clients text.
async fn home(State(gateway): State<Arc<Gateway>>, headers: HeaderMap) -> Response {
    let mut response = if home::is_browser(&headers) {
        page::index(&gateway.page)
    } else {
        home::text(&gateway.router, &headers).into_response()
    };
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept"));
    response
}

/// Answers a request that is not for one of the local endpoints.
async fn handle(
    State(gateway): State<Arc<Gateway>>,
    ConnectInfo(client): ConnectInfo<SocketAddr>,
    request: Request,
) -> Response {
    let activity = &gateway.page.activity;
    let arrival = Arrival::now(activity);
    let (mut parts, body) = request.into_parts();
    // HTTP/2 sends the host in the URI instead.
    if let Some(Ok(host)) = parts.uri.authority().map(|authority| HeaderValue::from_str(authority.as_str())) {
        parts.headers.entry(header::HOST).or_insert(host);
    }
    let mut handled = Handled::default();
    let response = answer(&gateway, client.ip(), &arrival.id, &parts, body, &mut handled).await;
    arrival.answer(activity, &parts, handled, response).await
}

/// Returns the answer of the function, or an error of the gateway. Fills `handled` as far as it
/// gets.
async fn answer(
    gateway: &Gateway,
    source_ip: IpAddr,
    request_id: &str,
    parts: &Parts,
    body: Body,
    handled: &mut Handled,
) -> Result<Response, Response> {
    if head_size(parts) > MAX_HEAD_BYTES {
        let detail = "the request line and the headers together must not exceed 10,240 bytes";
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        return Err(error(status, "Request Header Fields Too Large", detail));
    }
    if !has_valid_host(&parts.headers) {
        return Err(bad_request("the Host header is missing or invalid"));
    }
    let path = parts.uri.path();
    let route = gateway.router.resolve(parts.method.as_str(), path).map_err(|unrouted| match unrouted {
        Unrouted::BadRequest => bad_request("the percent-encoding of the path is invalid"),
        Unrouted::NotFound => {
            let refused = cors::unrouted(&parts.method, &parts.headers);
            let detail = refused.as_deref().unwrap_or("no route has this method and path");
            error(StatusCode::NOT_FOUND, "Not Found", detail)
        }
    })?;
    handled.route = Some(route.route_key.to_owned());
    handled.function = Some(route.function.to_owned());
    let claims = claims(&gateway.identity, &route, &parts.headers).map_err(unauthorized)?;
    handled.user = claims.as_ref().and_then(|claims| claims.get("username")).cloned();
    if router::decode(parts.uri.query().unwrap_or_default()).is_none() {
        return Err(bad_request("the percent-encoding of the query is invalid"));
    }
    let body = read(&parts.headers, body).await?;
    handled.body = body.clone();

    let trace = Trace::start();
    let event = event::build(&Call {
        route_key: route.route_key,
        path_parameters: &route.path_parameters,
        parts,
        body: &body,
        claims: claims.as_ref(),
        source_ip,
        request_id,
        trace: &trace,
        time: OffsetDateTime::now_utc(),
    });
    let payload = event.to_string();
    if payload.len() > MAX_PAYLOAD_BYTES {
        return Err(too_long("the event of the request must not exceed 6 MB"));
    }
    handled.trace = Some(trace.clone());
    let origin = Origin::for_request(request_id, trace);
    let answer = invoke(&gateway.runtime, route.function, origin, payload).await?;
    response::response(&answer).map_err(|error| {
        terminal::log(route.function, &format!("malformed answer: {error:#}"));
        bad_gateway("the answer of the function is malformed; see the log of the stack")
    })
}

/// Returns the size of the request line and the headers in bytes.
fn head_size(parts: &Parts) -> usize {
    let uri = parts.uri.path_and_query().map_or(0, |uri| uri.as_str().len());
    let headers = parts.headers.iter();
    let headers: usize = headers.map(|(name, value)| name.as_str().len() + value.len()).sum();
    parts.method.as_str().len() + uri + headers
}

/// Returns whether the request has exactly one Host header and its value is valid in a URL, because
/// functions build URLs from it.
fn has_valid_host(headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return false;
    };
    host.to_str().is_ok_and(|host| {
        !host.contains(['/', '?', '#', '@', '\\', ' ', '\t']) && url::Url::parse(&format!("http://{host}/")).is_ok()
    })
}

/// Returns the claims of the token if the route has an authorizer. Without one, nothing looks at the
/// Authorization header, so that a page that sends an old token opens a link all the same.
fn claims(identity: &Identity, route: &Match, headers: &HeaderMap) -> Result<Option<Claims>, Option<&'static str>> {
    route.needs_token.then(|| authorize(identity, headers)).transpose()
}

/// Returns the claims of the token in the only Authorization header. An error says why the token is
/// invalid; without a token it is `None`.
fn authorize(identity: &Identity, headers: &HeaderMap) -> Result<Claims, Option<&'static str>> {
    let mut authorizations = headers.get_all(header::AUTHORIZATION).iter();
    match (authorizations.next(), authorizations.next()) {
        (None, _) => Err(None),
        (Some(authorization), None) if authorization.is_empty() => Err(None),
        (Some(authorization), None) => {
            let authorization = authorization.to_str().map_err(|_| Some("the token is not ASCII"))?;
            identity.verify(authorization).map_err(Some)
        }
        _ => Err(Some("the request has two Authorization headers")),
    }
}

/// Reads the whole body, within 30 seconds.
async fn read(headers: &HeaderMap, body: Body) -> Result<Bytes, Response> {
    match timeout(BODY_TIMEOUT, read_all(headers, body)).await {
        Ok(body) => body,
        Err(_) => Err(request_timeout()),
    }
}

/// Reads the whole body. If it is too long, its rest is discarded for up to 2 seconds, so that a
/// client that reads the answer only after it has sent the body still gets one.
async fn read_all(headers: &HeaderMap, body: Body) -> Result<Bytes, Response> {
    let too_long = || too_long("a body must not exceed 10 MB");
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let declared = declared.and_then(|length| length.parse::<u64>().ok()).unwrap_or(0);
    let mut excess = declared > MAX_BODY_BYTES as u64 || body.size_hint().lower() > MAX_BODY_BYTES as u64;
    let mut stream = body.into_data_stream();
    let mut bytes = Vec::new();
    while !excess && let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|_| bad_request("the connection ended before the end of the body"))?;
        excess = bytes.len() + chunk.len() > MAX_BODY_BYTES;
        bytes.extend_from_slice(&chunk);
    }
    if excess {
        drop(bytes);
        let drain = async { while let Some(Ok(_)) = stream.next().await {} };
        let _ = timeout(DRAIN_TIMEOUT, drain).await;
        return Err(too_long());
    }
    Ok(bytes.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_route_with_an_authorizer_looks_at_the_token() {
        let identity = Identity::new("http://localhost/local").unwrap();
        let with = |needs_token, tokens: &[&str]| {
            let route = Match { function: "f", route_key: "GET /", needs_token, path_parameters: [].into() };
            let tokens = tokens.iter().map(|token| (header::AUTHORIZATION, token.parse().unwrap()));
            claims(&identity, &route, &tokens.collect()).map(|claims| claims.map(|all| all["username"].clone()))
        };
        let valid = &*format!("Bearer {}", identity.token("ada", &[]));
        assert_eq!(with(true, &[valid]), Ok(Some("ada".to_owned())));
        assert_eq!(with(true, &[]), Err(None));
        assert_eq!(with(true, &["Bearer x"]), Err(Some("token contains an invalid number of segments")));
        for tokens in [&[][..], &[valid], &["Bearer x"], &["Bearer x", "Bearer y"]] {
            assert_eq!(with(false, tokens), Ok(None), "{tokens:?}");
        }
    }

    #[tokio::test]
    async fn reads_a_body_up_to_the_maximum() {
        let none = HeaderMap::new();
        let exact = read(&none, Body::from(vec![b'a'; MAX_BODY_BYTES])).await.unwrap();
        assert_eq!(exact.len(), MAX_BODY_BYTES);
        let over = read(&none, Body::from(vec![b'a'; MAX_BODY_BYTES + 1])).await.unwrap_err();
        assert_eq!(over.status(), 413);
        let chunks = futures_util::stream::iter((0..=10 * 1024).map(|_| Ok::<_, io::Error>(vec![0; 1024])));
        let chunked = read(&none, Body::from_stream(chunks)).await.unwrap_err();
        assert_eq!(chunked.status(), 413);
    }

    #[tokio::test(start_paused = true)]
    async fn gives_up_a_slow_body() {
        let slow = Body::from_stream(futures_util::stream::pending::<io::Result<Bytes>>());
        assert_eq!(read(&HeaderMap::new(), slow).await.unwrap_err().status(), 408);
    }
}
