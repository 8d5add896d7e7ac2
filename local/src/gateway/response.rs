//! The way back: from a function's payload to the HTTP response.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

use super::event::HOP_BY_HOP;

/// The HTTP response that a function's payload stands for, or what is wrong with it.
pub(crate) fn response(payload: Value) -> Result<Response, String> {
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
        .ok_or_else(|| format!("statusCode {}", answer["statusCode"]))?;
    let encoded = matches!(answer.get("isBase64Encoded"), Some(Value::Bool(true)));
    let body = match answer.remove("body") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(body)) if encoded => {
            STANDARD.decode(body).map_err(|error| format!("body is not base64: {error}"))?
        }
        Some(Value::String(body)) => body.into_bytes(),
        Some(_) => return Err("body is no string".to_owned()),
    };

    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, values) in object(&mut answer, "multiValueHeaders")? {
        let Value::Array(values) = values else {
            return Err(format!("multiValueHeaders: {name} is no list"));
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
    // How the body travels is between this gateway and its client.
    for name in HOP_BY_HOP.into_iter().chain(["content-length"]) {
        headers.remove(name);
    }
    if !headers.contains_key(header::CONTENT_TYPE) {
        let plain = HeaderValue::from_static("text/plain;charset=UTF-8");
        headers.insert(header::CONTENT_TYPE, plain);
    }
    Ok(response)
}

fn inferred(body: String) -> Result<Response, String> {
    Response::builder()
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(body))
        .map_err(|error| error.to_string())
}

fn object(answer: &mut Map<String, Value>, name: &str) -> Result<Map<String, Value>, String> {
    match answer.remove(name) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(object)) => Ok(object),
        Some(_) => Err(format!("{name} is no object")),
    }
}

fn append(headers: &mut HeaderMap, name: &str, value: &Value) -> Result<(), String> {
    let bad = || format!("header {name}");
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        _ => return Err(bad()),
    };
    let value = HeaderValue::from_bytes(text.as_bytes()).map_err(|_| bad())?;
    headers.append(HeaderName::try_from(name).map_err(|_| bad())?, value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn an_answer_becomes_a_response() {
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
    async fn a_payload_without_a_status_is_the_body() {
        for (payload, body) in [(json!({"a": 1}), r#"{"a":1}"#), (json!("hi"), "hi")] {
            let response = response(payload).unwrap();
            assert_eq!(response.status(), 200);
            assert_eq!(response.headers()["content-type"], "application/json");
            assert_eq!(axum::body::to_bytes(response.into_body(), 100).await.unwrap(), body);
        }
    }

    #[test]
    fn a_malformed_answer_is_refused() {
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
