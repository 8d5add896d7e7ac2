//! What goes back to the caller: JSON, and problems as [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) has them.

use lambda_http::http::{StatusCode, header};
use serde::Serialize;
use serde_json::json;

use crate::error::Violation;
use crate::{Error, Response};

/// 200: the thing, as read or as changed.
pub fn ok(body: &impl Serialize) -> Result<Response, Error> {
    json(StatusCode::OK, body)
}

/// 201: the thing that was created, and where it is.
pub fn created(location: &str, body: &impl Serialize) -> Result<Response, Error> {
    let mut response = json(StatusCode::CREATED, body)?;
    response.headers_mut().insert(header::LOCATION, location.parse().map_err(Error::internal)?);
    Ok(response)
}

/// An answer with an entity tag, see [`crate::http::precondition`].
pub fn tagged(mut response: Response, tag: &str) -> Result<Response, Error> {
    response.headers_mut().insert(header::ETAG, tag.parse().map_err(Error::internal)?);
    Ok(response)
}

/// 204: it is gone, or was already.
#[must_use]
pub fn no_content() -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

fn json(status: StatusCode, body: &impl Serialize) -> Result<Response, Error> {
    lambda_http::Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, "application/json")
        .body(serde_json::to_string(body)?.into())
        .map_err(Error::internal)
}

/// The one place where an [`Error`] becomes HTTP. What the caller reads names no key and no cause.
#[must_use]
pub fn problem(error: Error) -> Response {
    let (status, detail, violations) = match error {
        Error::Invalid(violations) => {
            (StatusCode::BAD_REQUEST, "Some fields break their rules.".to_owned(), violations)
        }
        Error::Malformed(detail) => (StatusCode::BAD_REQUEST, detail, vec![]),
        Error::NotJson => (
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "The body must be JSON, and the Content-Type application/json.".to_owned(),
            vec![],
        ),
        Error::TooLarge(most) => {
            (StatusCode::PAYLOAD_TOO_LARGE, format!("The body must be of at most {most} bytes."), vec![])
        }
        Error::Unauthenticated => {
            (StatusCode::UNAUTHORIZED, "This needs a bearer token with a username.".to_owned(), vec![])
        }
        Error::Forbidden(detail) => (StatusCode::FORBIDDEN, detail, vec![]),
        Error::NotFound(thing) => (StatusCode::NOT_FOUND, format!("There is no {thing}."), vec![]),
        Error::Conflict(detail) => (StatusCode::CONFLICT, detail, vec![]),
        Error::Stale => (
            StatusCode::PRECONDITION_FAILED,
            "It is not as If-Match or If-None-Match says. Read it again.".to_owned(),
            vec![],
        ),
        Error::Busy(_) => (
            StatusCode::SERVICE_UNAVAILABLE,
            "Too much is going on at the moment. The same request may succeed in a second.".to_owned(),
            vec![],
        ),
        Error::Internal(_) => {
            (StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong on our side.".to_owned(), vec![])
        }
    };
    problem_response(status, &detail, &violations)
}

fn problem_response(status: StatusCode, detail: &str, violations: &[Violation]) -> Response {
    let mut problem = json!({
        "type": "about:blank",
        "title": status.canonical_reason(),
        "status": status.as_u16(),
        "detail": detail,
    });
    if !violations.is_empty() {
        problem["errors"] = json!(violations);
    }
    let mut response = Response::new(problem.to_string().into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/problem+json"));
    if status == StatusCode::SERVICE_UNAVAILABLE {
        headers.insert(header::RETRY_AFTER, header::HeaderValue::from_static("1"));
    }
    response
}
