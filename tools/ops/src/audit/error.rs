//! The errors of an audit.

use std::fmt;

use aws_sdk_dynamodb::error::{BuildError, ProvideErrorMetadata, SdkError};
use loader::explain;
use shared::error::chain;

/// The error that ends an audit early.
#[derive(Debug)]
pub enum Error {
    /// The table cannot be audited: the table does not exist, the endpoint does not answer, the
    /// credentials are not sufficient, or the table is not one of Quick Photos. Holds the table's
    /// name and the reason.
    Table(String, String),
    /// The objects of the bucket cannot be read. Holds the bucket's name and the reason.
    Bucket(String, String),
    /// A read failed.
    Read(String),
    /// A repair failed.
    Repair(String),
    /// The audit does not repair anything, for this reason: what it was given does not belong
    /// together, or the repair would delete too much.
    Refused(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(table, reason) => write!(f, "table {table}: {reason}"),
            Self::Bucket(bucket, reason) => write!(f, "bucket {bucket}: {reason}"),
            Self::Read(reason) => write!(f, "reading failed: {reason}"),
            Self::Repair(reason) => write!(f, "repairing failed: {reason}"),
            Self::Refused(reason) => write!(f, "nothing was changed: {reason}"),
        }
    }
}

impl std::error::Error for Error {}

/// Converts an error of a read. All requests of an audit are reads, except for the transactions of
/// a repair.
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
        Self::Repair(error.to_string())
    }
}

/// Converts an error of a transaction.
impl From<shared::Error> for Error {
    fn from(error: shared::Error) -> Self {
        Self::Repair(describe(error))
    }
}

impl Error {
    /// Converts an error of a `BatchGetItem` request.
    pub(super) fn batch_get(error: shared::Error) -> Self {
        Self::Read(describe(error))
    }
}

fn describe(error: shared::Error) -> String {
    match error {
        shared::Error::Busy(cause) | shared::Error::Internal(cause) => chain(cause.as_ref()),
        other => format!("{other:?}"),
    }
}
