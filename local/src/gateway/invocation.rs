//! The invocation of a function for a request.

use axum::{
    body::Bytes,
    http::{HeaderValue, StatusCode, header},
    response::Response,
};

use crate::gateway::errors::{bad_gateway, error};
use crate::lambda::origin::Origin;
use crate::lambda::runtime::{InvokeError, Runtime};

/// Returns the answer of a function to an event, or the response to a request whose function failed.
pub(super) async fn invoke(runtime: &Runtime, name: &str, origin: Origin, event: String) -> Result<Bytes, Response> {
    let invocation = runtime.invoke_from(name, origin, event.into()).await.map_err(|error| no_answer(&error))?;
    if invocation.function_error {
        return Err(bad_gateway("the function reported an error; see the log of the stack"));
    }
    Ok(invocation.payload)
}

/// Returns the response to a request whose function did not answer.
fn no_answer(cause: &InvokeError) -> Response {
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
