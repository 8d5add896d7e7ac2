//! The endpoint of the token issuer.

use std::sync::Arc;

use axum::{
    Router,
    extract::{Path, RawQuery, State},
    response::{IntoResponse, Response},
    routing::get,
};
use shared::values::Username;

use crate::gateway::errors::bad_request;
use crate::services::identity::Identity;

/// Returns a router of `GET /local/token/{username}`.
pub(super) fn router(identity: Arc<Identity>) -> Router {
    Router::new().route("/local/token/{username}", get(token)).with_state(identity)
}

/// Issues a token to the user in the path. Each `group=` in the query adds a group to the token.
async fn token(
    State(identity): State<Arc<Identity>>,
    Path(username): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    if let Err(invalid) = username.parse::<Username>() {
        return bad_request(&format!("a username {invalid}"));
    }
    let mut groups = vec![];
    for parameter in query.iter().flat_map(|query| query.split('&')).filter(|parameter| !parameter.is_empty()) {
        // The names of Cognito groups contain no spaces.
        match parameter.strip_prefix("group=").filter(|group| !group.is_empty() && group.bytes().all(is_unreserved)) {
            Some(group) => groups.push(group.to_owned()),
            None => return bad_request("the query may contain only parameters of the form group=<name>"),
        }
    }
    identity.token(&username, &groups).into_response()
}

/// Returns whether a byte is [unreserved in a
/// URI](https://www.rfc-editor.org/rfc/rfc3986#section-2.3).
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}
