//! The response to a request whose function did not answer.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::Response,
};

use crate::gateway::errors::{bad_gateway, error};
use crate::lambda::runtime::InvokeError;

/// Returns the response to a request whose function did not answer.
pub(super) fn invoke_error(cause: &InvokeError) -> Response {
    match cause {
        InvokeError::Unknown | InvokeError::Crashed(_) => {
            bad_gateway("the function ended without an answer; see the log of the stack")
        }
        InvokeError::TimedOut(_) => {
            error(StatusCode::GATEWAY_TIMEOUT, "Service Unavailable", "the function took longer than its timeout")
        }
        InvokeError::Busy => {
            let detail = "all processes of the function are busy; try again later";
            let mut response = error(StatusCode::SERVICE_UNAVAILABLE, "Service Unavailable", detail);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            response
        }
    }
}
