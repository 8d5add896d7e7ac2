//! Publishes requests of the API with their responses to the watchers of the stack.

use std::time::{Instant, SystemTime};

use axum::{
    body::{Body, Bytes, to_bytes},
    http::{HeaderMap, HeaderValue, header, request::Parts},
    response::Response,
};
use serde_json::{Map, Value, json};
use shared::http::gzip;
use uuid::Uuid;

use crate::activity::{Activity, epoch_ms, milliseconds, text_of};
use crate::trace::Trace;

/// The arrival of a request.
pub(super) struct Arrival {
    /// The id that the gateway gives the request.
    pub(super) id: String,
    /// The time, if somebody watches the stack.
    time: Option<(SystemTime, Instant)>,
}

impl Arrival {
    /// Returns the arrival of a request now.
    pub(super) fn now(activity: &Activity) -> Self {
        let time = activity.is_watched().then(|| (SystemTime::now(), Instant::now()));
        Self { id: Uuid::new_v4().to_string(), time }
    }

    /// Returns the response, with the id of the request. Publishes both if somebody watches.
    pub(super) async fn answer(
        self,
        activity: &Activity,
        parts: &Parts,
        handled: Handled,
        response: Result<Response, Response>,
    ) -> Response {
        let mut response = response.unwrap_or_else(|error| error);
        if let Ok(id) = HeaderValue::try_from(&self.id) {
            response.headers_mut().insert("apigw-requestid", id);
        }
        let Some((time, begin)) = self.time else {
            return response;
        };
        let duration = begin.elapsed();
        let (answer, body) = response.into_parts();
        // The answer is complete, so reading it neither waits nor fails.
        let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
        activity.publish(|| {
            let Handled { route, function, user, trace, body: request_body } = handled;
            let (request_text, request_cut) = text_of(&request_body);
            let is_compressed = answer.headers.contains_key(header::CONTENT_ENCODING);
            let decompressed = is_compressed.then(|| gzip::decompress(&body)).flatten();
            let (answer_text, answer_cut) = text_of(decompressed.as_deref().unwrap_or(&body));
            let mut event = json!({
                "type": "request",
                "id": self.id,
                "trace": trace.map(|trace| trace.to_string()),
                "time": epoch_ms(time),
                "ms": milliseconds(duration),
                "method": parts.method.as_str(),
                "path": parts.uri.path_and_query().map_or("/", |path| path.as_str()),
                "route": route,
                "function": function,
                "headers": headers(&parts.headers),
                "body": request_text,
                "status": answer.status.as_u16(),
                "answerHeaders": headers(&answer.headers),
                "answer": answer_text,
                "user": user,
            });
            if request_cut || answer_cut {
                event["cut"] = json!(true);
            }
            event
        });
        Response::from_parts(answer, Body::from(body))
    }
}

/// The facts about a request that the gateway has learned until it answered.
#[derive(Default)]
pub(super) struct Handled {
    pub(super) route: Option<String>,
    pub(super) function: Option<String>,
    /// The username in the token.
    pub(super) user: Option<String>,
    /// The trace, if the function was invoked.
    pub(super) trace: Option<Trace>,
    pub(super) body: Bytes,
}

/// Returns headers by name. Repeated ones are joined, and the token is left out.
fn headers(headers: &HeaderMap) -> Value {
    let names = headers.keys().filter(|name| **name != header::AUTHORIZATION);
    let joined = |name| {
        let values = headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
        values.collect::<Vec<_>>().join(", ")
    };
    names.map(|name| (name.as_str().to_owned(), Value::from(joined(name)))).collect::<Map<_, _>>().into()
}
