//! The errors of a load, and the reasons why one line is not loaded.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use shared::document::DocumentError;
use shared::error::chain;

/// The error that ends a load early.
#[derive(Debug)]
pub enum Error {
    /// The file cannot be read.
    File(PathBuf, std::io::Error),
    /// The table cannot be described: the table does not exist, the endpoint does not answer, or
    /// the credentials are not sufficient. Holds the table's name and the reason.
    Table(String, String),
    /// A write failed with an error that a retry cannot resolve.
    Write(String),
    /// The table accepted no item for this long, despite retries. Holds the reason of the last
    /// failed attempt.
    Stalled(Duration, String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Table(table, reason) => write!(f, "table {table}: {reason}"),
            Self::Write(reason) => write!(f, "writing failed: {reason}"),
            Self::Stalled(timeout, reason) => write!(f, "no item was written for {} s: {reason}", timeout.as_secs()),
        }
    }
}

impl std::error::Error for Error {}

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

/// The reason why a line of the file is not loaded.
#[derive(Debug)]
pub(super) struct LineError(String);

impl LineError {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<DocumentError> for LineError {
    fn from(error: DocumentError) -> Self {
        Self(error.to_string())
    }
}
