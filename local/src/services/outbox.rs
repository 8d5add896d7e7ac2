//! What leaves the stack, kept for whoever wants to look: the e-mails that functions have sent, and the records that
//! stream functions could not deal with.

use std::sync::{Arc, Mutex, PoisonError};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::{HeaderValue, StatusCode},
    response::{IntoResponse, Response},
    routing::post,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use uuid::Uuid;

use crate::gateway::Gateway;

/// Where Amazon SES is, below the API's URL.
pub const SES_PATH: &str = "/local/ses";

/// The most recipients of
/// [one message](https://docs.aws.amazon.com/ses/latest/dg/quotas.html).
const MAX_RECIPIENTS: usize = 50;

/// All that was sent, oldest first.
#[derive(Default)]
pub struct Outbox(Mutex<Contents>);

#[derive(Default, Serialize)]
struct Contents {
    emails: Vec<Email>,
    failures: Vec<Failure>,
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

/// A message to an on-failure destination.
#[derive(Serialize)]
struct Failure {
    function: String,
    queue: String,
    message: Value,
}

/// The part of a [`SendEmail`](https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html) request that
/// is kept. What stands beside it, tags for one, is let through and forgotten.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SendEmail {
    from_email_address: Option<String>,
    destination: Option<Destination>,
    content: Content,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Destination {
    #[serde(rename = "ToAddresses")]
    to: Vec<String>,
    #[serde(rename = "CcAddresses")]
    cc: Vec<String>,
    #[serde(rename = "BccAddresses")]
    bcc: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Content {
    simple: Option<Message>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Message {
    subject: Part,
    body: Body,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Body {
    text: Option<Part>,
    html: Option<Part>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Part {
    data: String,
}

impl Outbox {
    /// Keeps what was given up: by which function, and what the queue would get.
    pub(crate) fn fail(&self, function: &str, queue: &str, message: Value) {
        let failure = Failure { function: function.to_owned(), queue: queue.to_owned(), message };
        self.lock().failures.push(failure);
    }

    /// Takes a request to send an e-mail, and says under which id it was sent. An error is for the caller to read.
    fn send(&self, request: &[u8]) -> Result<String, String> {
        let request: SendEmail = serde_json::from_slice(request).map_err(|error| error.to_string())?;
        let message = request.content.simple.ok_or("the local stack sends messages with Simple content only")?;
        let from = request.from_email_address.ok_or("FromEmailAddress is missing")?;
        let destination = request.destination.unwrap_or_default();
        let recipients = || destination.to.iter().chain(&destination.cc).chain(&destination.bcc);
        match recipients().count() {
            0 => return Err("the message has no recipient".to_owned()),
            1..=MAX_RECIPIENTS => {}
            _ => return Err(format!("the message has more than {MAX_RECIPIENTS} recipients")),
        }
        if let Some(bad) = recipients().chain([&from]).find(|address| !is_address(address)) {
            return Err(format!("no e-mail address: {bad}"));
        }
        if message.body.text.is_none() && message.body.html.is_none() {
            return Err("the message has neither text nor HTML".to_owned());
        }
        let data = |part: Option<Part>| part.map(|part| part.data);
        let message_id = Uuid::new_v4().to_string();
        self.lock().emails.push(Email {
            message_id: message_id.clone(),
            from,
            to: destination.to,
            subject: message.subject.data,
            text: data(message.body.text),
            html: data(message.body.html),
            sent_at: OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default(),
        });
        Ok(message_id)
    }

    /// All of it, as `GET /local/outbox` shows it.
    #[must_use]
    pub fn contents(&self) -> Value {
        json!(*self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Contents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `ada@example.com` or `Ada <ada@example.com>`, as far as it takes to tell an address from what is none. The part
/// before the `@` is [ASCII](https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_Destination.html).
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

/// `GET /local/outbox`
pub(crate) async fn show(State(gateway): State<Arc<Gateway>>) -> Response {
    Json(gateway.outbox.contents()).into_response()
}

/// SES below [`SES_PATH`]: `POST /v2/email/outbound-emails`, which is all of it.
pub fn ses<S>(outbox: Arc<Outbox>) -> Router<S> {
    Router::new().route(&format!("{SES_PATH}/v2/email/outbound-emails"), post(send)).with_state(outbox)
}

async fn send(State(outbox): State<Arc<Outbox>>, body: Result<Bytes, BytesRejection>) -> Response {
    let sent = body.map_err(|error| error.to_string()).and_then(|body| outbox.send(&body));
    let mut response = match sent {
        Ok(message_id) => Json(json!({"MessageId": message_id})).into_response(),
        Err(message) => {
            let kind = [("x-amzn-errortype", "BadRequestException")];
            (StatusCode::BAD_REQUEST, kind, Json(json!({"message": message}))).into_response()
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
    fn what_was_sent_is_kept_in_order() {
        let outbox = Outbox::default();
        let first = outbox.send(request().to_string().as_bytes()).unwrap();
        let mut html = request();
        html["Content"]["Simple"]["Body"] = json!({"Html": {"Data": "<p>Hello"}});
        let second = outbox.send(html.to_string().as_bytes()).unwrap();
        outbox.fail("welcome-email", "lost", json!({"version": "1.0"}));
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
                "failures": [{"function": "welcome-email", "queue": "lost", "message": {"version": "1.0"}}],
            })
        );
    }

    #[test]
    fn what_ses_would_refuse_is_refused() {
        let outbox = Outbox::default();
        for (place, value, message) in [
            ("/FromEmailAddress", json!(null), "FromEmailAddress is missing"),
            ("/FromEmailAddress", json!("nobody"), "no e-mail address: nobody"),
            ("/Destination", json!({}), "the message has no recipient"),
            ("/Destination/ToAddresses", json!(vec!["a@b.c"; 51]), "the message has more than 50 recipients"),
            ("/Destination/ToAddresses", json!(["ada@"]), "no e-mail address: ada@"),
            ("/Content", json!({"Raw": {"Data": ""}}), "the local stack sends messages with Simple content only"),
            ("/Content/Simple/Body", json!({}), "the message has neither text nor HTML"),
            ("/Content/Simple/Subject", json!({}), "missing field `Data`"),
        ] {
            let mut request = request();
            *request.pointer_mut(place).unwrap() = value;
            let error = outbox.send(request.to_string().as_bytes()).unwrap_err();
            assert!(error.starts_with(message), "{place}: {error}");
        }
        assert!(outbox.send(b"{").is_err());
        assert!(outbox.lock().emails.is_empty());
    }

    #[test]
    fn an_address_has_two_parts() {
        for good in ["a@b", "Ada L. <ada@example.com>", "ada+x@example.com"] {
            assert!(is_address(good), "{good}");
        }
        for bad in ["", "@", "a@", "@b", "a b@c", "a@b>", "adä@example.com", "a@b,c@d", "a@b\n", "Ada <ada>"] {
            assert!(!is_address(bad), "{bad:?}");
        }
    }
}
