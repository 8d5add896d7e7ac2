//! The answers of functions: JSON, and [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) problem
//! details.

use lambda_http::http::{HeaderValue, StatusCode, header};
use serde::Serialize;

use crate::Error;
use crate::error::Violation;
use crate::http::caching::{NO_STORE, hash};
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
/// The text for the caller contains neither keys of the table nor causes, which are for the log.
#[must_use]
pub fn problem(error: Error) -> HttpResponse {
    let (status, detail, violations) = match error {
        Error::Invalid(violations) => (
            StatusCode::BAD_REQUEST,
            "Some fields are invalid. The errors say what each of them must be.".to_owned(),
            violations,
        ),
        Error::Malformed(detail) => (StatusCode::BAD_REQUEST, detail, vec![]),
        Error::NotJson => (
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "The body must be JSON. Send it with the header Content-Type: application/json.".to_owned(),
            vec![],
        ),
        Error::TooLarge(max_bytes) => {
            (StatusCode::PAYLOAD_TOO_LARGE, format!("The body must be at most {max_bytes} bytes in size."), vec![])
        }
        Error::Unauthenticated => (
            StatusCode::UNAUTHORIZED,
            "Sign in, and send the access token as a bearer token in the Authorization header.".to_owned(),
            vec![],
        ),
        Error::Forbidden(detail) => (StatusCode::FORBIDDEN, detail, vec![]),
        Error::NotFound(thing) => (StatusCode::NOT_FOUND, format!("There is no {thing}."), vec![]),
        Error::Conflict(detail) => (StatusCode::CONFLICT, detail, vec![]),
        Error::PreconditionFailed => (
            StatusCode::PRECONDITION_FAILED,
            "The item is not as If-Match or If-None-Match requires: it has changed, it does not exist, or it exists \
             already. Fetch it, and send the request with its current ETag."
                .to_owned(),
            vec![],
        ),
        Error::IdempotencyKeyReused => (
            StatusCode::UNPROCESSABLE_ENTITY,
            "An earlier request with this Idempotency-Key had another body. Send a new request with a new key, and a \
             repeated request with the same bytes as the first one."
                .to_owned(),
            vec![],
        ),
        Error::Busy(_) => (
            StatusCode::SERVICE_UNAVAILABLE,
            "The service is busy. Send the same request again in a second.".to_owned(),
            vec![],
        ),
        Error::Internal(_) => (
            StatusCode::INTERNAL_SERVER_ERROR,
            "An internal error occurred. If it occurs again, report the time and the path of the request.".to_owned(),
            vec![],
        ),
    };
    problem_response(status, &detail, &violations)
}

/// Problem details, the body of every error.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Serialize)]
pub struct Problem<'a> {
    /// Always `about:blank`: the status and the detail say what the problem is.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The name of the status.
    title: &'static str,
    /// The status of the response.
    status: u16,
    /// The text for the user: what is wrong, and what to do.
    detail: &'a str,
    /// The fields of the request that break their rules, in a response of status 400.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'a [Violation],
}

fn problem_response(status: StatusCode, detail: &str, violations: &[Violation]) -> HttpResponse {
    let title = status.canonical_reason().unwrap_or_default();
    let problem = Problem { kind: "about:blank", title, status: status.as_u16(), detail, errors: violations };
    let mut response = HttpResponse::new(serde_json::to_string(&problem).unwrap_or_default().into());
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
