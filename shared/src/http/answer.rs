//! The answers of functions: JSON, and [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) problem
//! details.

use std::borrow::Cow;

use lambda_http::http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;

use crate::Error;
use crate::error::Violation;
use crate::http::caching::{NO_STORE, SHARED, hash};
use crate::http::problems::{Description, ErrorKind};
use crate::http::{HttpResponse, Response};
use crate::values::Username;

/// Returns a 200 with `body` as JSON.
pub fn ok<T: Serialize>(body: &T) -> Result<Response<T>, Error> {
    json(StatusCode::OK, body)
}

/// Returns a 200 with `body` as JSON, which only the caller may see: nobody keeps it, not even the
/// caller's browser.
pub fn private<T: Serialize>(body: &T) -> Result<Response<T>, Error> {
    let mut response = ok(body)?;
    response.headers_mut().insert(header::CACHE_CONTROL, NO_STORE);
    Ok(response)
}

/// Returns a 200 with `body` as JSON: what `caller` sees of `owner`. It is [`private`] if they are
/// the same user.
pub fn seen_by<T: Serialize>(caller: &Username, owner: &Username, body: &T) -> Result<Response<T>, Error> {
    if caller == owner { private(body) } else { ok(body) }
}

/// Returns a 200 with the JSON of a `T` that a record holds.
pub(crate) fn stored<T>(json: String) -> Result<Response<T>, Error> {
    with_json(StatusCode::OK, json)
}

/// Returns a 201 with `body` as JSON, for a thing that has no path of its own at which a GET would
/// return it.
pub fn created<T: Serialize>(body: &T) -> Result<Response<T>, Error> {
    json(StatusCode::CREATED, body)
}

/// Returns a 202 with `body` as JSON, for a thing that somebody else has to accept.
pub fn accepted<T: Serialize>(body: &T) -> Result<Response<T>, Error> {
    json(StatusCode::ACCEPTED, body)
}

/// Returns a 201 with `body` as JSON, and `location` in the header `Location`. A GET of this path
/// returns the thing.
pub fn created_at<T: Serialize>(location: &str, body: &T) -> Result<Response<T>, Error> {
    let mut response = json(StatusCode::CREATED, body)?;
    response.headers_mut().insert(header::LOCATION, location.parse().map_err(Error::internal)?);
    Ok(response)
}

/// Adds the header `ETag` to an answer, see [`crate::http::precondition`].
pub fn tagged<T>(mut response: Response<T>, tag: &str) -> Result<Response<T>, Error> {
    response.headers_mut().insert(header::ETAG, tag.parse().map_err(Error::internal)?);
    Ok(response)
}

/// Adds the header `ETag` to an answer that shows a thing with a version, and other things that may
/// change without it, such as counts and signed URLs. The tag is `"<version>.<hash of the body>"`,
/// so it is that of the whole answer for a GET, and `If-Match` compares the version
/// ([`Precondition::of_versions`](crate::http::precondition::Precondition::of_versions)).
pub fn tagged_with_hash<T>(response: Response<T>, tag: &str) -> Result<Response<T>, Error> {
    let tag = format!("\"{}.{}\"", tag.trim_matches('"'), hash(&response.response));
    tagged(response, &tag)
}

/// Returns a 204 without a body, for a thing that does not exist, or no longer exists.
#[must_use]
pub fn no_content() -> Response<()> {
    let mut response = HttpResponse::default();
    *response.status_mut() = StatusCode::NO_CONTENT;
    Response::new(response)
}

/// Returns a page of HTML, for browsers. The body of the route is a `T` for other clients.
pub fn page<T>(status: StatusCode, html: String) -> Result<Response<T>, Error> {
    let response = lambda_http::Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, "text/html; charset=utf-8")
        .body(html.into())
        .map_err(Error::internal)?;
    Ok(Response::new(response))
}

/// Returns a 302 to another address.
pub fn found(location: &str) -> Result<Response<()>, Error> {
    let mut response = HttpResponse::default();
    *response.status_mut() = StatusCode::FOUND;
    with_header(Response::new(response), header::LOCATION, location)
}

/// Adds a header to an answer.
pub fn with_header<T>(mut response: Response<T>, name: HeaderName, value: &str) -> Result<Response<T>, Error> {
    response.headers_mut().insert(name, value.parse().map_err(Error::internal)?);
    Ok(response)
}

/// Lets CloudFront keep an answer for [a minute](crate::http::caching::SHARED_SECONDS), also for
/// others. A browser asks again.
#[must_use]
pub fn shared<T>(mut response: Response<T>) -> Response<T> {
    response.headers_mut().insert(header::CACHE_CONTROL, SHARED);
    response
}

fn json<T: Serialize>(status: StatusCode, body: &T) -> Result<Response<T>, Error> {
    with_json(status, serde_json::to_string(body)?)
}

fn with_json<T>(status: StatusCode, json: String) -> Result<Response<T>, Error> {
    let response = lambda_http::Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, "application/json")
        .body(json.into())
        .map_err(Error::internal)?;
    Ok(Response::new(response))
}

/// Returns the problem details of an error. This is the only place where an [`Error`] becomes HTTP.
///
/// The texts for the caller contain neither keys of the table nor causes, which are for the log.
#[must_use]
pub fn problem(error: Error) -> HttpResponse {
    let mut errors = vec![];
    let (kind, detail, hint): (_, Cow<'_, str>, Option<Cow<'_, str>>) = match error {
        Error::Refused { kind, detail, hint } => (kind, detail.into(), hint.map(Cow::from)),
        Error::Invalid(violations) => {
            errors = violations;
            (ErrorKind::Invalid, "Some of the entries are not valid.".into(), None)
        }
        Error::Malformed(reason) => (ErrorKind::Malformed, BAD_CLIENT.into(), Some(reason.into())),
        Error::NotJson => {
            let hint = "The body must be JSON. Send it with the header Content-Type: application/json.";
            (ErrorKind::NotJson, BAD_CLIENT.into(), Some(hint.into()))
        }
        Error::TooLarge(max_bytes) => {
            let hint = format!("The body must be at most {max_bytes} bytes in size.");
            (ErrorKind::TooLarge, "This is too long to be sent.".into(), Some(hint.into()))
        }
        Error::Unauthenticated => {
            let hint = "Send the access token as a bearer token in the header Authorization.";
            (ErrorKind::Unauthenticated, "Sign in first.".into(), Some(hint.into()))
        }
        Error::PreconditionFailed => {
            let hint = "The item is not as If-Match or If-None-Match requires: it has changed, it does not exist, or it \
                        exists already. Fetch it, and send the request with its current ETag.";
            let detail = "This is not as you saw it any more. Load it again, and repeat your change.";
            (ErrorKind::PreconditionFailed, detail.into(), Some(hint.into()))
        }
        Error::IdempotencyKeyReused => {
            let hint = "An earlier request with this Idempotency-Key had another body. Send a new request with a new \
                        key, and a repeated request with the same bytes as the first one.";
            (ErrorKind::IdempotencyKeyReused, BAD_CLIENT.into(), Some(hint.into()))
        }
        Error::Busy(_) => (ErrorKind::Busy, "The service is busy. Try again in a second.".into(), None),
        Error::Internal(_) => {
            let hint = "If it occurs again, report the header apigw-requestid of the answer.";
            (ErrorKind::Internal, "The service has an error. Try again later.".into(), Some(hint.into()))
        }
    };
    let (Description { uri, title, .. }, status) = (kind.description(), kind.status());
    let problem =
        Problem { uri, title, status: status.as_u16(), detail: &detail, hint: hint.as_deref(), errors: &errors };
    problem_response(status, &problem)
}

/// The sentence for the user of an app that has sent what no app should send.
const BAD_CLIENT: &str = "The app has sent a wrong request. Update the app, or tell its developer.";

/// Problem details, the body of every error.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Serialize)]
pub struct Problem<'a> {
    /// The kind of the problem, a URI that a program compares. docs/problems.md lists all of them.
    #[serde(rename = "type")]
    uri: &'static str,
    /// The name of the kind.
    title: &'static str,
    /// The status of the response.
    status: u16,
    /// A sentence that an app may show to its user as it stands.
    detail: &'a str,
    /// The hint for the developer of the app.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    /// The fields of the request that break their rules, in a problem of the kind `invalid`.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'a [Violation],
}

fn problem_response(status: StatusCode, problem: &Problem<'_>) -> HttpResponse {
    let mut response = HttpResponse::new(serde_json::to_string(problem).unwrap_or_default().into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    match status {
        StatusCode::SERVICE_UNAVAILABLE => {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        // A 401 must name the scheme: https://www.rfc-editor.org/rfc/rfc9110#section-15.5.2
        StatusCode::UNAUTHORIZED => {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        _ => {}
    }
    response
}
