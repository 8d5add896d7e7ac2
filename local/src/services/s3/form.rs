//! Presigned POST: a form with a
//! [policy](https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html)
//! that says which objects it may create. The crate s3s checks the signature and the policy. This
//! module turns its errors into those of S3.

use std::{convert::Infallible, sync::Arc};

use axum::{
    body::{Body, to_bytes},
    extract::Request,
    http::{Method, header},
    response::Response,
};
use futures_util::stream;
use s3s::{
    config::{S3Config, S3ConfigProvider, StaticConfigProvider},
    service::S3Service,
};

use super::answer::{error, internal_error, to_s3s};

/// The maximum size of a form. S3 allows 5 GB, but the local stack holds a form in memory.
const MAX_FORM_BYTES: usize = 256 * 1024 * 1024;

/// The size of the parts in which s3s reads a form. It keeps the end of a part that may begin a
/// boundary, and refuses more than 64 KB of that and the next part together.
const CHUNK_BYTES: usize = 32 * 1024;

/// The maximum size of an answer with an error.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// Returns the configuration of the service for forms. A form is valid as long as its policy,
/// however old its signature is. Without this, s3s refuses a signature that is older than 15
/// minutes.
pub(super) fn config() -> Arc<dyn S3ConfigProvider> {
    let mut config = S3Config::default();
    config.presigned_url_max_skew_time_secs = u32::MAX;
    Arc::new(StaticConfigProvider::new(Arc::new(config)))
}

/// Returns whether a request is a form.
pub(super) fn is_form(request: &Request) -> bool {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    request.method() == Method::POST && kind.to_ascii_lowercase().starts_with("multipart/form-data")
}

/// Answers a form. The whole form is read first, so that a client that reads the answer only after
/// it has sent the form gets one for a file that is too large, too.
pub(super) async fn answer(service: &S3Service, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MAX_FORM_BYTES).await else {
        return error(400, "MaxPostPreDataLengthExceeded", "The form is too large for the local stack, or incomplete.");
    };
    // s3s counts what it reads at once together with the fields, whose size it limits.
    let chunks = (0..body.len()).step_by(CHUNK_BYTES);
    let chunks = chunks.map(move |start| Ok::<_, Infallible>(body.slice(start..body.len().min(start + CHUNK_BYTES))));
    let request = Request::from_parts(parts, Body::from_stream(stream::iter(chunks)));
    let Ok(response) = service.call(request.map(to_s3s)).await else {
        return internal_error();
    };
    let response = response.map(Body::new);
    if !response.status().is_client_error() {
        return response;
    }
    let (parts, body) = response.into_parts();
    let Ok(body) = to_bytes(body, MAX_ERROR_BYTES).await else {
        return internal_error();
    };
    let text = String::from_utf8_lossy(&body);
    match policy_error(element(&text, "Code"), &unescape(element(&text, "Message"))) {
        Some(message) => error(403, "AccessDenied", &format!("Invalid according to Policy: {message}")),
        None => Response::from_parts(parts, Body::from(body)),
    }
}

/// Returns the message of S3 for an error of s3s about the policy. S3 answers such an error with
/// 403.
fn policy_error(code: &str, message: &str) -> Option<String> {
    if code == "AccessDenied" && message == "Request has expired" {
        return Some("Policy expired.".to_owned());
    }
    if message.starts_with("Each form field that you specify") {
        return Some(format!("Extra input fields: {}", message.split('"').nth(1).unwrap_or_default()));
    }
    let is_condition = message.starts_with("Policy condition") || message.ends_with("does not match policy");
    (code == "InvalidPolicyDocument" && is_condition).then(|| format!("Policy Condition failed: {message}"))
}

/// Returns the content of the only element with this name, or an empty text.
pub(super) fn element<'a>(xml: &'a str, name: &str) -> &'a str {
    let content = xml.split_once(&format!("<{name}>")).and_then(|(_, rest)| rest.split_once(&format!("</{name}>")));
    content.map(|(content, _)| content).unwrap_or_default()
}

fn unescape(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'");
    text.replace("&amp;", "&")
}
