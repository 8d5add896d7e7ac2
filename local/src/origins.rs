//! The pages of other origins that the stack refuses, and the option that allows them.

use std::borrow::Cow;

use axum::http::{HeaderMap, header};

use crate::template::Cors;

/// Returns the origin of a request, if a page has sent it whose origin is neither that of the stack
/// itself nor allowed.
pub(crate) fn refused<'a>(headers: &'a HeaderMap, cors: Option<&Cors>) -> Option<&'a str> {
    // A page that is a file has the origin `null`. What is not ASCII is no origin either.
    let origin = headers.get(header::ORIGIN)?.to_str().unwrap_or("null");
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let own = host.map(without_loopback);
    let is_own = origin.strip_prefix("http://").is_some_and(|name| Some(without_loopback(name)) == own);
    (!is_own && cors.and_then(|cors| cors.allow(origin)).is_none()).then_some(origin)
}

/// Returns a host with `localhost` in place of a loopback address. The stack listens on all of them,
/// and a page that was opened by one opens its WebSocket by another.
fn without_loopback(host: &str) -> Cow<'_, str> {
    let port = ["127.0.0.1", "[::1]"].iter().find_map(|address| host.strip_prefix(address));
    match port.filter(|port| port.is_empty() || port.starts_with(':')) {
        Some(port) => format!("localhost{port}").into(),
        None => host.into(),
    }
}

/// Returns the sentence that says how to allow an origin beside those that are allowed already.
pub(crate) fn advice(origin: &str, cors: Option<&Cors>) -> String {
    let is_page = ["http://", "https://"].iter().any(|scheme| origin.starts_with(scheme));
    let origins: Cow<str> = match cors {
        // No parameter can name such an origin.
        _ if !is_page => "'*'".into(),
        Some(cors) => format!("{},{origin}", cors.allow_origins.join(",")).into(),
        None => origin.into(),
    };
    format!(
        "pages of the origin {origin} may not call this stack; allow them with --parameter AllowedOrigins={origins}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Template;

    #[test]
    fn only_pages_of_foreign_origins_are_refused() {
        let parameters = [("AllowedOrigins".to_owned(), "http://a.example".to_owned())].into();
        let cors = Template::read_with(&Template::find().unwrap(), parameters).unwrap().cors.unwrap();
        let headers = |origin: &str| {
            HeaderMap::from_iter([
                (header::HOST, "192.0.2.7:3000".parse().unwrap()),
                (header::ORIGIN, origin.parse().unwrap()),
            ])
        };
        let refused = |origin: &str| super::refused(&headers(origin), Some(&cors)).map(str::to_owned);
        assert_eq!(super::refused(&HeaderMap::new(), None), None);
        assert_eq!(refused("http://192.0.2.7:3000"), None);
        assert_eq!(refused("http://a.example"), None);
        for origin in ["http://192.0.2.7:5173", "https://192.0.2.7:3000", "null"] {
            assert_eq!(refused(origin).as_deref(), Some(origin));
        }
        for (origin, cors, origins) in [
            ("http://b", None, "=http://b"),
            ("http://b", Some(&cors), "=http://a.example,http://b"),
            ("null", Some(&cors), "='*'"),
        ] {
            assert!(advice(origin, cors).ends_with(origins), "{}", advice(origin, cors));
        }
    }
}
