//! The errors that functions give, as examples of each [`ErrorKind`].

use serde_json::Value;
use shared::entities::{
    MAX_COMMENTS, MAX_FAVORITES, MAX_FOLLOWING, MAX_PHOTOS, MAX_TAGS_PER_FAVORITE, MAX_TAGS_PER_USER,
};
use shared::http::answer::problem;
use shared::http::describe::Callers;
use shared::values::{Username, Value as _};
use shared::{Error, ErrorKind};

/// An error as the caller sees it.
pub(crate) struct Example {
    pub(crate) status: u16,
    /// What it means, whoever the caller is.
    pub(crate) meaning: String,
    /// The problem details.
    pub(crate) body: Value,
}

/// The parts of the operation that the example of an error names.
pub(crate) struct Context<'a> {
    /// A field of the request.
    pub(crate) field: &'a str,
    /// The rule of the field, worded as in an error.
    pub(crate) rule: &'a str,
    /// The callers whom the operation admits.
    pub(crate) callers: Callers,
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
        ErrorKind::Forbidden => Error::Forbidden(forbidden(context.callers)),
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
    Example { status: response.status().as_u16(), meaning: meaning(kind, context), body }
}

/// Returns the text of a 403 to somebody whom the operation does not admit.
fn forbidden(callers: Callers) -> String {
    match callers {
        Callers::Any => format!("The username in the token must be {}.", Username::RULE),
        Callers::Owner => "Only ada may do this.".to_owned(),
        Callers::Either => "Only ada and ben may do this.".to_owned(),
        Callers::Group(group) => format!("Only members of the group {group} may do this."),
    }
}

/// Returns what the error of a kind means in an operation.
fn meaning(kind: ErrorKind, context: &Context) -> String {
    let meaning = match kind {
        ErrorKind::Invalid => "A parameter or a field breaks its rule, or is not known. `errors` names each.",
        ErrorKind::Malformed => "The body is not a JSON object in UTF-8.",
        ErrorKind::NotJson => "The body is not declared as JSON.",
        ErrorKind::TooLarge => return format!("The body is larger than {} bytes.", context.max_bytes),
        ErrorKind::Unauthenticated => "There is no valid token.",
        ErrorKind::Forbidden => match context.callers {
            Callers::Any => "The profile with the username of the caller belongs to another account.",
            Callers::Owner => "The caller is not the user whom the request names, or has another account.",
            Callers::Either => "The caller is neither of the users whom the request names, or has another account.",
            Callers::Group(group) => return format!("The caller is not a member of the group {group}."),
        },
        ErrorKind::NoUser => "There is no such user for the caller.",
        ErrorKind::NoPhoto => "There is no such photo for the caller.",
        ErrorKind::NoComment => "There is no such comment on the photo.",
        ErrorKind::NoReport => "There is no such report.",
        ErrorKind::NoFavorite => "The caller has no such favorite.",
        ErrorKind::NoTag => "The caller has no such tag.",
        ErrorKind::NotFound => "What the path names does not exist.",
        ErrorKind::Conflict => {
            "A name is taken or rests, a maximum is reached, or something has to be undone first. `detail` says what."
        }
        ErrorKind::PreconditionFailed => "The item is not as `If-Match` or `If-None-Match` requires.",
        ErrorKind::IdempotencyKeyReused => "The `Idempotency-Key` belongs to an earlier request with another body.",
        ErrorKind::Busy => "DynamoDB throttles or cannot be reached. `Retry-After` says when to repeat the request.",
        ErrorKind::Internal => "The server has an error.",
    };
    meaning.to_owned()
}
