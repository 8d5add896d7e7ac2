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
    for (name, group) in url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        // The names of Cognito groups contain no spaces.
        if name != "group" || group.is_empty() || group.contains(char::is_whitespace) {
            return bad_request("the query may contain only parameters of the form group=<name>");
        }
        groups.push(group.into_owned());
    }
    identity.token(&username, &groups).into_response()
}
