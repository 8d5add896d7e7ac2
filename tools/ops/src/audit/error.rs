//! The errors of an audit.

use aws_sdk_dynamodb::error::{BuildError, ProvideErrorMetadata, SdkError};

use crate::explain::explain;

/// The error that ends an audit early.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The table cannot be audited: the table does not exist, the endpoint does not answer, the
    /// credentials are not sufficient, or the table is not one of Quick Photos. Holds the table's
    /// name and the reason.
    #[error("table {0}: {1}")]
    Table(String, String),
    /// The objects of the bucket cannot be read. Holds the bucket's name and the reason.
    #[error("bucket {0}: {1}")]
    Bucket(String, String),
    /// A read failed.
    #[error("reading failed: {0}")]
    Read(String),
    /// A repair failed.
    #[error("repairing failed: {0}")]
    Repair(String),
    /// The audit does not repair anything, for this reason: what it was given does not belong
    /// together, or the repair would delete too much.
    #[error("nothing was changed: {0}")]
    Refused(String),
}

/// Converts an error of a request.
impl<E> From<SdkError<E>> for Error
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    fn from(error: SdkError<E>) -> Self {
        Self::Read(explain(&error))
    }
}

impl From<BuildError> for Error {
    fn from(error: BuildError) -> Self {
        Self::Read(error.to_string())
    }
}

impl From<serde_dynamo::Error> for Error {
    fn from(error: serde_dynamo::Error) -> Self {
        Self::Read(error.to_string())
    }
}

/// Converts an error of a batch or a transaction.
impl From<shared::Error> for Error {
    fn from(error: shared::Error) -> Self {
        Self::Read(error.causes())
    }
}

impl Error {
    /// Returns the error of a repair, of which a request failed.
    pub(super) fn of_repair(self) -> Self {
        match self {
            Self::Read(reason) => Self::Repair(reason),
            other => other,
        }
    }
}
