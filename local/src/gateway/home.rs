//! `GET /` for clients other than browsers: says where things are.

use std::fmt::Write as _;

use axum::http::{HeaderMap, header};

use crate::gateway::router::Router;

/// Returns whether the client [prefers](https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1) HTML to plain text. Only a
/// browser names HTML; curl accepts anything.
pub(super) fn prefers_html(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let ranges: Vec<&str> = accepted.flat_map(|value| value.split(',')).collect();
    let quality = |kind: &str| {
        let range = ranges.iter().find(|range| range.split(';').next().unwrap_or_default().trim() == kind)?;
        let weight = range.split(';').skip(1).find_map(|parameter| parameter.trim().strip_prefix("q="));
        weight.map_or(Some(1.0), |weight| weight.parse::<f32>().ok())
    };
    quality("text/html").is_some_and(|html| html > 0.0 && html >= quality("text/plain").unwrap_or_default())
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
http://{host}/local/outbox             shows the e-mails that were sent
http://{host}/local/health             answers ok

A request to a route needs a token:

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_prefers_html() {
        let prefers = |accept: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            prefers_html(&headers)
        };
        assert!(prefers("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"));
        assert!(prefers("text/plain;q=0.5, text/html;level=1;q=0.5"));
        for accept in ["*/*", "text/*", "", "application/json", "text/html;q=0", "text/plain, text/html;q=0.9"] {
            assert!(!prefers(accept), "{accept}");
        }
        assert!(!prefers_html(&HeaderMap::new()));
    }
}
