//! `GET /` for clients other than browsers: says where things are.

use std::fmt::Write as _;

use axum::http::{HeaderMap, header};

use crate::gateway::router::Router;

/// Returns whether the client is a browser. Only a browser names HTML; curl accepts anything.
pub(super) fn is_browser(headers: &HeaderMap) -> bool {
    let mut accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.any(|value| value.contains("text/html"))
}

/// Returns the addresses of the stack and the routes of the API, as text for people.
pub(super) fn text(router: &Router, headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("127.0.0.1:3000");
    let mut text = format!(
        "Quick Photos on this machine

http://{host}/                         is the page, in a browser
http://{host}/local/docs               reads and tries the API in a browser
http://{host}/local/openapi.json       describes the API (OpenAPI)
http://{host}/local/token/<username>   issues a token; ?group=editors makes its user an editor
http://{host}/local/outbox             shows the e-mails and push notifications that were sent
http://{host}/local/health             answers ok

A request to a route needs a token, unless its path begins with /s/ or is /oembed:

TOKEN=$(curl -s http://{host}/local/token/ada)
curl -H \"Authorization: Bearer $TOKEN\" http://{host}/users/ada/profile

The routes and their functions:

"
    );
    for (route, function) in router.routes() {
        let (method, path) = route.split_once(' ').unwrap_or_default();
        let _ = writeln!(text, "{method:<6} {path:<60} {function}");
    }
    text
}
