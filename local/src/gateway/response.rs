//! Converts the answer of a function into the HTTP response.

use anyhow::{Context as _, Result, bail};
use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

use crate::gateway::hop_by_hop::HOP_BY_HOP_HEADERS;

/// Converts the payload of an answer into a response. An error tells the developer of the function what is wrong.
pub(super) fn response(payload: Value) -> Result<Response> {
    let mut answer = match payload {
        Value::Object(answer) if answer.contains_key("statusCode") => answer,
        // https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html#http-api-develop-integrations-lambda.response
        Value::String(body) => return inferred(body),
        other => return inferred(other.to_string()),
    };
    let status = match &answer["statusCode"] {
        Value::Number(code) => code.as_u64().and_then(|code| u16::try_from(code).ok()),
        Value::String(code) => code.parse().ok(),
        _ => None,
    };
    let status = status
        .and_then(|code| StatusCode::from_u16(code).ok())
        .filter(|status| !status.is_informational())
        .with_context(|| format!("statusCode {} is not the code of a final response", answer["statusCode"]))?;
    let encoded = matches!(answer.get("isBase64Encoded"), Some(Value::Bool(true)));
    let body = match answer.remove("body") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(body)) if encoded => STANDARD.decode(body).context("body is not base64")?,
        Some(Value::String(body)) => body.into_bytes(),
        Some(_) => bail!("body is not a string"),
    };

    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, values) in object(&mut answer, "multiValueHeaders")? {
        let Value::Array(values) = values else {
            bail!("multiValueHeaders: {name} is not a list");
        };
        for value in values {
            append(headers, &name, &value)?;
        }
    }
    for (name, value) in object(&mut answer, "headers")? {
        if !headers.contains_key(name.as_str()) {
            append(headers, &name, &value)?;
        }
    }
    if let Some(Value::Array(cookies)) = answer.remove("cookies") {
        for cookie in cookies {
            append(headers, "set-cookie", &cookie)?;
        }
    }
    // The gateway and its client choose how the body is sent.
    for name in HOP_BY_HOP_HEADERS.into_iter().chain(["content-length"]) {
        headers.remove(name);
    }
    if !headers.contains_key(header::CONTENT_TYPE) {
        let plain = HeaderValue::from_static("text/plain;charset=UTF-8");
        headers.insert(header::CONTENT_TYPE, plain);
    }
    Ok(response)
}

/// Returns the response of a payload that has no `statusCode`: 200 with the payload as body.
fn inferred(body: String) -> Result<Response> {
    Ok(Response::builder().header(header::CONTENT_TYPE, "application/json").body(Body::from(body))?)
}

/// Removes an object from the answer. `null` counts as an empty object.
fn object(answer: &mut Map<String, Value>, name: &str) -> Result<Map<String, Value>> {
    match answer.remove(name) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(object)) => Ok(object),
        Some(_) => bail!("{name} is not an object"),
    }
}

/// Appends a header. A number or a boolean becomes text.
fn append(headers: &mut HeaderMap, name: &str, value: &Value) -> Result<()> {
    let invalid = || format!("header {name}");
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        _ => bail!("header {name} is not a string"),
    };
    let value = HeaderValue::from_bytes(text.as_bytes()).with_context(invalid)?;
    headers.append(HeaderName::try_from(name).with_context(invalid)?, value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn converts_an_answer() {
        let response = response(json!({
            "statusCode": 201,
            "headers": {"Location": "/users/ada", "X-Count": 3, "x-multi": "ignored", "content-length": "999"},
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
        assert_eq!(all("x-count"), ["3"]);
        assert_eq!(all("x-multi"), ["a", "b"]);
        assert_eq!(all("set-cookie"), ["a=1; HttpOnly", "b=2"]);
        assert_eq!(all("content-type"), ["text/plain;charset=UTF-8"]);
        assert!(all("content-length").is_empty());
        let body = axum::body::to_bytes(response.into_body(), 100).await.unwrap();
        assert_eq!(body, "hi");
    }

    #[tokio::test]
    async fn a_payload_without_a_status_code_is_the_body() {
        for (payload, body) in [(json!({"a": 1}), r#"{"a":1}"#), (json!("hi"), "hi")] {
            let response = response(payload).unwrap();
            assert_eq!(response.status(), 200);
            assert_eq!(response.headers()["content-type"], "application/json");
            assert_eq!(axum::body::to_bytes(response.into_body(), 100).await.unwrap(), body);
        }
    }

    #[test]
    fn rejects_a_malformed_answer() {
        for payload in [
            json!({"statusCode": "ok"}),
            json!({"statusCode": 99}),
            json!({"statusCode": 200, "body": {"a": 1}}),
            json!({"statusCode": 200, "body": "?", "isBase64Encoded": true}),
            json!({"statusCode": 200, "headers": {"a b": "c"}}),
            json!({"statusCode": 200, "headers": {"a": "b\nc"}}),
        ] {
            assert!(response(payload.clone()).is_err(), "{payload}");
        }
    }
}
