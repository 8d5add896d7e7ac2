//! The push service of a browser, below [`PUSH_PATH`]: a local replacement of what Chrome, Firefox
//! and Safari have on the internet.
//!
//! | request | |
//! |---|---|
//! | `POST /local/push` | subscribes, and answers the endpoint of the subscription |
//! | `POST` to an endpoint | takes a message, as [RFC 8030](https://www.rfc-editor.org/rfc/rfc8030) and [RFC 8292](https://www.rfc-editor.org/rfc/rfc8292) say |
//! | `GET` of an endpoint | sends the messages, as server-sent events, each of them once |
//! | `DELETE` of an endpoint | ends the subscription |
//!
//! A message waits until a window listens, whatever its TTL is. The service cannot decrypt it.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use futures_util::{Stream, stream};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde::Deserialize;
use serde_json::{Value, json};
use time::OffsetDateTime;
use tokio::sync::watch;
use uuid::Uuid;

#[cfg(test)]
mod tests;

/// The path of the push service below the URL of the API.
pub const PUSH_PATH: &str = "/local/push";

/// The maximum size of a message, as at [all push
/// services](https://www.rfc-editor.org/rfc/rfc8030#section-7.2).
const MAX_MESSAGE_BYTES: usize = 4096;

/// The maximum time for which a token is valid: [24
/// hours](https://www.rfc-editor.org/rfc/rfc8292#section-2).
const MAX_TOKEN_SECONDS: i64 = 24 * 60 * 60;

/// The maximum length of a [topic](https://www.rfc-editor.org/rfc/rfc8030#section-5.4).
const MAX_TOPIC_LENGTH: usize = 32;

/// The values of the header [Urgency](https://www.rfc-editor.org/rfc/rfc8030#section-5.3).
const URGENCIES: [&str; 4] = ["very-low", "low", "normal", "high"];

/// The push service.
pub struct Push {
    /// The origin of the endpoints: the API, as people open it.
    origin: String,
    /// The subscriptions by their ids. One that has ended is `None`.
    subscriptions: Mutex<HashMap<String, Option<Subscription>>>,
}

#[derive(Default)]
struct Subscription {
    application_server_key: String,
    received: Vec<Message>,
    waiting: watch::Sender<VecDeque<Message>>,
}

/// A message that a subscription has got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The encrypted text.
    pub body: Bytes,
    /// The header TTL: the seconds for which a push service keeps the message.
    pub ttl: u32,
    /// The header Urgency.
    pub urgency: Option<String>,
    /// The header Topic. The message replaces a waiting one with the same topic.
    pub topic: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Subscribe {
    application_server_key: String,
}

type Refusal = (StatusCode, String);

fn refuse<T>(status: StatusCode, reason: impl Into<String>) -> Result<T, Refusal> {
    Err((status, reason.into() + "\n"))
}

impl Push {
    /// Creates the push service of the API at this URL.
    #[must_use]
    pub fn new(api: &str) -> Self {
        Self { origin: api.replace("127.0.0.1", "localhost"), subscriptions: Mutex::default() }
    }

    /// Returns all messages that the subscription with this endpoint has got, or `None` if it has
    /// ended.
    #[must_use]
    pub fn messages(&self, endpoint: &str) -> Option<Vec<Message>> {
        let id = endpoint.rsplit('/').next().unwrap_or_default();
        self.with(id, |subscription| subscription.received.clone()).ok()
    }

    /// Subscribes with the public key of an application server, and returns the endpoint.
    pub fn subscribe(&self, application_server_key: &str) -> Result<String, (StatusCode, String)> {
        let point = URL_SAFE_NO_PAD.decode(application_server_key).unwrap_or_default();
        if point.len() != 65 || point[0] != 4 {
            return refuse(
                StatusCode::BAD_REQUEST,
                "applicationServerKey is not an uncompressed point of P-256 in base64url",
            );
        }
        let id = Uuid::new_v4().simple().to_string();
        let endpoint = format!("{}{PUSH_PATH}/{id}", self.origin);
        let subscription =
            Subscription { application_server_key: application_server_key.to_owned(), ..Subscription::default() };
        self.lock().insert(id, Some(subscription));
        Ok(endpoint)
    }

    /// Ends all subscriptions.
    pub fn close(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Option<Subscription>>> {
        self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what `act` makes of a subscription.
    fn with<T>(&self, id: &str, act: impl FnOnce(&mut Subscription) -> T) -> Result<T, Refusal> {
        match self.lock().get_mut(id) {
            Some(Some(subscription)) => Ok(act(subscription)),
            Some(None) => refuse(StatusCode::GONE, "the subscription has ended"),
            None => refuse(StatusCode::NOT_FOUND, "there is no such subscription"),
        }
    }

    /// Keeps a message for the windows that listen.
    fn keep(&self, id: &str, headers: &HeaderMap, body: Bytes) -> Result<(), Refusal> {
        let key = self.with(id, |subscription| subscription.application_server_key.clone())?;
        self.authorize(&key, headers)?;
        if body.len() > MAX_MESSAGE_BYTES {
            let reason = format!("a message must not exceed {MAX_MESSAGE_BYTES} bytes");
            return refuse(StatusCode::PAYLOAD_TOO_LARGE, reason);
        }
        let message = message(headers, body).map_err(|reason| (StatusCode::BAD_REQUEST, format!("{reason}\n")))?;
        self.with(id, |subscription| {
            subscription.received.push(message.clone());
            subscription.waiting.send_modify(|waiting| {
                waiting.retain(|other| other.topic.is_none() || other.topic != message.topic);
                waiting.push_back(message);
            });
        })
    }

    /// Checks the token of an application server with this public key.
    fn authorize(&self, key: &str, headers: &HeaderMap) -> Result<(), Refusal> {
        let Some(authorization) = text(headers, header::AUTHORIZATION.as_str()) else {
            return refuse(StatusCode::UNAUTHORIZED, "the header Authorization is missing");
        };
        let claims = claims(authorization, key).ok_or_else(|| {
            let reason =
                "Authorization is not `vapid t=…, k=…` with a token that the key of the subscription has signed";
            (StatusCode::FORBIDDEN, format!("{reason}\n"))
        })?;
        let lifetime = claims["exp"].as_i64().unwrap_or_default() - OffsetDateTime::now_utc().unix_timestamp();
        let subject = claims["sub"].as_str().unwrap_or_default();
        if claims["aud"] != *self.origin {
            refuse(StatusCode::FORBIDDEN, format!("aud has to be {}", self.origin))
        } else if !(1..=MAX_TOKEN_SECONDS).contains(&lifetime) {
            refuse(StatusCode::FORBIDDEN, "exp has to be within the next 24 hours")
        // The stack has no TLS.
        } else if !["mailto:", "https:", &*self.origin].iter().any(|scheme| subject.starts_with(scheme)) {
            refuse(StatusCode::FORBIDDEN, "sub has to be a URL that begins with mailto: or https:")
        } else {
            Ok(())
        }
    }
}

/// Returns the claims of a token that this key has signed.
fn claims(authorization: &str, key: &str) -> Option<Value> {
    let parameters = authorization.strip_prefix("vapid ")?.split(',');
    let parameters: HashMap<_, _> = parameters.filter_map(|part| part.trim().split_once('=')).collect();
    let token = parameters.get("t")?;
    let (message, signature) = token.rsplit_once('.')?;
    let (head, claims) = message.split_once('.')?;
    let json = |part: &str| serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(part).ok()?).ok();
    let is_own = *parameters.get("k")? == key && json(head)?["alg"] == "ES256";
    let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, URL_SAFE_NO_PAD.decode(key).ok()?);
    public.verify(message.as_bytes(), &URL_SAFE_NO_PAD.decode(signature).ok()?).ok()?;
    json(claims).filter(|_| is_own)
}

/// Returns the message of a request, or why it is none.
fn message(headers: &HeaderMap, body: Bytes) -> Result<Message, &'static str> {
    if text(headers, header::CONTENT_ENCODING.as_str()) != Some("aes128gcm") {
        return Err("Content-Encoding has to be aes128gcm");
    }
    let ttl = text(headers, "ttl").and_then(|ttl| ttl.parse().ok()).ok_or("TTL has to be a number of seconds")?;
    let urgency = text(headers, "urgency").map(str::to_owned);
    if urgency.as_deref().is_some_and(|urgency| !URGENCIES.contains(&urgency)) {
        return Err("Urgency has to be very-low, low, normal or high");
    }
    let topic = text(headers, "topic").map(str::to_owned);
    let is_topic = |topic: &String| {
        (1..=MAX_TOPIC_LENGTH).contains(&topic.len())
            && topic.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    if topic.as_ref().is_some_and(|topic| !is_topic(topic)) {
        return Err("Topic has to be 1 to 32 characters of base64url");
    }
    Ok(Message { body, ttl, urgency, topic })
}

/// Returns the value of a header, and an empty text if it is not ASCII.
fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).map(|value| value.to_str().unwrap_or_default())
}

/// Returns a router of the push service.
pub fn router(service: Arc<Push>) -> Router {
    Router::new()
        .route(PUSH_PATH, post(subscribe))
        .route(&format!("{PUSH_PATH}/{{id}}"), post(send).get(listen).delete(end))
        .with_state(service)
}

async fn subscribe(
    State(service): State<Arc<Push>>,
    Json(request): Json<Subscribe>,
) -> Result<(StatusCode, Json<Value>), Refusal> {
    let endpoint = service.subscribe(&request.application_server_key)?;
    Ok((StatusCode::CREATED, Json(json!({"endpoint": endpoint}))))
}

async fn send(
    State(service): State<Arc<Push>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    service.keep(&id, &headers, body)?;
    let location = format!("{}{PUSH_PATH}/{id}/messages/{}", service.origin, Uuid::new_v4());
    Ok((StatusCode::CREATED, [(header::LOCATION, location)]).into_response())
}

/// Sends the messages of a subscription until the client leaves or the subscription ends.
async fn listen(
    State(service): State<Arc<Push>>,
    Path(id): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Refusal> {
    let changes = service.with(&id, |subscription| subscription.waiting.subscribe())?;
    let messages = stream::unfold((service, id, changes), |(service, id, mut changes)| async move {
        loop {
            let mut message = None;
            let take = |waiting: &mut VecDeque<Message>| {
                message = waiting.pop_front();
                false
            };
            service.with(&id, |subscription| subscription.waiting.send_if_modified(take)).ok()?;
            if let Some(message) = message {
                let event = Event::default().data(URL_SAFE_NO_PAD.encode(message.body));
                return Some((Ok(event), (service, id, changes)));
            }
            changes.changed().await.ok()?;
        }
    });
    Ok(Sse::new(messages).keep_alive(KeepAlive::default()))
}

async fn end(State(service): State<Arc<Push>>, Path(id): Path<String>) -> Result<StatusCode, Refusal> {
    service.with(&id, |_| ())?;
    service.lock().insert(id, None);
    Ok(StatusCode::NO_CONTENT)
}
