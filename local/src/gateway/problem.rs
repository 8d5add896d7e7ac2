//! The errors of the gateway itself: problem+json, as functions send it. The member `message` is the one that
//! API Gateway would send.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;

/// Returns a problem. `detail` tells the caller what is wrong.
pub(super) fn problem(status: StatusCode, message: &str, detail: &str) -> Response {
    let body = json!({
        "type": "about:blank",
        "title": status.canonical_reason(),
        "status": status.as_u16(),
        "detail": detail,
        "message": message,
    });
    let content_type = [(header::CONTENT_TYPE, "application/problem+json")];
    (status, content_type, body.to_string()).into_response()
}

/// Returns the problem of a malformed request: 400.
pub(super) fn bad_request(detail: &str) -> Response {
    problem(StatusCode::BAD_REQUEST, "Bad Request", detail)
}

/// Returns the problem of a request without a valid token: 401.
pub(super) fn unauthorized() -> Response {
    let mut response = problem(StatusCode::UNAUTHORIZED, "Unauthorized", "the request needs a valid bearer token");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// Returns the problem of a request that is too long: 413.
pub(super) fn too_long(detail: &str) -> Response {
    problem(StatusCode::PAYLOAD_TOO_LARGE, "Request Too Long", detail)
}

/// Returns the problem of a function that failed: 502.
pub(super) fn bad_gateway(detail: &str) -> Response {
    problem(StatusCode::BAD_GATEWAY, "Internal Server Error", detail)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[tokio::test]
    async fn a_problem_has_the_members_of_problem_json_and_of_api_gateway() {
        let response = unauthorized();
        assert_eq!(response.status(), 401);
        assert_eq!(response.headers()["www-authenticate"], "Bearer");
        assert_eq!(response.headers()["content-type"], "application/problem+json");
        let body = axum::body::to_bytes(response.into_body(), 1000).await.unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["title"], "Unauthorized");
        assert_eq!(body["message"], "Unauthorized");
        assert_eq!(body["status"], 401);
    }
}
