//! The errors of a load, and the reasons why one line is not loaded.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use aws_sdk_dynamodb::error::ProvideErrorMetadata;
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

/// Formats an error of the SDK as one line: the service's code and message, or the chain of causes
/// down to the socket.
pub fn explain<E: ProvideErrorMetadata + std::error::Error + 'static>(error: &E) -> String {
    match (error.code(), error.message()) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        (Some(code), None) => code.to_owned(),
        _ => chain(error),
    }
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
