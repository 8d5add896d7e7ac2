//! The endpoints of the token issuer.

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::{Path, RawQuery, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::get,
};
use serde_json::{Value, json};
use shared::values::Username;

use crate::gateway::errors::{bad_request, error};
use crate::services::identity::Identity;

/// Returns a router of `GET /local/token/{username}` and of the issuer's metadata.
pub(super) fn router(identity: Arc<Identity>) -> Router {
    Router::new()
        .route("/local/token/{username}", get(token))
        .route("/local/.well-known/openid-configuration", get(configuration))
        .route("/local/.well-known/jwks.json", get(keys))
        .with_state(identity)
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
    match identity.token(&username, &groups) {
        Ok(token) => token.into_response(),
        Err(cause) => error(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error", &format!("{cause:#}")),
    }
}

/// Returns whether a byte is [unreserved in a URI](https://www.rfc-editor.org/rfc/rfc3986#section-2.3).
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

async fn configuration(State(identity): State<Arc<Identity>>) -> Json<Value> {
    Json(identity.configuration())
}

async fn keys(State(identity): State<Arc<Identity>>) -> Json<Value> {
    Json(json!(identity.keys()))
}
