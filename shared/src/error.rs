//! The domain errors. [`crate::http::answer::problem`] is the only place that converts them to
//! HTTP.

use aws_sdk_dynamodb::error::{BuildError, ProvideErrorMetadata, SdkError};

use crate::http::problems::ErrorKind;
use crate::values::{CommentId, DataId, PhotoId, ReportId, TagId, Username};

/// The codes of transient errors, after which the same request may succeed.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html>,
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html>
const TRANSIENT_CODES: &[&str] = &[
    "InternalError",
    "InternalServerError",
    "LimitExceededException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ServiceUnavailable",
    "SlowDown",
    "ThrottlingException",
    "TransactionConflictException",
    "TransactionInProgressException",
];

type Source = Box<dyn std::error::Error + Send + Sync>;

/// The reason why a function did not do what the caller requested.
///
/// The caller reads the texts of all variants but [`Error::Busy`] and [`Error::Internal`], whose
/// causes only the log shows.
#[derive(Debug)]
pub enum Error {
    /// Fields of the body, the path, the query string or the headers break their rules.
    Invalid(Vec<Violation>),
    /// The body cannot be parsed, for example because it is not JSON. The text says why.
    Malformed(String),
    /// The header `Content-Type` does not declare the body as JSON.
    NotJson,
    /// The body is larger than this maximum, in bytes.
    TooLarge(usize),
    /// The request has no valid token that identifies the caller.
    Unauthenticated,
    /// The request is refused, because of what exists or of who the caller is.
    Refused {
        /// The kind, by which a program tells it from others.
        kind: ErrorKind,
        /// A sentence that an app may show to its user as it stands.
        detail: String,
        /// The text for the developer of the app.
        hint: Option<String>,
    },
    /// The item does not match the precondition of the request (`If-Match`, `If-None-Match`).
    PreconditionFailed,
    /// The idempotency key of the request belongs to an earlier request with another body.
    IdempotencyKeyReused,
    /// A transient error, for example throttling by DynamoDB or a lost connection. The same request
    /// may succeed shortly after.
    Busy(Source),
    /// An error inside the server.
    Internal(Source),
}

/// A field of a request, and the rule that it breaks.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Violation {
    /// The name of the field. For a field inside a document, its path.
    pub field: String,
    /// The rule, mostly in the form "must be …", so that it can follow the name of the field.
    pub message: String,
}

impl Error {
    /// Returns the error of one field that breaks its rule.
    #[must_use]
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid(vec![Violation { field: field.into(), message: message.into() }])
    }

    /// Returns the error of a kind, with a sentence that an app may show to its user as it stands.
    #[must_use]
    pub fn refused(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Self::Refused { kind, detail: detail.into(), hint: None }
    }

    /// Adds to a [refusal](Self::Refused) what the developer of the app has to know.
    #[must_use]
    pub fn with_hint(self, text: impl Into<String>) -> Self {
        match self {
            Self::Refused { kind, detail, .. } => Self::Refused { kind, detail, hint: Some(text.into()) },
            other => other,
        }
    }

    /// Returns the error of a caller who has no profile.
    #[must_use]
    pub fn no_profile() -> Self {
        Self::refused(ErrorKind::NoProfile, "You have no profile. Create it first.")
            .with_hint("POST /users creates it.")
    }

    /// Returns the error of a user who does not exist.
    #[must_use]
    pub fn no_user(username: &Username) -> Self {
        Self::refused(ErrorKind::NoUser, format!("There is no user {username}."))
    }

    /// Returns the error of a user who does not exist, or [`Self::no_profile`] if it is the caller.
    #[must_use]
    pub fn unknown(username: &Username, caller: &Username) -> Self {
        if username == caller { Self::no_profile() } else { Self::no_user(username) }
    }

    /// Returns the error of a photo that does not exist, or that the caller may not see.
    #[must_use]
    pub fn no_photo(username: &Username, id: &PhotoId) -> Self {
        Self::refused(ErrorKind::NoPhoto, format!("This photo of {username} is not available."))
            .with_hint(format!("There is no photo {id} of {username}."))
    }

    /// Returns the error of a comment that does not exist, or that the caller may not see.
    #[must_use]
    pub fn no_comment(id: &CommentId) -> Self {
        Self::refused(ErrorKind::NoComment, "This comment is not available.")
            .with_hint(format!("There is no comment {id} on this photo."))
    }

    /// Returns the error of a report that does not exist.
    #[must_use]
    pub fn no_report(id: &ReportId) -> Self {
        Self::refused(ErrorKind::NoReport, "This report does not exist.").with_hint(format!("There is no report {id}."))
    }

    /// Returns the error of a favorite that does not exist.
    #[must_use]
    pub fn no_favorite(data_id: &DataId) -> Self {
        Self::refused(ErrorKind::NoFavorite, "This favorite does not exist.")
            .with_hint(format!("There is no favorite {data_id}."))
    }

    /// Returns the error of a tag that does not exist.
    #[must_use]
    pub fn no_tag(tag_id: &TagId) -> Self {
        Self::refused(ErrorKind::NoTag, "This tag does not exist.").with_hint(format!("There is no tag {tag_id}."))
    }

    /// Returns the text with all causes, for the log.
    #[must_use]
    pub fn causes(&self) -> String {
        match self {
            Self::Busy(cause) | Self::Internal(cause) => chain(cause.as_ref()),
            other => format!("{other:?}"),
        }
    }

    /// Returns an error inside the server with its cause.
    pub fn internal(source: impl Into<Source>) -> Self {
        Self::Internal(source.into())
    }
}

/// Converts the error of an entity that cannot be written as an item.
impl From<serde_dynamo::Error> for Error {
    fn from(error: serde_dynamo::Error) -> Self {
        Self::internal(error)
    }
}

/// Converts the error of a request to DynamoDB or S3 that lacks a required part.
impl From<BuildError> for Error {
    fn from(error: BuildError) -> Self {
        Self::internal(error)
    }
}

/// Converts the error of an answer that cannot be written as JSON.
impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::internal(error)
    }
}

/// Converts the error of a request to an AWS service, after the retries of the SDK. A failed
/// condition does not get here, because it is handled where it occurs.
impl<E> From<SdkError<E>> for Error
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    fn from(error: SdkError<E>) -> Self {
        let is_transient = match &error {
            SdkError::TimeoutError(_) | SdkError::DispatchFailure(_) | SdkError::ResponseError(_) => true,
            // An error although the status is a success: the SDK cannot parse the answer.
            SdkError::ServiceError(error) if error.raw().status().is_success() => true,
            // Every error of DynamoDB has a code. One without a code is an answer that the SDK
            // cannot parse either.
            _ => error.code().is_none_or(|code| TRANSIENT_CODES.contains(&code)),
        };
        if is_transient { Self::Busy(error.into()) } else { Self::Internal(error.into()) }
    }
}

/// Returns an error and all its causes in one line, separated by colons.
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

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::operation::get_item::GetItemError;
    use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
    use aws_smithy_runtime_api::http::StatusCode;
    use aws_smithy_types::body::SdkBody;

    use super::*;

    #[test]
    fn an_answer_that_cannot_be_read_is_transient() {
        let answer = HttpResponse::new(StatusCode::try_from(200).unwrap(), SdkBody::empty());
        let error: SdkError<GetItemError> = SdkError::response_error("the connection was reset", answer);
        assert!(matches!(Error::from(error), Error::Busy(_)));
    }
}
