//! [Cross-origin resource
//! sharing](https://docs.aws.amazon.com/AmazonS3/latest/userguide/cors.html), by which a browser
//! lets a page of another origin use a bucket. Unlike API Gateway, S3 refuses a preflight that no
//! rule matches, and names in its answer what the matching rule allows.

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, Method, header},
    response::{IntoResponse as _, Response},
};

use super::answer::error;
use crate::origins;
use crate::template::CorsRule;

/// A request by which a browser asks if it may send another one.
pub(super) struct Preflight {
    origin: String,
    method: String,
    headers: Vec<String>,
}

impl Preflight {
    /// Returns the preflight that a request is.
    pub(super) fn from_request(request: &Request) -> Option<Self> {
        let text = |name: HeaderName| request.headers().get(name)?.to_str().ok().map(str::to_owned);
        if request.method() != Method::OPTIONS {
            return None;
        }
        let headers = text(header::ACCESS_CONTROL_REQUEST_HEADERS).unwrap_or_default();
        let headers = headers.split(',').map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty());
        Some(Self {
            origin: text(header::ORIGIN)?,
            method: text(header::ACCESS_CONTROL_REQUEST_METHOD)?,
            headers: headers.collect(),
        })
    }

    /// Returns the answer: what the first matching rule allows, or 403.
    pub(super) fn answer(&self, all: &[CorsRule]) -> Response {
        if all.is_empty() {
            return error(403, "AccessForbidden", "CORSResponse: CORS is not enabled for this bucket.");
        }
        let is_allowed = |rule: &&CorsRule| {
            let has = |name: &String| rule.allowed_headers.iter().any(|allowed| like(&allowed.to_lowercase(), name));
            self.headers.iter().all(has)
        };
        let mut rules = all.iter().filter(|rule| matches(rule, &self.origin, &self.method));
        let Some(rule) = rules.find(is_allowed) else {
            if is_refused(all, &self.origin) {
                return error(403, "AccessForbidden", &origins::advice(&self.origin, None));
            }
            let message = "CORSResponse: This CORS request is not allowed. No rule of the bucket allows this origin with \
                           this method and these headers.";
            return error(403, "AccessForbidden", message);
        };
        let mut headers = allow(rule, &self.origin);
        if !self.headers.is_empty() {
            insert(&mut headers, header::ACCESS_CONTROL_ALLOW_HEADERS, &self.headers.join(", "));
        }
        headers.into_response()
    }
}

/// Returns the headers that let the page of a request read the answer.
pub(super) fn headers(rules: &[CorsRule], request: &Request) -> HeaderMap {
    let Some(origin) = request.headers().get(header::ORIGIN).and_then(|origin| origin.to_str().ok()) else {
        return HeaderMap::new();
    };
    let rule = rules.iter().find(|rule| matches(rule, origin, request.method().as_str()));
    rule.map(|rule| allow(rule, origin)).unwrap_or_default()
}

/// Returns the origin of a request that no rule allows. Unlike S3, the local stack refuses such a
/// request. Requests that no page has sent have no `Origin`, nor do GETs of which no foreign page
/// can read the answer.
pub(super) fn refused<'a>(rules: &[CorsRule], request: &'a Request) -> Option<&'a str> {
    let origin = request.headers().get(header::ORIGIN)?.to_str().unwrap_or("null");
    is_refused(rules, origin).then_some(origin)
}

fn is_refused(rules: &[CorsRule], origin: &str) -> bool {
    !rules.iter().any(|rule| allows(rule, origin))
}

fn matches(rule: &CorsRule, origin: &str, method: &str) -> bool {
    rule.allowed_methods.iter().any(|allowed| allowed == method) && allows(rule, origin)
}

fn allows(rule: &CorsRule, origin: &str) -> bool {
    rule.allowed_origins.iter().any(|allowed| like(allowed, origin))
}

/// Returns whether a text matches a pattern with at most one `*`.
fn like(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => text.len() >= start.len() + end.len() && text.starts_with(start) && text.ends_with(end),
        None => pattern == text,
    }
}

fn allow(rule: &CorsRule, origin: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if rule.allowed_origins.iter().any(|allowed| allowed == "*") {
        insert(&mut headers, header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    } else {
        insert(&mut headers, header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        insert(&mut headers, header::ACCESS_CONTROL_ALLOW_CREDENTIALS, "true");
    }
    insert(&mut headers, header::ACCESS_CONTROL_ALLOW_METHODS, &rule.allowed_methods.join(", "));
    if !rule.exposed_headers.is_empty() {
        insert(&mut headers, header::ACCESS_CONTROL_EXPOSE_HEADERS, &rule.exposed_headers.join(", "));
    }
    if let Some(seconds) = rule.max_age {
        insert(&mut headers, header::ACCESS_CONTROL_MAX_AGE, &seconds.to_string());
    }
    let vary = "Origin, Access-Control-Request-Headers, Access-Control-Request-Method";
    insert(&mut headers, header::VARY, vary);
    headers
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::try_from(value) {
        headers.insert(name, value);
    }
}
