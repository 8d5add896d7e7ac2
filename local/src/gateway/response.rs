//! Converts the answer of a function into the HTTP response.

use std::collections::HashMap;

use anyhow::{Context as _, Result, ensure};
use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Deserializer};

use crate::gateway::event::HOP_BY_HOP_HEADERS;

/// The
/// [answer](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html#http-api-develop-integrations-lambda.response)
/// of a function, as the Lambda runtime for Rust writes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    status_code: u16,
    #[serde(default, deserialize_with = "or_default")]
    headers: HashMap<String, String>,
    #[serde(default, deserialize_with = "or_default")]
    multi_value_headers: HashMap<String, Vec<String>>,
    #[serde(default, deserialize_with = "or_default")]
    cookies: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    body: String,
    #[serde(default, deserialize_with = "or_default")]
    is_base64_encoded: bool,
}

/// Reads a value, where `null` means the default.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Converts the payload of an answer into a response. An error tells the developer of the function
/// what is wrong.
pub(super) fn response(payload: &[u8]) -> Result<Response> {
    let answer: Answer = serde_json::from_slice(payload)?;
    let status = StatusCode::from_u16(answer.status_code)?;
    ensure!(!status.is_informational(), "statusCode {status} is not that of a final response");
    let body = if answer.is_base64_encoded {
        STANDARD.decode(answer.body).context("body is not base64")?
    } else {
        answer.body.into_bytes()
    };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, values) in &answer.multi_value_headers {
        for value in values {
            append(headers, name, value)?;
        }
    }
    for (name, value) in &answer.headers {
        if !headers.contains_key(name.as_str()) {
            append(headers, name, value)?;
        }
    }
    for cookie in &answer.cookies {
        append(headers, "set-cookie", cookie)?;
    }
    // The gateway and its client choose how the body is sent.
    for name in HOP_BY_HOP_HEADERS.into_iter().chain(["content-length"]) {
        headers.remove(name);
    }
    if !headers.contains_key(header::CONTENT_TYPE) {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain;charset=UTF-8"));
    }
    Ok(response)
}

fn append(headers: &mut HeaderMap, name: &str, value: &str) -> Result<()> {
    let invalid = || format!("header {name}");
    let value = HeaderValue::from_bytes(value.as_bytes()).with_context(invalid)?;
    headers.append(HeaderName::try_from(name).with_context(invalid)?, value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn response(answer: &Value) -> Result<Response> {
        super::response(answer.to_string().as_bytes())
    }

    #[tokio::test]
    async fn converts_an_answer() {
        let response = response(&json!({
            "statusCode": 201,
            "headers": {"Location": "/users/ada", "x-multi": "ignored", "content-length": "999"},
            "multiValueHeaders": {"X-Multi": ["a", "b"]},
            "cookies": ["a=1; HttpOnly", "b=2"],
            "body": "aGk=",
            "isBase64Encoded": true,
        }))
        .unwrap();
        assert_eq!(response.status(), 201);
        let headers = response.headers().clone();
        let all = |name: &str| headers.get_all(name).iter().cloned().collect::<Vec<_>>();
        assert_eq!(all("location"), ["/users/ada"]);
        assert_eq!(all("x-multi"), ["a", "b"]);
        assert_eq!(all("set-cookie"), ["a=1; HttpOnly", "b=2"]);
        assert_eq!(all("content-type"), ["text/plain;charset=UTF-8"]);
        assert!(all("content-length").is_empty());
        let body = axum::body::to_bytes(response.into_body(), 100).await.unwrap();
        assert_eq!(body, "hi");
    }

    #[test]
    fn rejects_a_malformed_answer() {
        for payload in [
            json!({"a": 1}),
            json!("hi"),
            json!({"statusCode": "ok"}),
            json!({"statusCode": 99}),
            json!({"statusCode": 200, "body": {"a": 1}}),
            json!({"statusCode": 200, "body": "?", "isBase64Encoded": true}),
            json!({"statusCode": 200, "headers": {"a b": "c"}}),
            json!({"statusCode": 200, "headers": {"a": "b\nc"}}),
        ] {
            assert!(response(&payload).is_err(), "{payload}");
        }
    }
}
