//! What can go wrong, in the words of the domain. [`crate::http::answer`] turns it into HTTP, in one place.

use aws_sdk_dynamodb::error::{BuildError, ProvideErrorMetadata, SdkError};

use crate::values::{DataId, TagId, Timestamp, Username};

/// Codes of errors that pass by themselves.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html>
const PASSING: &[&str] = &[
    "InternalServerError",
    "LimitExceededException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ServiceUnavailable",
    "ThrottlingException",
    "TransactionConflictException",
    "TransactionInProgressException",
];

type Source = Box<dyn std::error::Error + Send + Sync>;

/// Why a function did not do what it was asked to. The first kinds are the caller's to mend, and their text is for the
/// caller; the causes in [`Error::Busy`] and [`Error::Internal`] are for the log alone.
#[derive(Debug)]
pub enum Error {
    /// Fields of the body, the path or the query string break their rules.
    Invalid(Vec<Violation>),
    /// The body can't be read at all: not JSON, not an object.
    Malformed(String),
    /// The body is not declared as JSON.
    NotJson,
    /// The body is larger than this many bytes.
    TooLarge(usize),
    /// Nobody is known to be calling.
    Unauthenticated,
    /// The caller may not do this.
    Forbidden(String),
    /// There is no such thing; which one.
    NotFound(String),
    /// What is there already stands in the way; how.
    Conflict(String),
    /// What the caller wants to change isn't as they say it is.
    Stale,
    /// DynamoDB throttles, or can't be reached; the same request may succeed in a moment.
    Busy(Source),
    /// A fault of ours.
    Internal(Source),
}

/// A field and the rule that it breaks.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Violation {
    /// The field's name, as the caller wrote it.
    pub field: String,
    /// The rule: "must be …".
    pub message: String,
}

impl Error {
    /// One field breaks its rule.
    #[must_use]
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid(vec![Violation { field: field.into(), message: message.into() }])
    }

    /// There is no such user.
    #[must_use]
    pub fn no_user(username: &Username) -> Self {
        Self::NotFound(format!("user {username}"))
    }

    /// There is no such photo.
    #[must_use]
    pub fn no_photo(username: &Username, timestamp: &Timestamp) -> Self {
        Self::NotFound(format!("photo {timestamp} of {username}"))
    }

    /// There is no such favorite.
    #[must_use]
    pub fn no_favorite(data_id: &DataId) -> Self {
        Self::NotFound(format!("favorite {data_id}"))
    }

    /// There is no such tag.
    #[must_use]
    pub fn no_tag(tag_id: &TagId) -> Self {
        Self::NotFound(format!("tag {tag_id}"))
    }

    /// A fault of ours.
    pub fn internal(source: impl Into<Source>) -> Self {
        Self::Internal(source.into())
    }
}

/// An entity that can't be an item.
impl From<serde_dynamo::Error> for Error {
    fn from(error: serde_dynamo::Error) -> Self {
        Self::internal(error)
    }
}

/// A request without a part that it must have.
impl From<BuildError> for Error {
    fn from(error: BuildError) -> Self {
        Self::internal(error)
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::internal(error)
    }
}

/// What DynamoDB did not do, after the SDK's retries. A failed condition is translated where it occurs and never
/// arrives here.
impl<E> From<SdkError<E>> for Error
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    fn from(error: SdkError<E>) -> Self {
        let passing = match &error {
            SdkError::TimeoutError(_) | SdkError::DispatchFailure(_) => true,
            _ => error.code().is_some_and(|code| PASSING.contains(&code)),
        };
        if passing { Self::Busy(error.into()) } else { Self::Internal(error.into()) }
    }
}

/// An error with all its causes, in one line.
#[must_use]
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
