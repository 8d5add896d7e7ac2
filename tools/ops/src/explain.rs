//! Explanations of errors of AWS, for the person who runs a tool.

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use shared::error::chain;

/// The advice for a caller whose endpoint does not answer.
const CHECK_ENDPOINT: &str =
    "check the endpoint, the region and the network; the local stack answers while `cargo run` runs";

/// Returns the error of a request to AWS in one line: what is wrong, in the service's own words if
/// it has said any, and what to do about it.
pub fn explain<E: ProvideErrorMetadata + std::error::Error + 'static>(error: &SdkError<E>) -> String {
    let cause = match (error.code(), error.message()) {
        (Some(code), Some(message)) => format!("{} ({code})", message.trim_end_matches('.')),
        (Some(code), None) => code.to_owned(),
        _ => match error {
            SdkError::DispatchFailure(failure) if failure.is_io() || failure.is_timeout() => {
                return format!("nothing answers there: {}; {CHECK_ENDPOINT}", root_cause(error));
            }
            SdkError::TimeoutError(_) => return format!("no answer came in time; {CHECK_ENDPOINT}"),
            SdkError::ServiceError(answer) => {
                let status = answer.raw().status().as_u16();
                return format!("what answers there with status {status} is no such service of AWS; {CHECK_ENDPOINT}");
            }
            _ => chain(error),
        },
    };
    match error.code().and_then(advice) {
        Some(advice) => format!("{cause}; {advice}"),
        None => cause,
    }
}

/// Returns what to do about an error with this code, if its message does not say it.
fn advice(code: &str) -> Option<&'static str> {
    match code {
        "ResourceNotFoundException" | "NoSuchBucket" => {
            Some("check the name, the region, the account and the endpoint")
        }
        "AccessDenied" | "AccessDeniedException" => Some("add the action to the policy of these credentials"),
        "ExpiredToken" | "ExpiredTokenException" => Some("sign in again"),
        "InvalidAccessKeyId"
        | "InvalidSignatureException"
        | "SignatureDoesNotMatch"
        | "UnrecognizedClientException" => Some("set other credentials"),
        _ => None,
    }
}

/// Returns the last cause of an error, such as the error of a socket.
fn root_cause<'a>(error: &'a (dyn std::error::Error + 'static)) -> &'a (dyn std::error::Error + 'static) {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause
}
