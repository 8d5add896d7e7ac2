//! The errors that functions give, as examples of each [`ErrorKind`].

use serde_json::Value;
use shared::entities::{
    MAX_COMMENTS, MAX_FAVORITES, MAX_FOLLOWING, MAX_PHOTOS, MAX_TAGS_PER_FAVORITE, MAX_TAGS_PER_USER,
};
use shared::http::answer::problem;
use shared::{Error, ErrorKind};

/// An error as the caller sees it.
pub(crate) struct Example {
    pub(crate) status: u16,
    /// The problem details.
    pub(crate) body: Value,
}

/// The parts of the operation that the example of an error names.
pub(crate) struct Context<'a> {
    /// A field of the request.
    pub(crate) field: &'a str,
    /// The rule of the field, worded as in an error.
    pub(crate) rule: &'a str,
    /// The text of a 403.
    pub(crate) forbidden: &'a str,
    /// The maximum size of the body in bytes.
    pub(crate) max_bytes: usize,
}

/// Returns an example of the error of a kind.
pub(crate) fn example(kind: ErrorKind, context: &Context) -> Example {
    let ada = "ada".parse().expect("a username");
    let error = match kind {
        ErrorKind::Invalid => Error::invalid(context.field, context.rule),
        ErrorKind::Malformed => {
            Error::Malformed("The body must be a JSON object: EOF while parsing a value at line 1 column 0.".to_owned())
        }
        ErrorKind::NotJson => Error::NotJson,
        ErrorKind::TooLarge => Error::TooLarge(context.max_bytes),
        ErrorKind::Unauthenticated => Error::Unauthenticated,
        ErrorKind::Forbidden => Error::Forbidden(context.forbidden.to_owned()),
        ErrorKind::NoUser => Error::no_user(&ada),
        ErrorKind::NoPhoto => Error::no_photo(&ada, &"2024-05-30T15:42:38".parse().expect("a timestamp")),
        ErrorKind::NoComment => {
            Error::no_comment(&"2026-01-31T09:30:00.123Z~ben".parse().expect("the id of a comment"))
        }
        ErrorKind::NoReport => Error::no_report(&"ada~2024-05-30T15:42:38".parse().expect("the id of a report")),
        ErrorKind::NoFavorite => Error::no_favorite(&"sunset".parse().expect("an id")),
        ErrorKind::NoTag => Error::no_tag(&"travel".parse().expect("an id")),
        ErrorKind::NotFound => Error::NotFound("item with this key".to_owned()),
        ErrorKind::Conflict => Error::Conflict(format!(
            "The request conflicts with what is there: a name is taken, a deletion is not finished, or a maximum is \
             reached. A user has at most {MAX_PHOTOS} photos, {MAX_FAVORITES} favorites and {MAX_TAGS_PER_USER} tags, has \
             written at most {MAX_COMMENTS} comments, and follows at most {MAX_FOLLOWING} users; a favorite has at most {MAX_TAGS_PER_FAVORITE} tags."
        )),
        ErrorKind::PreconditionFailed => Error::PreconditionFailed,
        ErrorKind::IdempotencyKeyReused => Error::IdempotencyKeyReused,
        ErrorKind::Busy => Error::Busy("throttled".into()),
        ErrorKind::Internal => Error::internal("unknown"),
    };
    let response = problem(error);
    let body = serde_json::from_slice(response.body()).expect("problem details are JSON");
    Example { status: response.status().as_u16(), body }
}
