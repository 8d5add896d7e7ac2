//! Caching by clients: the headers `Cache-Control` and `ETag` of answers, and `If-None-Match` of a
//! GET, by [RFC 9110](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2) and [RFC
//! 9111](https://www.rfc-editor.org/rfc/rfc9111).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use lambda_http::Request;
use lambda_http::http::{HeaderValue, Method, StatusCode, header};
use sha2::{Digest, Sha256};

use super::HttpResponse;
use super::precondition::UNVERSIONED_TAG;

/// `Cache-Control` of what a GET returns, unless the answer has another one. A browser may keep the
/// answer for its own user, and asks with `If-None-Match` before it shows the answer again.
const REVALIDATE: HeaderValue = HeaderValue::from_static("private, no-cache");

/// `Cache-Control` of [private answers](super::answer::private), of errors, and of the answers of
/// all other methods. An app that keeps a private answer in its memory may still ask with the
/// `ETag` whether it has changed.
pub(super) const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// The time for which CloudFront keeps an answer that everybody may see, in seconds.
pub const SHARED_SECONDS: u64 = 60;

/// `Cache-Control` of [what everybody may see](super::answer::shared). A browser asks again, so
/// that a minute after its end no machine has it.
pub(super) const SHARED: HeaderValue = HeaderValue::from_static("public, max-age=0, s-maxage=60");

/// The part of a request that decides how its answer may be cached.
#[derive(Debug)]
pub struct Revalidation {
    is_get: bool,
    if_none_match: Vec<String>,
}

impl Revalidation {
    /// Takes the method and the tags in `If-None-Match` from a request. A tag with a comma is no
    /// tag of this API.
    #[must_use]
    pub fn from_request(request: &Request) -> Self {
        let lines = request.headers().get_all(header::IF_NONE_MATCH).into_iter();
        let tags = lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(','));
        Self {
            is_get: request.method() == Method::GET,
            if_none_match: tags.map(|tag| without_weak_prefix(tag.trim()).to_owned()).collect(),
        }
    }

    /// Adds `Cache-Control`, and to the answer of a GET an entity tag, unless it has one. Returns a
    /// 304 without a body if the client has this answer already.
    ///
    /// The tag is a hash of the body. It is weak, because it only tells whether the client has the
    /// same answer: no write can be made conditional on it.
    #[must_use]
    pub fn apply(&self, mut response: HttpResponse) -> HttpResponse {
        if !self.is_get || response.status() != StatusCode::OK {
            response.headers_mut().entry(header::CACHE_CONTROL).or_insert(NO_STORE);
            return response;
        }
        let hash = format!("W/\"{}\"", hash(&response));
        let headers = response.headers_mut();
        headers.entry(header::CACHE_CONTROL).or_insert(REVALIDATE);
        let tag = headers.entry(header::ETAG).or_insert_with(|| HeaderValue::try_from(hash).expect("visible ASCII"));
        if self.has(tag.to_str().unwrap_or_default()) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response.headers_mut().remove(header::CONTENT_TYPE);
            *response.body_mut() = lambda_http::Body::Empty;
        }
        response
    }

    /// Returns whether the client has the answer with this tag, by the weak comparison of [RFC
    /// 9110](https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3.2). The tag of an item without a
    /// version stays the same when another program changes the item, so it never counts.
    fn has(&self, tag: &str) -> bool {
        tag != UNVERSIONED_TAG
            && self.if_none_match.iter().any(|known| known == "*" || known == without_weak_prefix(tag))
    }
}

/// Returns a hash of the body of a response, of 22 characters.
pub(super) fn hash(response: &HttpResponse) -> String {
    let body: &[u8] = response.body();
    BASE64.encode(&Sha256::digest(body)[..16])
}

/// Returns a tag without the prefix `W/` of a weak one.
fn without_weak_prefix(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

#[cfg(test)]
mod tests {
    use lambda_http::{Body, http};

    use super::*;

    fn answer(method: &str, tags: &[&str], response: HttpResponse) -> HttpResponse {
        let mut request = http::Request::builder().method(method);
        for tag in tags {
            request = request.header("If-None-Match", *tag);
        }
        Revalidation::from_request(&request.body(Body::Empty).unwrap()).apply(response)
    }

    fn response(status: u16, tag: Option<&str>) -> HttpResponse {
        let mut response = http::Response::builder().status(status).header("content-type", "application/json");
        if let Some(tag) = tag {
            response = response.header("etag", tag);
        }
        response.body(Body::from("{}")).unwrap()
    }

    #[test]
    fn a_get_has_a_tag_with_which_the_next_one_answers_304() {
        let first = answer("GET", &[], response(200, None));
        assert_eq!((first.status().as_u16(), &first.headers()["cache-control"]), (200, &REVALIDATE));
        let tag = first.headers()["etag"].to_str().unwrap();
        assert!(tag.starts_with("W/\"") && tag.len() == 22 + 4, "{tag}");

        let strong = tag.strip_prefix("W/").unwrap();
        for tags in [&[tag][..], &[strong], &["*"], &["\"a\", \"b\"", &format!("\"c\",{tag}")]] {
            let again = answer("GET", tags, response(200, None));
            assert_eq!(again.status().as_u16(), 304, "{tags:?}");
            assert_eq!(again.headers()["etag"], tag);
            assert_eq!(again.headers()["cache-control"], REVALIDATE);
            assert!(again.body().is_empty() && !again.headers().contains_key("content-type"));
        }
        for tags in [&[][..], &["\"a\""], &["W/\"\""], &[tag.trim_end_matches('"')]] {
            assert_eq!(answer("GET", tags, response(200, None)).status().as_u16(), 200, "{tags:?}");
        }
    }

    #[test]
    fn a_version_is_the_tag_unless_the_item_has_none() {
        let with_version = |tag| answer("GET", &[tag], response(200, Some("\"v1\"")));
        assert_eq!(with_version("\"v1\"").status().as_u16(), 304);
        assert_eq!(with_version("W/\"v1\"").headers()["etag"], "\"v1\"");
        assert_eq!(with_version("\"v2\"").status().as_u16(), 200);
        for tag in [UNVERSIONED_TAG, "*"] {
            assert_eq!(answer("GET", &[tag], response(200, Some(UNVERSIONED_TAG))).status().as_u16(), 200);
        }
    }

    #[test]
    fn a_private_answer_is_not_stored_and_has_a_tag() {
        let private = || HttpResponse::from(crate::http::answer::private(&"mine").unwrap());
        let first = answer("GET", &[], private());
        assert_eq!((first.status().as_u16(), &first.headers()["cache-control"]), (200, &NO_STORE));
        let again = answer("GET", &[first.headers()["etag"].to_str().unwrap()], private());
        assert_eq!((again.status().as_u16(), &again.headers()["cache-control"]), (304, &NO_STORE));
    }

    #[test]
    fn nothing_but_the_answer_of_a_get_is_stored() {
        for (method, status) in [("GET", 404), ("PUT", 200), ("DELETE", 200), ("POST", 201)] {
            let answer = answer(method, &["*"], response(status, None));
            assert_eq!((answer.status().as_u16(), &answer.headers()["cache-control"]), (status, &NO_STORE));
            assert!(!answer.headers().contains_key("etag") && !answer.body().is_empty(), "{method} {status}");
        }
    }
}
