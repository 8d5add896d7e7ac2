//! The follower in a path, and which callers may name them.

#[cfg(feature = "schema")]
use shared::http::describe::{Callers, Operation};
use shared::http::extract::{FromRequest, Path};
use shared::http::request::{Caller, path};
use shared::values::Username;
use shared::{Error, Request};

/// The user who follows, or asks to follow.
pub struct Follower(pub Username);

impl FromRequest for Follower {
    fn from_request(request: &Request) -> Result<Self, Error> {
        path(request, "follower").map(Self)
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        operation.path::<Username>("follower", "The user who follows, or asks to follow. `me` is the caller.");
    }
}

/// The caller, who must be the follower in the path. Everybody else gets 403.
pub struct OwnFollower(pub Caller);

impl FromRequest for OwnFollower {
    fn from_request(request: &Request) -> Result<Self, Error> {
        let (Follower(follower), caller) = <(Follower, Caller)>::from_request(request)?;
        caller.must_be(&follower)?;
        Ok(Self(caller))
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        operation.path::<Username>("follower", "The caller, who follows: `me`, or the username of the caller.");
        Caller::describe(operation);
        operation.callers(Callers::Owner);
    }
}

/// The two users in the path, of whom the caller must be one. Everybody else gets 403.
pub struct Either {
    /// The user who is followed.
    pub username: Username,
    /// The follower.
    pub follower: Username,
    /// One of them.
    pub caller: Caller,
}

impl FromRequest for Either {
    fn from_request(request: &Request) -> Result<Self, Error> {
        let (Path(username), Follower(follower), caller) = <(Path<Username>, Follower, Caller)>::from_request(request)?;
        caller.must_be_either(&follower, &username)?;
        Ok(Self { username, follower, caller })
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        <(Path<Username>, Follower, Caller)>::describe(operation);
        operation.callers(Callers::Either);
    }
}
