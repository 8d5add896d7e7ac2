//! The errors of the gateway itself. Their bodies are those of API Gateway, `{"message": …}`, with
//! a second member `detail` that tells a developer what is wrong.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;

/// Returns an error. `message` is API Gateway's word, and `detail` says what is wrong.
pub(crate) fn error(status: StatusCode, message: &str, detail: &str) -> Response {
    let content_type = [(header::CONTENT_TYPE, "application/json")];
    (status, content_type, json!({"message": message, "detail": detail}).to_string()).into_response()
}

/// Returns the error of a malformed request: 400.
pub(crate) fn bad_request(detail: &str) -> Response {
    error(StatusCode::BAD_REQUEST, "Bad Request", detail)
}

/// Returns the error of a request without a valid token: 401, with the challenge of a [JWT
/// authorizer](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-troubleshooting-jwt.html),
/// which has no commas between its parameters. `reason` says in ASCII why the token is invalid;
/// without a token it is `None`.
pub(super) fn unauthorized(reason: Option<&'static str>) -> Response {
    let challenge = match reason {
        None => "Bearer".to_owned(),
        Some(reason) => format!(r#"Bearer scope="" error="invalid_token" error_description="{reason}""#),
    };
    let detail = reason.unwrap_or("the request needs the header `Authorization: Bearer <token>`");
    let mut response = error(StatusCode::UNAUTHORIZED, "Unauthorized", detail);
    let challenge = HeaderValue::try_from(challenge).expect("a reason is visible ASCII");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    response
}

/// Returns the error of a request whose body takes too long: 408.
pub(super) fn request_timeout() -> Response {
    error(StatusCode::REQUEST_TIMEOUT, "Request Timeout", "the whole body must arrive within 30 seconds")
}

/// Returns the error of a request that is too long: 413.
pub(super) fn too_long(detail: &str) -> Response {
    error(StatusCode::PAYLOAD_TOO_LARGE, "Request Too Long", detail)
}

/// Returns the error of a function that failed: 502.
pub(super) fn bad_gateway(detail: &str) -> Response {
    error(StatusCode::BAD_GATEWAY, "Internal Server Error", detail)
}
