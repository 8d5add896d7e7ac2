//! The input of the routes that anybody may call, without a token.

use std::net::{IpAddr, Ipv6Addr};

use lambda_http::http::header;
use lambda_http::request::RequestContext;
use lambda_http::{Request, RequestExt};

use super::extract::{FromFields, FromRequest, PathParameter as _};
use super::fields::Fields;
use crate::Error;
#[cfg(feature = "schema")]
use crate::http::describe::{Callers, Operation};
use crate::values::LinkToken;

/// No caller: the route needs no token, and its templates give it no authorizer.
#[derive(Debug)]
pub struct Nobody;

impl FromRequest for Nobody {
    fn from_request(_: &Request) -> Result<Self, Error> {
        Ok(Self)
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        operation.callers(Callers::Nobody);
    }
}

/// The token of the link in the path, or `None` for a text that is no token. It opens nothing, like
/// a token that does not exist, so that an answer tells nothing about tokens.
#[derive(Debug)]
pub struct Token(pub Option<LinkToken>);

impl FromRequest for Token {
    fn from_request(request: &Request) -> Result<Self, Error> {
        let token = request.path_parameters_ref().and_then(|parameters| parameters.first(LinkToken::NAME));
        Ok(Self(token.and_then(|token| token.parse().ok())))
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        operation.path::<LinkToken>(LinkToken::NAME, LinkToken::DESCRIPTION);
    }
}

/// The form in which the client wants the answer, by its header `Accept`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wants {
    /// A page of HTML, which is the answer unless the client asks for JSON.
    Page,
    /// JSON.
    Json,
}

impl FromRequest for Wants {
    fn from_request(request: &Request) -> Result<Self, Error> {
        let lines = request.headers().get_all(header::ACCEPT).into_iter().filter_map(|line| line.to_str().ok());
        let mut types = lines.flat_map(|line| line.split(',')).map(|entry| entry.split(';').next().unwrap_or_default());
        Ok(if types.any(|name| name.trim().eq_ignore_ascii_case("application/json")) { Self::Json } else { Self::Page })
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        operation.is_for_browsers = true;
    }
}

/// The body: JSON, or the form of a page.
#[derive(Debug)]
pub struct FormOrJson<T> {
    /// The fields.
    pub fields: T,
    /// Whether the body is a form.
    pub is_form: bool,
}

impl<T: FromFields> FromRequest for FormOrJson<T> {
    fn from_request(request: &Request) -> Result<Self, Error> {
        let content_type = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let essence = content_type.and_then(|value| value.split(';').next()).unwrap_or_default().trim();
        let is_form = essence.eq_ignore_ascii_case("application/x-www-form-urlencoded");
        let mut fields = if is_form { Fields::from_form(request)? } else { Fields::from_request(request)? };
        Ok(Self { fields: T::from_fields(&mut fields)?, is_form })
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        super::extract::Body::<T>::describe(operation);
        operation.takes_form = true;
    }
}

/// The machine that sends a request.
#[derive(Debug)]
pub struct Sender {
    source: Option<IpAddr>,
    /// The key and the address that CloudFront adds.
    forwarded: Option<(String, IpAddr)>,
}

impl Sender {
    /// Returns the address, or the network of an IPv6 address, because one customer has 2⁶⁴ of those.
    ///
    /// Behind CloudFront, it is in the header
    /// [`CloudFront-Viewer-Address`](https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/adding-cloudfront-headers.html).
    /// Anybody could send this header to the origin, so it counts only with the key that CloudFront
    /// adds.
    #[must_use]
    pub fn network(&self, key: &str) -> Option<IpAddr> {
        let forwarded = self.forwarded.as_ref().filter(|(sent, _)| sent == key).map(|(_, address)| *address);
        Some(match forwarded.or(self.source)? {
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
            address @ IpAddr::V4(_) => address,
        })
    }
}

impl FromRequest for Sender {
    fn from_request(request: &Request) -> Result<Self, Error> {
        let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
        let source = match request.request_context_ref() {
            Some(RequestContext::ApiGatewayV2(context)) => context.http.source_ip.as_deref(),
            _ => None,
        };
        let viewer = header("cloudfront-viewer-address").and_then(|address| address.rsplit_once(':'));
        let viewer = viewer.and_then(|(address, _)| address.trim_matches(['[', ']']).parse().ok());
        let forwarded = header("x-links-key").map(ToOwned::to_owned).zip(viewer);
        Ok(Self { source: source.and_then(|source| source.parse().ok()), forwarded })
    }

    #[cfg(feature = "schema")]
    fn describe(_: &mut Operation<'_>) {}
}

#[cfg(test)]
mod tests {
    use lambda_http::{Body, http};

    use super::*;

    #[test]
    fn a_client_gets_json_only_if_it_asks_for_it() {
        let wants = |accept: &str| {
            Wants::from_request(&http::Request::get("/").header("accept", accept).body(Body::Empty).unwrap()).unwrap()
        };
        for json in ["application/json", "text/plain, Application/JSON;q=0.9", "application/json, */*"] {
            assert_eq!(wants(json), Wants::Json, "{json}");
        }
        for page in ["", "*/*", "text/html,application/xhtml+xml", "application/ld+json"] {
            assert_eq!(wants(page), Wants::Page, "{page}");
        }
    }

    #[test]
    fn the_address_of_a_viewer_counts_only_with_the_key_of_cloudfront() {
        let network = |key: &str, address: &str| {
            let request = http::Request::post("/").header("x-links-key", key);
            let request = request.header("cloudfront-viewer-address", address).body(Body::Empty).unwrap();
            let sender = Sender { source: "192.0.2.1".parse().ok(), ..Sender::from_request(&request).unwrap() };
            sender.network("secret").unwrap().to_string()
        };
        assert_eq!(network("secret", "198.51.100.10:46532"), "198.51.100.10");
        assert_eq!(network("secret", "2001:db8:1:2:3:4:5:6:46532"), "2001:db8:1:2::");
        assert_eq!(network("secret", "[2001:db8::7]:46532"), "2001:db8::");
        assert_eq!(network("guess", "198.51.100.10:46532"), "192.0.2.1");
        assert_eq!(network("secret", "nonsense"), "192.0.2.1");
    }
}
