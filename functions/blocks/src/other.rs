//! The other user of a block.

#[cfg(feature = "schema")]
use shared::http::describe::Operation;
use shared::http::extract::FromRequest;
use shared::http::request::path;
use shared::values::Username;
use shared::{Error, Request};

/// The user whom the caller blocks.
pub struct Other(pub Username);

impl FromRequest for Other {
    fn from_request(request: &Request) -> Result<Self, Error> {
        path(request, "other").map(Self)
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        operation.path::<Username>("other", "The user who is blocked or muted.");
    }
}
