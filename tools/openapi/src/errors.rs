//! The errors that functions give, as examples of each constructor of [`Error`].

use serde_json::Value;
use shared::Error;
use shared::http::answer::problem;

/// An error as the caller sees it.
pub(crate) struct Example {
    pub(crate) status: u16,
    /// The problem details.
    pub(crate) body: Value,
}

/// Returns an example of the error that a constructor makes. `field` and `rule` are those of a field of the request.
pub(crate) fn example(constructor: &str, field: &str, rule: &str) -> Example {
    let ada = "ada".parse().expect("a username");
    let error = match constructor {
        "Invalid" | "invalid" => Error::invalid(field, rule),
        "Malformed" => {
            Error::Malformed("The body must be a JSON object: EOF while parsing a value at line 1 column 0.".to_owned())
        }
        "NotJson" => Error::NotJson,
        "TooLarge" => Error::TooLarge(shared::http::request::MAX_BODY_BYTES),
        "Unauthenticated" => Error::Unauthenticated,
        "Forbidden" => Error::Forbidden("Only ada may do this.".to_owned()),
        "no_user" => Error::no_user(&ada),
        "no_photo" => Error::no_photo(&ada, &"2024-05-30T15:42:38".parse().expect("a timestamp")),
        "no_favorite" => Error::no_favorite(&"sunset".parse().expect("an id")),
        "no_tag" => Error::no_tag(&"travel".parse().expect("an id")),
        "NotFound" => Error::NotFound("item with this key".to_owned()),
        "Conflict" => {
            Error::Conflict("The name is taken, or a maximum number is reached. The detail says which.".to_owned())
        }
        "PreconditionFailed" => Error::PreconditionFailed,
        "IdempotencyKeyReused" => Error::IdempotencyKeyReused,
        "Busy" => Error::Busy("throttled".into()),
        "Internal" | "internal" => Error::internal("unknown"),
        other => panic!("tools/openapi/src/errors.rs: add an example of Error::{other}"),
    };
    let response = problem(error);
    let body = serde_json::from_slice(response.body()).expect("problem details are JSON");
    Example { status: response.status().as_u16(), body }
}
