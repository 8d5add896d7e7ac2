//! The header `Idempotency-Key`, by which a client marks the repetitions of one POST request
//! ([draft-ietf-httpapi-idempotency-key-header](https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/)).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use lambda_http::Request;
use sha2::{Digest, Sha256};

#[cfg(feature = "schema")]
use super::describe::Operation;
use super::extract::FromRequest;
use crate::Error;
use crate::values::{IdempotencyKey, Value as _};

/// The name of the header. HTTP/2 requires lower case, and problem details name the field like this
/// too.
const HEADER: &str = "idempotency-key";

/// The header of a request, if it has one. The key may be in double quotes, as the draft has it, or
/// not: both are the same key.
#[derive(Debug)]
pub struct Idempotency(pub Option<KeyOfBody>);

/// A key, and the hash of the body: that of its bytes as the client sent them. API Gateway may
/// encode them in base64, and `lambda_http` decodes them again. So two texts of the same JSON are
/// two bodies.
#[derive(Debug)]
pub struct KeyOfBody {
    /// The key.
    pub key: IdempotencyKey,
    /// The hash of the body, in base64.
    pub body_sha256: String,
}

impl FromRequest for Idempotency {
    fn from_request(request: &Request) -> Result<Self, Error> {
        let invalid = || {
            let rule = format!("must be {}, in double quotes or without", IdempotencyKey::RULE);
            Error::invalid(HEADER, rule)
        };
        let mut values = request.headers().get_all(HEADER).into_iter();
        let Some(value) = values.next() else { return Ok(Self(None)) };
        if values.next().is_some() {
            return Err(Error::invalid(HEADER, "must be given only once"));
        }
        let text = value.to_str().map_err(|_| invalid())?.trim();
        let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
        let key: IdempotencyKey = text.parse().map_err(|_| invalid())?;
        Ok(Self(Some(KeyOfBody { key, body_sha256: BASE64.encode(Sha256::digest(request.body())) })))
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        operation.idempotency_key();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lambda_http::{Body, http};

    fn parse(values: &[&str]) -> Result<Option<KeyOfBody>, Error> {
        let mut request = http::Request::post("/");
        for value in values {
            request = request.header("Idempotency-Key", value.as_bytes());
        }
        let request = request.body(Body::from("{}")).unwrap();
        Ok(Idempotency::from_request(&request)?.0)
    }

    #[test]
    fn the_header_is_optional_and_may_be_in_quotes() {
        assert!(parse(&[]).unwrap().is_none());
        for value in ["a-1", "\"a-1\"", " a-1\t"] {
            let request = parse(&[value]).unwrap().unwrap();
            assert_eq!(request.key.as_ref(), "a-1", "{value}");
        }
    }

    #[test]
    fn refuses_malformed_headers() {
        let too_long = "a".repeat(65);
        let malformed = r#"|""|"|"a|a"|""a""|a"b|"a\"b"|a b|"a", "b"|a,b|"a";p=1|a#b|'a'|:YQ==:|ä"#;
        for value in malformed.split('|').chain([&*too_long]) {
            match parse(&[value]) {
                Err(Error::Invalid(violations)) => assert_eq!(violations[0].field, "idempotency-key", "{value}"),
                other => panic!("{value}: {other:?}"),
            }
        }
        assert!(matches!(parse(&["a", "a"]), Err(Error::Invalid(_))), "a repeated header is ambiguous");
    }

    #[test]
    fn the_hash_is_sha_256() {
        // printf '{}' | openssl dgst -sha256 -binary | base64
        assert_eq!(parse(&["a"]).unwrap().unwrap().body_sha256, "RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=");
    }
}
