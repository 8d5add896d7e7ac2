//! The outbox: a local replacement of Amazon SES, of AWS End User Messaging and of the dead-letter
//! queues. It keeps the e-mails and the push notifications to phones that functions have sent, and
//! one message for each stream record or event that was given up. `GET /local/outbox` shows them.
//! The module `sqs` is the API through which a program receives and deletes the messages.
//!
//! The phone of a token that begins with `gone` has no app any more, and that of one that begins
//! with `busy` gets too many messages.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, State, rejection::BytesRejection},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tokio::sync::watch;
use uuid::Uuid;

/// The path of Amazon SES below the URL of the API.
pub(crate) const SES_PATH: &str = "/local/ses";

/// The path of AWS End User Messaging below the URL of the API. It was Amazon Pinpoint.
pub(crate) const PINPOINT_PATH: &str = "/local/pinpoint";

/// The maximum number of recipients of
/// [one message](https://docs.aws.amazon.com/ses/latest/dg/quotas.html).
const MAX_RECIPIENTS: usize = 50;

/// The maximum number of addresses of
/// [one request](https://docs.aws.amazon.com/pinpoint/latest/developerguide/quotas.html).
const MAX_ADDRESSES: usize = 100;

/// The e-mails, pushes and messages that were sent, oldest first.
#[derive(Default)]
pub struct Outbox {
    contents: Mutex<Contents>,
    /// Whether Amazon SES and AWS End User Messaging hang.
    hangs: watch::Sender<bool>,
}

#[derive(Default, Serialize)]
struct Contents {
    emails: Vec<Email>,
    pushes: Vec<Push>,
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

/// A push notification to a phone.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Push {
    /// `APNS` or `GCM`.
    channel: String,
    token: String,
    title: Value,
    body: Value,
    badge: Value,
    collapse_key: Value,
    data: Value,
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
            sent_at: now(),
        };
        ensure!(email.text.is_some() || email.html.is_some(), "the message has neither text nor HTML");
        let message_id = email.message_id.clone();
        self.lock().emails.push(email);
        Ok(message_id)
    }

    /// Keeps the pushes of a
    /// [`SendMessages`](https://docs.aws.amazon.com/pinpoint/latest/apireference/apps-application-id-messages.html)
    /// request and returns the answer, which says of each token what became of its push. An error
    /// becomes the answer to the caller.
    fn push(&self, application: &str, request: &[u8]) -> Result<Value> {
        let request: Value = serde_json::from_slice(request)?;
        let addresses = request["Addresses"].as_object().filter(|addresses| !addresses.is_empty());
        let addresses = addresses.context("the request has no address")?;
        ensure!(addresses.len() <= MAX_ADDRESSES, "the request has more than {MAX_ADDRESSES} addresses");
        let (mut pushes, mut results) = (vec![], Map::new());
        for (token, address) in addresses {
            let channel = address["ChannelType"].as_str().unwrap_or_default();
            let name = match channel {
                "APNS" => "APNSMessage",
                "GCM" => "GCMMessage",
                _ => bail!("the local stack sends to the channels APNS and GCM only, not to {channel:?}"),
            };
            let message = &request["MessageConfiguration"][name];
            let content =
                message["RawContent"].as_str().and_then(|content| serde_json::from_str::<Value>(content).ok());
            let content = content.with_context(|| format!("{name} has no JSON as its RawContent"))?;
            let (shown, badge, collapse_key, data) = if channel == "APNS" {
                (&content["aps"]["alert"], &content["aps"]["badge"], &message["CollapseId"], &content["data"])
            } else {
                let message = &content["fcmV1Message"]["message"];
                (&message["notification"], &Value::Null, &message["android"]["collapse_key"], &message["data"])
            };
            ensure!(shown["title"].is_string(), "the RawContent of {name} shows no title");
            let texts = data.as_object();
            ensure!(texts.is_none_or(|texts| texts.values().all(Value::is_string)), "data has a value that is no text");
            let (status, code) = if token.starts_with("gone") {
                ("PERMANENT_FAILURE", 410)
            } else if token.starts_with("busy") {
                ("THROTTLED", 429)
            } else {
                ("SUCCESSFUL", 200)
            };
            let result = json!({"DeliveryStatus": status, "StatusCode": code, "MessageId": Uuid::new_v4().to_string()});
            results.insert(token.clone(), result);
            if code == 200 {
                pushes.push(Push {
                    channel: channel.to_owned(),
                    token: token.clone(),
                    title: shown["title"].clone(),
                    body: shown["body"].clone(),
                    badge: badge.clone(),
                    collapse_key: collapse_key.clone(),
                    data: data.clone(),
                    sent_at: now(),
                });
            }
        }
        self.lock().pushes.extend(pushes);
        Ok(json!({"ApplicationId": application, "RequestId": Uuid::new_v4().to_string(), "Result": results}))
    }

    /// Lets Amazon SES and AWS End User Messaging hang, or serve again.
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

fn now() -> String {
    OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default()
}

/// Returns a router of `GET /local/outbox`, of Amazon SES below [`SES_PATH`], and of AWS End User Messaging
/// below [`PINPOINT_PATH`]. Each service has one route.
pub fn router(outbox: Arc<Outbox>) -> Router {
    Router::new()
        .route("/local/outbox", get(show))
        .route(&format!("{SES_PATH}/v2/email/outbound-emails"), post(send))
        .route(&format!("{PINPOINT_PATH}/v1/apps/{{application}}/messages"), post(push))
        .with_state(outbox)
}

async fn show(State(outbox): State<Arc<Outbox>>) -> Json<Value> {
    Json(outbox.contents())
}

async fn send(State(outbox): State<Arc<Outbox>>, body: Result<Bytes, BytesRejection>) -> Response {
    answer(&outbox, body, |body| Ok(json!({"MessageId": outbox.send(&body)?}))).await
}

async fn push(
    State(outbox): State<Arc<Outbox>>,
    Path(application): Path<String>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    answer(&outbox, body, |body| outbox.push(&application, &body)).await
}

/// Returns the answer of a service to a request, as soon as it does not hang. A client that gives up
/// ends this.
async fn answer(
    outbox: &Outbox,
    body: Result<Bytes, BytesRejection>,
    act: impl FnOnce(Bytes) -> Result<Value>,
) -> Response {
    let _ = outbox.hangs.subscribe().wait_for(|hangs| !hangs).await;
    let response = match body.map_err(Into::into).and_then(act) {
        Ok(answer) => Json(answer).into_response(),
        Err(error) => {
            let kind = [("x-amzn-errortype", "BadRequestException")];
            (StatusCode::BAD_REQUEST, kind, Json(json!({"message": error.to_string()}))).into_response()
        }
    };
    ([("x-amzn-requestid", Uuid::new_v4().to_string())], response).into_response()
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
                "pushes": [],
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

    #[test]
    fn keeps_the_pushes_that_a_phone_gets() {
        let outbox = Outbox::default();
        let content =
            json!({"aps": {"alert": {"title": "ben followed you"}, "badge": 3}, "data": {"path": "/users/ben"}});
        let message = json!({"RawContent": content.to_string(), "CollapseId": "follower", "TimeToLive": 60});
        let address = json!({"ChannelType": "APNS"});
        let request = json!({
            "Addresses": {"phone": address, "gone-phone": address, "busy-phone": address},
            "MessageConfiguration": {"APNSMessage": message},
        });
        let answer = outbox.push("app", request.to_string().as_bytes()).unwrap();
        assert_eq!(answer["ApplicationId"], "app");
        for (token, status, code) in
            [("phone", "SUCCESSFUL", 200), ("gone-phone", "PERMANENT_FAILURE", 410), ("busy-phone", "THROTTLED", 429)]
        {
            let result = &answer["Result"][token];
            assert_eq!((&result["DeliveryStatus"], &result["StatusCode"]), (&json!(status), &json!(code)), "{token}");
        }
        let mut pushes = outbox.contents()["pushes"].take();
        assert!(pushes[0].as_object_mut().unwrap().remove("sentAt").unwrap().is_string());
        let expected = json!({"channel": "APNS", "token": "phone", "title": "ben followed you", "body": null, "badge": 3,
            "collapseKey": "follower", "data": {"path": "/users/ben"}});
        assert_eq!(pushes, json!([expected]));
    }

    #[test]
    fn rejects_pushes_that_nobody_would_get() {
        const CONTENT: &str = "/MessageConfiguration/GCMMessage/RawContent";
        let raw = |title: &Value, path: &Value| {
            let message = json!({"notification": {"title": title}, "data": {"path": path}});
            json!(json!({"fcmV1Message": {"message": message}}).to_string())
        };
        let outbox = Outbox::default();
        let request = json!({
            "Addresses": {"phone": {"ChannelType": "GCM"}},
            "MessageConfiguration": {"GCMMessage": {"RawContent": raw(&json!("Hello"), &json!("/"))}},
        });
        let addresses: Map<_, _> = (0..=100).map(|n| (n.to_string(), json!({"ChannelType": "GCM"}))).collect();
        for (place, value, message) in [
            ("/Addresses", json!({}), "the request has no address"),
            ("/Addresses", json!(addresses), "the request has more than 100 addresses"),
            (
                "/Addresses/phone",
                json!({"ChannelType": "SMS"}),
                "the local stack sends to the channels APNS and GCM only",
            ),
            ("/Addresses/phone", json!({"ChannelType": "APNS"}), "APNSMessage has no JSON as its RawContent"),
            (CONTENT, json!("Hello"), "GCMMessage has no JSON as its RawContent"),
            (CONTENT, raw(&json!(null), &json!("/")), "the RawContent of GCMMessage shows no title"),
            (CONTENT, raw(&json!("Hello"), &json!(1)), "data has a value that is no text"),
        ] {
            let mut request = request.clone();
            *request.pointer_mut(place).unwrap() = value;
            let error = outbox.push("app", request.to_string().as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with(message), "{place}: {error}");
        }
        assert!(outbox.push("app", request.to_string().as_bytes()).is_ok());
        assert_eq!(outbox.lock().pushes.len(), 1);
    }
}
