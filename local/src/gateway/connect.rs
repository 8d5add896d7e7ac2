//! Opens a connection of the WebSocket API: `GET /local/live` with the headers of a WebSocket. The
//! function of the route
//! [`$connect`](https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-route-keys-connect-disconnect.html)
//! gets the event first. The connection opens if the function answers 2xx, and otherwise the
//! handshake gets the status of the function.
//!
//! API Gateway does not look at the origin of a page. Here, the guard of `/local/` refuses a page of
//! a foreign origin before the function is invoked: browsers do not apply no CORS to a WebSocket, so any
//! site could otherwise reach the stack on the developer's machine.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::{
    Router,
    extract::{ConnectInfo, FromRequestParts as _, Request, State, ws::WebSocketUpgrade},
    http::{StatusCode, Uri, header, request::Parts},
    response::{IntoResponse as _, Response},
    routing::get,
};
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::activity::Activity;
use crate::gateway::errors::{bad_gateway, error};
use crate::gateway::event::{HOP_BY_HOP_HEADERS, domain, epoch_ms, request_time, text};
use crate::gateway::invocation::invoke;
use crate::gateway::request_event::{Arrival, Handled};
use crate::lambda::origin::Origin;
use crate::lambda::runtime::Runtime;
use crate::services::live::{Client, LIVE_PATH, Live};
use crate::trace::Trace;

#[cfg(test)]
mod tests;

/// The route key of the function that admits connections.
const ROUTE_KEY: &str = "$connect";

/// The parts of the stack that open connections.
#[derive(Clone)]
pub(super) struct Connect {
    /// The name of the function of `$connect`, if the templates have a WebSocket API.
    pub(super) function: Option<String>,
    /// The functions.
    pub(super) runtime: Arc<Runtime>,
    /// The open connections.
    pub(super) live: Arc<Live>,
    /// The activity of the stack.
    pub(super) activity: Arc<Activity>,
}

/// Returns a router of the handshake.
pub(super) fn router(connect: Connect) -> Router {
    Router::new().route(LIVE_PATH, get(handle)).with_state(connect)
}

/// Answers a handshake, and publishes it as a request of the API.
async fn handle(
    State(connect): State<Connect>,
    ConnectInfo(address): ConnectInfo<SocketAddr>,
    request: Request,
) -> Response {
    let arrival = Arrival::now(&connect.activity);
    let (mut parts, _) = request.into_parts();
    let client = Client { source_ip: address.ip(), user_agent: text(parts.headers.get(header::USER_AGENT)) };
    let mut handled = Handled::default();
    let response = connect.open(&arrival.id, client, &mut parts, &mut handled).await;
    // The ticket is left out, like the token of another request.
    parts.uri = Uri::from_static(LIVE_PATH);
    arrival.answer(&connect.activity, &parts, handled, response).await
}

impl Connect {
    /// Opens a connection if the function admits it. Fills `handled` as far as it gets.
    async fn open(
        &self,
        request_id: &str,
        client: Client,
        parts: &mut Parts,
        handled: &mut Handled,
    ) -> Result<Response, Response> {
        let Some(function) = &self.function else {
            return Err(error(StatusCode::NOT_FOUND, "Not Found", "the templates have no route $connect"));
        };
        let upgrade = WebSocketUpgrade::from_request_parts(parts, &()).await;
        let upgrade = upgrade.map_err(|rejection| {
            let detail = format!("open {LIVE_PATH} as a WebSocket: {rejection}");
            error(rejection.into_response().status(), "Bad Request", &detail)
        })?;
        handled.route = Some(ROUTE_KEY.to_owned());
        handled.function = Some(function.clone());
        let (trace, connection_id) = (Trace::start(), Live::new_id());
        handled.trace = Some(trace.clone());
        let time = OffsetDateTime::now_utc();
        let event = event(&Handshake {
            parts,
            client: &client,
            request_id,
            connection_id: &connection_id,
            trace: &trace,
            time,
        });
        let origin = Origin::for_request(request_id, trace);
        let answer = invoke(&self.runtime, function, origin, event.to_string()).await?;
        match status(&answer) {
            Some(status) if status.is_success() => {
                // Messages can be sent to the connection from now on, as on AWS only after the function has answered.
                let session = self.live.open(connection_id, client, time);
                let stopping = || error(StatusCode::SERVICE_UNAVAILABLE, "Service Unavailable", "the stack stops");
                session.map(|session| session.upgrade(upgrade)).ok_or_else(stopping)
            }
            Some(status) => {
                let message = status.canonical_reason().unwrap_or_default();
                Err(error(status, message, "the function of $connect does not admit the connection"))
            }
            None => {
                terminal::log(function, "malformed answer: it has no statusCode of a final response");
                Err(bad_gateway("the answer of the function is malformed; see the log of the stack"))
            }
        }
    }
}

/// Returns the status in the answer of the function, the only member that counts.
fn status(payload: &[u8]) -> Option<StatusCode> {
    let answer: Value = serde_json::from_slice(payload).ok()?;
    let status = StatusCode::from_u16(answer["statusCode"].as_u64()?.try_into().ok()?).ok()?;
    (!status.is_informational()).then_some(status)
}

/// A handshake, from which the event is built.
struct Handshake<'a> {
    parts: &'a Parts,
    client: &'a Client,
    request_id: &'a str,
    connection_id: &'a str,
    trace: &'a Trace,
    time: OffsetDateTime,
}

/// Returns the event of a [proxy
/// integration](https://docs.aws.amazon.com/apigateway/latest/developerguide/websocket-api-develop-integrations.html)
/// of the route `$connect`.
fn event(handshake: &Handshake) -> Value {
    let Handshake { parts, client, request_id, connection_id, trace, time } = handshake;
    let host = text(parts.headers.get(header::HOST));
    let domain = domain(&host);
    let mut headers = BTreeMap::<_, Vec<String>>::new();
    for (name, value) in &parts.headers {
        if !HOP_BY_HOP_HEADERS.contains(&name.as_str()) {
            headers.entry(as_browsers_write(name.as_str())).or_default().push(text(Some(value)));
        }
    }
    headers.entry("X-Forwarded-For".to_owned()).or_default().push(client.source_ip.to_string());
    let port = host[domain.len()..].strip_prefix(':').unwrap_or("80").to_owned();
    for (name, value) in
        [("X-Amzn-Trace-Id", trace.header()), ("X-Forwarded-Port", port), ("X-Forwarded-Proto", "http".to_owned())]
    {
        headers.insert(name.to_owned(), vec![value]);
    }
    let mut event = json!({
        "headers": last_values(&headers),
        "multiValueHeaders": headers,
        "requestContext": {
            "routeKey": ROUTE_KEY,
            "eventType": "CONNECT",
            "extendedRequestId": request_id,
            "requestTime": request_time(*time),
            "messageDirection": "IN",
            "stage": "live",
            "connectedAt": epoch_ms(*time),
            "requestTimeEpoch": epoch_ms(*time),
            "identity": client.identity(),
            "requestId": request_id,
            "domainName": domain,
            "connectionId": connection_id,
            "apiId": "local",
        },
        "isBase64Encoded": false,
    });
    let mut query = BTreeMap::<_, Vec<String>>::new();
    for (name, value) in url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()) {
        query.entry(name.into_owned()).or_default().push(value.into_owned());
    }
    if !query.is_empty() {
        event["queryStringParameters"] = json!(last_values(&query));
        event["multiValueQueryStringParameters"] = json!(query);
    }
    event
}

/// Returns the last value of each name.
fn last_values(all: &BTreeMap<String, Vec<String>>) -> BTreeMap<&String, Option<&String>> {
    all.iter().map(|(name, values)| (name, values.last())).collect()
}

/// Returns the name of a header as browsers write it, such as `User-Agent`. API Gateway passes names
/// as they were sent, and the stack has them in lower case only.
fn as_browsers_write(name: &str) -> String {
    let word = |word: &str| match word {
        "websocket" => "WebSocket".to_owned(),
        _ => word[..1.min(word.len())].to_uppercase() + word.get(1..).unwrap_or_default(),
    };
    name.split('-').map(word).collect::<Vec<_>>().join("-")
}
