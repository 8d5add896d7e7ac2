//! The name by which a client calls the stack.

use std::net::IpAddr;

use axum::http::{HeaderMap, header};

/// Returns the `Host` of a request, or an error that says why it is not accepted.
///
/// Unless `any_host` is set, it has to be an address or `localhost`. Any other name could be the
/// name of a foreign site that leads to this machine ([DNS
/// rebinding](https://en.wikipedia.org/wiki/DNS_rebinding)); a browser takes the answer for one of
/// that site.
pub(crate) fn check(headers: &HeaderMap, any_host: bool) -> Result<&str, &'static str> {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if any_host || is_address(host) {
        Ok(host)
    } else {
        Err("call the stack by an address or as localhost, not by another name")
    }
}

/// Returns whether a host, with or without a port, is an IP address or `localhost`.
fn is_address(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost") || address.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_and_localhost_are_accepted() {
        let check = |host: &str, any_host| {
            let headers = HeaderMap::from_iter([(header::HOST, host.parse().unwrap())]);
            super::check(&headers, any_host).map(|accepted| assert_eq!(accepted, host))
        };
        for host in ["localhost", "LOCALHOST:3000", "127.0.0.1:3000", "192.168.1.5", "[::1]:3000", "[::1]"] {
            assert!(check(host, false).is_ok(), "{host}");
        }
        for host in ["evil.example:3000", "localhost.evil.example", "127.0.0.1.evil.example:3000", "", "[localhost.x]"]
        {
            assert!(check(host, false).is_err(), "{host}");
        }
        assert!(super::check(&HeaderMap::new(), false).is_err());
        assert!(check("photos.example:3000", true).is_ok());
    }
}
