//! The open connections of the WebSocket API, and the [API by which functions send
//! messages](https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-how-to-call-websocket-api-connections.html),
//! below [`LIVE_PATH`]: a local replacement of Amazon API Gateway.
//!
//! | request | |
//! |---|---|
//! | `GET /local/live` | opens a connection, if the function of the route `$connect` admits it |
//! | `POST /local/live/@connections/{id}` | sends a text message to the client |
//! | `GET` and `DELETE` of the same path | describes the connection, and closes it |
//! | `POST /local/live/cut` | ends all connections without a close frame, as a lost network does |
//!
//! Messages of clients are read and dropped: the route `$default` has a MOCK integration.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use base64::{Engine as _, engine::general_purpose::URL_SAFE};
use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep_until, timeout, timeout_at};
use tokio_tungstenite::tungstenite;
use uuid::Uuid;

use crate::activity::{Activity, epoch_ms, milliseconds};
use crate::trace::{TRACE_HEADER, Trace};

#[cfg(test)]
mod tests;

/// The path of the WebSocket API below the URL of the API.
pub const LIVE_PATH: &str = "/local/live";

/// The maximum size of a message, in both directions. This maximum and the next three are
/// [quotas](https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html).
pub const MAX_MESSAGE_BYTES: usize = 128 * 1024;

/// The maximum size of a frame of a client. API Gateway also
/// [counts](https://aws.amazon.com/api-gateway/pricing/) messages in units of this size.
pub const MAX_FRAME_BYTES: usize = 32 * 1024;

/// The time without a message after which a connection ends.
pub const IDLE_TIMEOUT: Duration = Duration::from_mins(10);

/// The time after which every connection ends.
pub const CONNECTION_TIMEOUT: Duration = Duration::from_hours(2);

/// The number of messages that wait for a client who reads slowly. AWS documents no number.
const MAX_WAITING_MESSAGES: usize = 64;

/// The time that a client has to answer a close frame.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// The WebSocket API.
pub struct Live {
    activity: Arc<Activity>,
    connections: Mutex<Connections>,
    /// [`IDLE_TIMEOUT`], or less in a test.
    idle_timeout: Duration,
    /// [`CONNECTION_TIMEOUT`], or less in a test.
    connection_timeout: Duration,
}

#[derive(Default)]
struct Connections {
    open: HashMap<String, Connection>,
    /// Whether the stack stops, so that no more connections open.
    is_closed: bool,
}

/// An open connection. When it is dropped, the client gets the waiting messages and a close frame.
struct Connection {
    messages: mpsc::Sender<Utf8Bytes>,
    /// Takes `messages` along, so that the session cannot see their end before it sees the cut.
    cut: oneshot::Sender<mpsc::Sender<Utf8Bytes>>,
    client: Client,
    connected_at: OffsetDateTime,
    last_active_at: OffsetDateTime,
}

/// The client of a connection, as the event of `$connect` and the API of functions describe it.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) source_ip: IpAddr,
    pub(crate) user_agent: String,
}

impl Client {
    /// Returns the member `identity`.
    pub(crate) fn identity(&self) -> Value {
        json!({"sourceIp": self.source_ip, "userAgent": self.user_agent})
    }
}

/// The side of a connection that has its socket. The connection ends when this is dropped.
pub(crate) struct Session {
    live: Arc<Live>,
    id: String,
    messages: mpsc::Receiver<Utf8Bytes>,
    cut: oneshot::Receiver<mpsc::Sender<Utf8Bytes>>,
}

/// An error of the API of functions: the status, the name of the exception, and the message.
type Refusal = (StatusCode, &'static str, &'static str);

const GONE: Refusal = (StatusCode::GONE, "GoneException", "the connection does not exist or has ended");

const TOO_LARGE: Refusal =
    (StatusCode::PAYLOAD_TOO_LARGE, "PayloadTooLargeException", "a message must not exceed 128 KB");

const FULL: Refusal =
    (StatusCode::TOO_MANY_REQUESTS, "LimitExceededException", "the client reads too slowly; 64 messages wait for it");

const NO_TEXT: Refusal = (StatusCode::BAD_REQUEST, "BadRequestException", "a message must be text in UTF-8");

impl Live {
    /// Creates the WebSocket API of a stack.
    #[must_use]
    pub fn new(activity: Arc<Activity>) -> Self {
        let (idle_timeout, connection_timeout) = (IDLE_TIMEOUT, CONNECTION_TIMEOUT);
        Self { activity, connections: Mutex::default(), idle_timeout, connection_timeout }
    }

    /// Returns an id for a connection: 11 bytes in base64, as API Gateway makes them.
    pub(crate) fn new_id() -> String {
        URL_SAFE.encode(&Uuid::new_v4().as_bytes()[..11])
    }

    /// Returns the ids of the open connections.
    #[must_use]
    pub fn connections(&self) -> Vec<String> {
        self.lock().open.keys().cloned().collect()
    }

    /// Opens a connection, to which messages can be sent from now on. Returns `None` if the stack
    /// stops.
    pub(crate) fn open(self: &Arc<Self>, id: String, client: Client, connected_at: OffsetDateTime) -> Option<Session> {
        let (sender, messages) = mpsc::channel(MAX_WAITING_MESSAGES);
        let (cut_sender, cut) = oneshot::channel();
        let connection =
            Connection { messages: sender, cut: cut_sender, client, connected_at, last_active_at: connected_at };
        let mut connections = self.lock();
        if connections.is_closed {
            return None;
        }
        connections.open.insert(id.clone(), connection);
        Some(Session { live: self.clone(), id, messages, cut })
    }

    /// Ends all connections without a close frame.
    pub fn cut(&self) {
        for (_, connection) in self.lock().open.drain() {
            // It fails if the connection has ended in the meantime.
            let _ = connection.cut.send(connection.messages);
        }
    }

    /// Closes all connections, and opens no more.
    pub fn close(&self) {
        let mut connections = self.lock();
        connections.is_closed = true;
        connections.open.clear();
    }

    /// Sends a text message to a client.
    fn send(&self, id: &str, body: Result<Bytes, BytesRejection>) -> Result<(), Refusal> {
        let body = body.map_err(|_| TOO_LARGE)?;
        if body.len() > MAX_MESSAGE_BYTES {
            return Err(TOO_LARGE);
        }
        let text = Utf8Bytes::try_from(body).map_err(|_| NO_TEXT)?;
        let connections = self.lock();
        let connection = connections.open.get(id).ok_or(GONE)?;
        connection.messages.try_send(text).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => FULL,
            mpsc::error::TrySendError::Closed(_) => GONE,
        })
    }

    /// Describes a connection.
    fn describe(&self, id: &str) -> Result<Value, Refusal> {
        let connections = self.lock();
        let connection = connections.open.get(id).ok_or(GONE)?;
        let time = |time: OffsetDateTime| time.format(&Rfc3339).unwrap_or_default();
        Ok(json!({
            "connectedAt": time(connection.connected_at),
            "identity": connection.client.identity(),
            "lastActiveAt": time(connection.last_active_at),
        }))
    }

    /// Notes that a connection has sent or got a message.
    fn touch(&self, id: &str) {
        if let Some(connection) = self.lock().open.get_mut(id) {
            connection.last_active_at = OffsetDateTime::now_utc();
        }
    }

    fn remove(&self, id: &str) -> Option<Connection> {
        self.lock().open.remove(id)
    }

    fn lock(&self) -> MutexGuard<'_, Connections> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.live.remove(&self.id);
    }
}

impl Session {
    /// Answers the handshake, and serves the connection after it.
    pub(crate) fn upgrade(self, upgrade: WebSocketUpgrade) -> Response {
        let upgrade = upgrade.max_frame_size(MAX_FRAME_BYTES).max_message_size(MAX_MESSAGE_BYTES);
        upgrade.on_upgrade(|socket| self.serve(socket))
    }

    async fn serve(mut self, mut socket: WebSocket) {
        let Self { live, id, messages, cut } = &mut self;
        let code = tokio::select! {
            // Dropped now, the socket sends no close frame.
            Ok(_) = cut => return,
            code = exchange(live, id, messages, &mut socket) => code,
        };
        // Nobody finds the connection while it closes.
        drop(self);
        if let Some(code) = code {
            let _ = timeout(CLOSE_TIMEOUT, close(socket, code)).await;
        }
    }
}

/// Passes messages to a client and drops those of the client, until the connection ends. Returns
/// the [status
/// code](https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-overview.html)
/// that the client has to get, or `None` if the client has left.
async fn exchange(
    live: &Live,
    id: &str,
    messages: &mut mpsc::Receiver<Utf8Bytes>,
    socket: &mut WebSocket,
) -> Option<u16> {
    let end = tokio::time::Instant::now() + live.connection_timeout;
    let mut idle_end = tokio::time::Instant::now() + live.idle_timeout;
    loop {
        tokio::select! {
            message = messages.recv() => match message {
                // A client that does not read gets no close frame either.
                Some(text) => timeout_at(end.min(idle_end), socket.send(Message::Text(text))).await.ok()?.ok()?,
                None => return Some(close_code::NORMAL),
            },
            received = socket.recv() => match received? {
                Ok(Message::Text(_)) => {}
                Ok(Message::Binary(_)) => return Some(close_code::UNSUPPORTED),
                Ok(Message::Close(_)) => {
                    live.remove(id);
                    // This answers the close frame.
                    let _ = timeout(CLOSE_TIMEOUT, socket.recv()).await;
                    return None;
                }
                // AWS does not document whether these keep a connection. That they do not is the
                // worst for a client.
                Ok(Message::Ping(_) | Message::Pong(_)) => continue,
                Err(error) => return is_too_large(&error).then_some(close_code::SIZE),
            },
            () = sleep_until(end.min(idle_end)) => return Some(close_code::AWAY),
        }
        idle_end = tokio::time::Instant::now() + live.idle_timeout;
        live.touch(id);
    }
}

/// Returns whether a client has sent a message or a frame that is too large.
fn is_too_large(error: &axum::Error) -> bool {
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<tungstenite::Error>());
    matches!(cause, Some(tungstenite::Error::Capacity(_)))
}

/// Sends a close frame, and waits for that of the client.
async fn close(mut socket: WebSocket, code: u16) {
    let frame = CloseFrame { code, reason: Utf8Bytes::default() };
    if socket.send(Message::Close(Some(frame))).await.is_ok() {
        while let Some(Ok(_)) = socket.recv().await {}
    }
}

/// Returns a router of the API of functions, and of what ends connections.
pub(crate) fn router(live: Arc<Live>) -> Router {
    Router::new()
        .route(&format!("{LIVE_PATH}/@connections/{{id}}"), post(send).get(describe).delete(delete))
        .route(&format!("{LIVE_PATH}/cut"), post(cut))
        .with_state(live)
}

async fn send(
    State(live): State<Arc<Live>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let bytes = body.as_ref().map_or(0, Bytes::len);
    let act = || live.send(&id, body).map(|()| StatusCode::OK.into_response());
    answer(&live, &headers, "PostToConnection", bytes, act)
}

async fn describe(State(live): State<Arc<Live>>, Path(id): Path<String>, headers: HeaderMap) -> Response {
    let act = || live.describe(&id).map(|connection| Json(connection).into_response());
    answer(&live, &headers, "GetConnection", 0, act)
}

async fn delete(State(live): State<Arc<Live>>, Path(id): Path<String>, headers: HeaderMap) -> Response {
    let act = || live.remove(&id).map(|_| StatusCode::NO_CONTENT.into_response()).ok_or(GONE);
    answer(&live, &headers, "DeleteConnection", 0, act)
}

/// Returns the answer to a request of a function, and publishes it if it has a trace.
fn answer(
    live: &Live,
    headers: &HeaderMap,
    operation: &str,
    bytes: usize,
    act: impl FnOnce() -> Result<Response, Refusal>,
) -> Response {
    let (time, begin) = (SystemTime::now(), Instant::now());
    let response = act().unwrap_or_else(|(status, exception, message)| {
        (status, [("x-amzn-errortype", exception)], Json(json!({"message": message}))).into_response()
    });
    let response = ([("x-amzn-requestid", Uuid::new_v4().to_string())], response).into_response();
    let trace = headers.get(TRACE_HEADER).and_then(|value| Trace::from_header(value.to_str().ok()?));
    if let Some(trace) = trace {
        live.activity.publish(|| {
            json!({
                "type": "live",
                "trace": trace.to_string(),
                "time": epoch_ms(time),
                "ms": milliseconds(begin.elapsed()),
                "operation": operation,
                "status": response.status().as_u16(),
                "messages": if response.status().is_success() { bytes.div_ceil(MAX_FRAME_BYTES) } else { 0 },
            })
        });
    }
    response
}

async fn cut(State(live): State<Arc<Live>>) -> StatusCode {
    live.cut();
    StatusCode::NO_CONTENT
}
