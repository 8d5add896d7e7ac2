//! The outbox: a local replacement of Amazon SES and of the dead-letter queues. It keeps the
//! e-mails that functions have sent, and one message for each stream record or event that was given
//! up. `GET /local/outbox` shows both. The module `sqs` is the API through which a program receives
//! and deletes the messages. After `PUT /local/outbox/hang`, Amazon SES answers nobody until
//! `DELETE /local/outbox/hang`.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use axum::{
    Json, Router,
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::{HeaderValue, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post, put},
};
use serde::Serialize;
use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tokio::sync::watch;
use uuid::Uuid;

/// The path of Amazon SES below the URL of the API.
pub const SES_PATH: &str = "/local/ses";

/// The maximum number of recipients of
/// [one message](https://docs.aws.amazon.com/ses/latest/dg/quotas.html).
const MAX_RECIPIENTS: usize = 50;

/// The e-mails and messages that were sent, oldest first.
#[derive(Default)]
pub struct Outbox {
    contents: Mutex<Contents>,
    /// Whether Amazon SES hangs.
    hangs: watch::Sender<bool>,
}

#[derive(Default, Serialize)]
struct Contents {
    emails: Vec<Email>,
    failures: Vec<OnFailureMessage>,
}

/// An e-mail.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Email {
    message_id: String,
    from: String,
    to: Vec<String>,
    subject: String,
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<String>,
    sent_at: String,
}

/// A message to an on-failure queue.
#[derive(Clone, Serialize)]
pub(super) struct OnFailureMessage {
    function: String,
    queue: String,
    pub(super) message: Value,
    #[serde(skip)]
    pub(super) id: String,
    /// The time from which on a reader of the queue gets the message.
    #[serde(skip)]
    visible_from: Option<Instant>,
}

impl Outbox {
    /// Keeps the message that `queue` would get about a batch that `function` could not process.
    pub(crate) fn fail(&self, function: &str, queue: &str, message: Value) {
        let (function, queue, id) = (function.to_owned(), queue.to_owned(), Uuid::new_v4().to_string());
        self.lock().failures.push(OnFailureMessage { function, queue, message, id, visible_from: None });
    }

    /// Returns the oldest visible messages of a queue, and hides them for a time.
    pub(super) fn receive(&self, queue: &str, max: usize, hidden_for: Duration) -> Vec<OnFailureMessage> {
        let now = Instant::now();
        let mut contents = self.lock();
        let visible = contents.failures.iter_mut().filter(|failure| failure.queue == queue);
        let visible = visible.filter(|failure| failure.visible_from.is_none_or(|time| time <= now)).take(max);
        let hide = |failure: &mut OnFailureMessage| {
            failure.visible_from = Some(now + hidden_for);
            failure.clone()
        };
        visible.map(hide).collect()
    }

    /// Hides a message for a time, and returns whether it exists. With no time, it is visible
    /// again.
    pub(super) fn hide(&self, id: &str, time: Duration) -> bool {
        let mut contents = self.lock();
        let message = contents.failures.iter_mut().find(|failure| failure.id == id);
        message.map(|failure| failure.visible_from = Some(Instant::now() + time)).is_some()
    }

    /// Deletes a message if it exists.
    pub(super) fn delete(&self, id: &str) {
        self.lock().failures.retain(|failure| failure.id != id);
    }

    /// Keeps the e-mail of a
    /// [`SendEmail`](https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html)
    /// request and returns its message id. Other members than those of [`Email`], for example tags,
    /// are ignored. An error becomes the answer to the caller.
    fn send(&self, request: &[u8]) -> Result<String> {
        let request: Value = serde_json::from_slice(request)?;
        let text = |path: &str| request.pointer(path).and_then(Value::as_str).map(str::to_owned);
        let addresses = |kind: &str| -> Vec<String> {
            let addresses = request["Destination"][kind].as_array().into_iter().flatten();
            addresses.filter_map(|address| address.as_str().map(str::to_owned)).collect()
        };
        ensure!(request["Content"]["Simple"].is_object(), "the local stack sends messages with Simple content only");
        let from = text("/FromEmailAddress").context("FromEmailAddress is missing")?;
        let recipients = ["ToAddresses", "CcAddresses", "BccAddresses"].map(addresses).concat();
        ensure!(!recipients.is_empty(), "the message has no recipient");
        ensure!(recipients.len() <= MAX_RECIPIENTS, "the message has more than {MAX_RECIPIENTS} recipients");
        if let Some(bad) = recipients.iter().chain([&from]).find(|address| !is_address(address)) {
            bail!("not an e-mail address: {bad}");
        }
        let email = Email {
            message_id: Uuid::new_v4().to_string(),
            from,
            to: addresses("ToAddresses"),
            subject: text("/Content/Simple/Subject/Data").context("the message has no subject")?,
            text: text("/Content/Simple/Body/Text/Data"),
            html: text("/Content/Simple/Body/Html/Data"),
            sent_at: OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default(),
        };
        ensure!(email.text.is_some() || email.html.is_some(), "the message has neither text nor HTML");
        let message_id = email.message_id.clone();
        self.lock().emails.push(email);
        Ok(message_id)
    }

    /// Lets Amazon SES hang, or serve again.
    pub fn set_hanging(&self, hangs: bool) {
        self.hangs.send_replace(hangs);
    }

    /// Returns the contents as `GET /local/outbox` shows them.
    #[must_use]
    pub fn contents(&self) -> Value {
        json!(*self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether a text looks like an address: `ada@example.com` or `Ada <ada@example.com>`. The
/// part before the `@` is
/// [ASCII](https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_Destination.html).
fn is_address(text: &str) -> bool {
    let address = match text.strip_suffix('>').and_then(|text| text.rsplit_once('<')) {
        Some((_, address)) => address,
        None => text,
    };
    address.rsplit_once('@').is_some_and(|(local, domain)| {
        let is_clean = |part: &str| {
            !part.is_empty()
                && !part
                    .contains(|letter: char| letter.is_whitespace() || letter.is_control() || "<>,;".contains(letter))
        };
        local.is_ascii() && is_clean(local) && is_clean(domain)
    })
}

/// Returns a router of `GET /local/outbox` and of Amazon SES.
pub(crate) fn router(outbox: Arc<Outbox>) -> Router {
    Router::new()
        .route("/local/outbox", get(show))
        .route("/local/outbox/hang", put(hang).delete(serve))
        .with_state(outbox.clone())
        .merge(ses(outbox))
}

async fn hang(State(outbox): State<Arc<Outbox>>) -> StatusCode {
    outbox.set_hanging(true);
    StatusCode::NO_CONTENT
}

async fn serve(State(outbox): State<Arc<Outbox>>) -> StatusCode {
    outbox.set_hanging(false);
    StatusCode::NO_CONTENT
}

async fn show(State(outbox): State<Arc<Outbox>>) -> Json<Value> {
    Json(outbox.contents())
}

/// Returns a router of Amazon SES below [`SES_PATH`]. Its only route is `POST
/// /v2/email/outbound-emails`.
pub fn ses<S>(outbox: Arc<Outbox>) -> Router<S> {
    Router::new().route(&format!("{SES_PATH}/v2/email/outbound-emails"), post(send)).with_state(outbox)
}

async fn send(State(outbox): State<Arc<Outbox>>, body: Result<Bytes, BytesRejection>) -> Response {
    // A client that gives up ends this.
    let _ = outbox.hangs.subscribe().wait_for(|hangs| !hangs).await;
    let mut response = match body.map_err(Into::into).and_then(|body| outbox.send(&body)) {
        Ok(message_id) => Json(json!({"MessageId": message_id})).into_response(),
        Err(error) => {
            let kind = [("x-amzn-errortype", "BadRequestException")];
            (StatusCode::BAD_REQUEST, kind, Json(json!({"message": error.to_string()}))).into_response()
        }
    };
    if let Ok(id) = HeaderValue::try_from(Uuid::new_v4().to_string()) {
        response.headers_mut().insert("x-amzn-requestid", id);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Value {
        json!({
            "FromEmailAddress": "Quick Photos <hello@example.com>",
            "Destination": {"ToAddresses": ["ada@example.com"]},
            "Content": {"Simple": {
                "Subject": {"Data": "Welcome", "Charset": "UTF-8"},
                "Body": {"Text": {"Data": "Hello Ada", "Charset": "UTF-8"}},
            }},
            "EmailTags": [{"Name": "kind", "Value": "welcome"}],
        })
    }

    #[test]
    fn keeps_emails_in_order() {
        let outbox = Outbox::default();
        let first = outbox.send(request().to_string().as_bytes()).unwrap();
        let mut html = request();
        html["Content"]["Simple"]["Body"] = json!({"Html": {"Data": "<p>Hello"}});
        let second = outbox.send(html.to_string().as_bytes()).unwrap();
        outbox.fail("process-changes", "lost", json!({"version": "1.0"}));
        let mut contents = outbox.contents();
        for email in contents["emails"].as_array_mut().unwrap() {
            let sent_at = email.as_object_mut().unwrap().remove("sentAt").unwrap();
            assert!(OffsetDateTime::parse(sent_at.as_str().unwrap(), &Rfc3339).is_ok());
        }
        let (from, to) = ("Quick Photos <hello@example.com>", ["ada@example.com"]);
        assert_eq!(
            contents,
            json!({
                "emails": [
                    {"messageId": first, "from": from, "to": to, "subject": "Welcome", "text": "Hello Ada"},
                    {"messageId": second, "from": from, "to": to, "subject": "Welcome", "text": null, "html": "<p>Hello"},
                ],
                "failures": [{"function": "process-changes", "queue": "lost", "message": {"version": "1.0"}}],
            })
        );
    }

    #[test]
    fn rejects_what_ses_rejects() {
        let outbox = Outbox::default();
        for (place, value, message) in [
            ("/FromEmailAddress", json!(null), "FromEmailAddress is missing"),
            ("/FromEmailAddress", json!("nobody"), "not an e-mail address: nobody"),
            ("/Destination", json!({}), "the message has no recipient"),
            ("/Destination/ToAddresses", json!(vec!["a@b.c"; 51]), "the message has more than 50 recipients"),
            ("/Destination/ToAddresses", json!(["Ada <ada>"]), "not an e-mail address: Ada <ada>"),
            ("/Content", json!({"Raw": {"Data": ""}}), "the local stack sends messages with Simple content only"),
            ("/Content/Simple/Body", json!({}), "the message has neither text nor HTML"),
            ("/Content/Simple/Subject", json!({}), "the message has no subject"),
        ] {
            let mut request = request();
            *request.pointer_mut(place).unwrap() = value;
            let error = outbox.send(request.to_string().as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with(message), "{place}: {error}");
        }
        assert!(outbox.send(b"{").is_err());
        assert!(outbox.lock().emails.is_empty());
    }
}
