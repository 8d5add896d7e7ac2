//! The API of the whole system: the real function binaries behind the local gateway, over HTTP.

mod audiences;
mod bad_input;
mod compression;
mod cursors;
mod favorites;
mod feed;
mod large;
mod links;
mod mail;
mod pictures;
mod routes;
mod together;
mod transfer;

use local::stack::{Options, Stack};
use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::Value;
use tests::stack;
use tests::upload::send_file;

/// A local stack with the sample data, for one test.
struct Api {
    stack: Stack,
    http: Client,
}

impl Api {
    async fn start() -> Self {
        Self::with(Options::default()).await
    }

    async fn with(options: Options) -> Self {
        Self { stack: stack::start(options).await, http: Client::builder().redirect(Policy::none()).build().unwrap() }
    }

    /// Returns a request with a token of `caller`.
    fn request(&self, caller: &str, method: &str, path: &str) -> RequestBuilder {
        self.anonymous(method, path).bearer_auth(self.stack.token(caller).unwrap())
    }

    /// Returns a request without a token.
    fn anonymous(&self, method: &str, path: &str) -> RequestBuilder {
        let method: Method = method.parse().unwrap();
        self.http.request(method, format!("{}{path}", self.stack.api()))
    }

    /// Sends a GET request, asserts 200, and returns the body.
    async fn get(&self, caller: &str, path: &str) -> Value {
        let answer = self.request(caller, "GET", path).send().await.unwrap();
        assert_eq!(answer.status(), 200, "GET {path}");
        answer.json().await.unwrap()
    }

    /// Creates a photo, sends its file to S3, and returns the path of the photo, whose picture is
    /// pending.
    async fn upload(&self, owner: &str, file: &[u8]) -> String {
        let created = self.request(owner, "POST", &format!("/users/{owner}/photos")).send().await.unwrap();
        assert_eq!(created.status(), 201);
        let location = created.headers()["location"].to_str().unwrap().to_owned();
        let created: Value = created.json().await.unwrap();
        send_file(&self.http, &created["upload"], file).await;
        location
    }

    /// Sends a PUT request without a body and returns the status.
    async fn put(&self, caller: &str, path: &str) -> u16 {
        self.request(caller, "PUT", path).send().await.unwrap().status().as_u16()
    }
}

/// The header of an answer that CloudFront may keep for a minute.
const SHARED: &str = "public, max-age=0, s-maxage=60";

/// An answer without what differs from request to request: the date and the ids.
#[derive(Debug, PartialEq)]
struct Bare {
    status: u16,
    headers: HeaderMap,
    text: String,
}

impl Bare {
    async fn read(answer: Response) -> Self {
        let (status, mut headers) = (answer.status().as_u16(), answer.headers().clone());
        for name in ["date", "apigw-requestid", "x-amzn-trace-id"] {
            headers.remove(name);
        }
        Self { status, headers, text: answer.text().await.unwrap() }
    }
}

/// Asserts that the answer is a problem of this status, and returns the problem.
async fn problem(answer: Response, status: u16) -> Value {
    let what = answer.url().to_string();
    let content_type = answer.headers().get("content-type").cloned();
    assert_eq!(answer.status(), status, "{what}");
    assert_eq!(content_type.unwrap(), "application/problem+json", "{what}");
    let problem: Value = answer.json().await.unwrap();
    assert_eq!(problem["status"], status, "{what}");
    problem
}

/// Asserts that the answer is an error of the gateway itself, as API Gateway sends it.
async fn gateway_error(answer: Response, status: u16) {
    let what = answer.url().to_string();
    assert_eq!(answer.status(), status, "{what}");
    assert_eq!(answer.headers()["content-type"], "application/json", "{what}");
    let error: Value = answer.json().await.unwrap();
    assert!(error["message"].is_string(), "{what}: {error}");
}
