//! Web Push: messages to browsers, as [RFC 8030](https://www.rfc-editor.org/rfc/rfc8030) has them,
//! encrypted for the browser ([RFC 8291](https://www.rfc-editor.org/rfc/rfc8291)).

use std::collections::VecDeque;
use std::time::Duration;

use http_body_util::Full;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use lambda_http::http::{Request, StatusCode};
use rustls::RootCertStore;
use shared::runtime::https;
use shared::values::{PushEndpoint, PushKeys};
use shared::{Error, Process, StartError};
use tokio::time::timeout;
use web_push_native::p256::PublicKey;
use web_push_native::{Auth, encrypt};

use super::answer::{Answer, TTL_SECONDS};
use super::message::Text;
use crate::services::origin;
use crate::vapid::Vapid;

/// The time that a push service has to answer.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(5);

/// The client of the push services of browsers.
pub(super) struct Browsers {
    client: Client<HttpsConnector<HttpConnector>, Full<VecDeque<u8>>>,
    vapid: Vapid,
    contact: String,
}

impl Browsers {
    /// Trusts the roots that browsers trust, because the push services are not those of Amazon.
    pub(super) fn from_process(process: &Process) -> Result<Self, StartError> {
        let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        Ok(Self {
            client: Client::builder(TokioExecutor::new()).build(https::connector(roots)?),
            vapid: Vapid::from_process(process)?,
            contact: process.variable("LINKS_URL")?,
        })
    }

    /// Sends a message to a browser.
    pub(super) async fn send(&self, endpoint: &PushEndpoint, keys: &PushKeys, text: &Text) -> Result<Answer, Error> {
        // No message reaches a device whose key is not on the curve.
        let (Some(origin), Some(point), Some(auth)) = (origin(endpoint.as_ref()), keys.point(), keys.secret()) else {
            return Ok(Answer::Gone);
        };
        let Ok(public) = PublicKey::from_sec1_bytes(&point) else { return Ok(Answer::Gone) };
        let auth = Auth::from(auth);
        let body = encrypt(serde_json::to_vec(text)?, &public, &auth).map_err(Error::internal)?;
        let request = Request::post(endpoint.as_ref())
            .header("authorization", self.vapid.authorization(&origin, &self.contact)?)
            .header("content-encoding", "aes128gcm")
            .header("content-type", "application/octet-stream")
            .header("ttl", TTL_SECONDS)
            .header("topic", text.collapse_key())
            .header("urgency", "normal")
            .body(Full::new(body.into()))
            .map_err(Error::internal)?;
        Ok(match timeout(ATTEMPT_TIMEOUT, self.client.request(request)).await {
            Ok(Ok(answer)) => interpret(&origin, answer.status()),
            Ok(Err(error)) if error.is_connect() => Answer::Busy(format!("{origin} cannot be reached")),
            Ok(Err(_)) => Answer::Unknown(format!("{origin} ended the connection")),
            Err(_) => Answer::Unknown(format!("{origin} did not answer in time")),
        })
    }
}

/// Reads the status of an answer of a push service.
fn interpret(origin: &str, status: StatusCode) -> Answer {
    match status {
        _ if status.is_success() => Answer::Accepted,
        StatusCode::NOT_FOUND | StatusCode::GONE => Answer::Gone,
        StatusCode::TOO_MANY_REQUESTS => Answer::Busy(format!("{origin}: {status}")),
        _ if status.is_server_error() => Answer::Busy(format!("{origin}: {status}")),
        _ => Answer::Refused(format!("{origin}: {status}")),
    }
}
