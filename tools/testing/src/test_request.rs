//! An HTTP request that a test builds, and the answer that it gets.

use axum::http::HeaderMap;
use serde_json::Value;
use shared::ErrorKind;

/// The answer of a function.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The HTTP status code.
    pub status: u16,
    /// The HTTP headers.
    pub headers: HeaderMap,
    /// The JSON body; `null` if the answer has none.
    pub body: Value,
}

impl Answer {
    /// Returns the last part of the `type` of a problem, or the empty text for a success.
    #[must_use]
    pub fn problem(&self) -> &str {
        let uri = self.body["type"].as_str().unwrap_or_default();
        ErrorKind::from_uri(uri).map_or("", |kind| kind.description().slug)
    }

    /// Returns the names of the fields that a problem answer rejects, in its order.
    #[must_use]
    pub fn fields(&self) -> Vec<&str> {
        let errors = self.body["errors"].as_array().into_iter().flatten();
        errors.filter_map(|error| error["field"].as_str()).collect()
    }
}

/// An HTTP request under construction.
#[derive(Debug, Clone, Default)]
pub struct TestRequest {
    pub(crate) method: &'static str,
    pub(crate) uri: String,
    pub(crate) caller: Option<String>,
    pub(crate) account: Option<String>,
    pub(crate) group: Option<String>,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) content_type: Option<String>,
    pub(crate) body: Vec<u8>,
}

/// Returns a request without a token and without a body: `request("GET", "/users/ada").by("ben")`.
pub fn request(method: &'static str, uri: impl Into<String>) -> TestRequest {
    TestRequest { method, uri: uri.into(), ..TestRequest::default() }
}

impl TestRequest {
    /// Adds a token of this user.
    #[must_use]
    pub fn by(mut self, caller: &str) -> Self {
        self.caller = Some(caller.to_owned());
        self
    }

    /// Sets the account of the token, its claim `sub`. Without it, the account is the username.
    #[must_use]
    pub fn of_account(mut self, account: &str) -> Self {
        self.account = Some(account.to_owned());
        self
    }

    /// Makes the caller a member of this group.
    #[must_use]
    pub fn of_group(mut self, group: &str) -> Self {
        self.group = Some(group.to_owned());
        self
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Adds a parameter to the query string, which may have others already. The value is sent as it
    /// is, so it must be percent-encoded.
    #[must_use]
    pub fn query(mut self, name: &str, value: &str) -> Self {
        let separator = if self.uri.contains('?') { '&' } else { '?' };
        self.uri = format!("{}{separator}{name}={value}", self.uri);
        self
    }

    /// Sets a JSON body.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string())
    }

    /// Sets a body of any content type.
    #[must_use]
    pub fn body(mut self, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        self.content_type = Some(content_type.to_owned());
        self.body = body.into();
        self
    }
}
