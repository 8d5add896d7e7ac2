//! The event that API Gateway sends to a function: [payload format
//! 2.0](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html).
//!
//! The types of `aws_lambda_events` are for reading events. They write members that API Gateway
//! does not send, such as `"httpMethod": "GET"`, and of repeated headers only the first.

use std::{collections::BTreeMap, net::IpAddr};

use axum::http::{HeaderMap, HeaderValue, Version, header, request::Parts};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use time::{OffsetDateTime, macros::format_description};

use crate::gateway::router::received;
use crate::template::cloudformation::ACCOUNT;
use crate::trace::{TRACE_HEADER, Trace};

/// The headers that [belong to one connection](https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1), so the gateway
/// does not forward them in either direction.
pub(super) const HOP_BY_HOP_HEADERS: [&str; 5] = ["connection", "keep-alive", "te", "transfer-encoding", "upgrade"];

/// A routed and authorized request, from which the event is built.
#[derive(Debug)]
pub struct Call<'a> {
    /// The route key, for example `GET /users/{username}`.
    pub route_key: &'a str,
    /// The decoded path parameters.
    pub path_parameters: &'a BTreeMap<String, String>,
    /// The method, the URI and the headers as they were sent.
    pub parts: &'a Parts,
    /// The body as it was sent.
    pub body: &'a [u8],
    /// The claims of the token, if the route has an authorizer.
    pub claims: Option<&'a BTreeMap<String, String>>,
    /// The address of the client.
    pub source_ip: IpAddr,
    /// The id that the gateway gave the request.
    pub request_id: &'a str,
    /// The trace that the gateway started for the request. It replaces the one that the client may
    /// have sent.
    pub trace: &'a Trace,
    /// The time at which the request arrived.
    pub time: OffsetDateTime,
}

/// Returns the event of a request.
#[must_use]
pub fn build(call: &Call) -> Value {
    let parts = call.parts;
    let path = received(parts.uri.path()).unwrap_or_default();
    let path = percent_decode_str(&path).decode_utf8_lossy();
    let query = parts.uri.query().unwrap_or_default();
    let host = text(parts.headers.get(header::HOST));
    let domain = domain(&host);

    let mut event = json!({
        "version": "2.0",
        "routeKey": call.route_key,
        "rawPath": path,
        "rawQueryString": query,
        "headers": headers(call, &host[domain.len()..]),
        "requestContext": {
            "accountId": ACCOUNT,
            "apiId": "local",
            "domainName": domain,
            "domainPrefix": domain.split('.').next(),
            "http": {
                "method": parts.method.as_str(),
                "path": path,
                "protocol": protocol(parts.version),
                "sourceIp": call.source_ip,
                "userAgent": text(parts.headers.get(header::USER_AGENT)),
            },
            "requestId": call.request_id,
            "routeKey": call.route_key,
            "stage": "$default",
            "time": request_time(call.time),
            "timeEpoch": epoch_ms(call.time),
        },
        "isBase64Encoded": false,
    });
    if let Some(claims) = call.claims {
        event["requestContext"]["authorizer"] = json!({"jwt": {"claims": claims, "scopes": null}});
    }
    let cookies = cookies(&parts.headers);
    if !cookies.is_empty() {
        event["cookies"] = json!(cookies);
    }
    if !query.is_empty() {
        event["queryStringParameters"] = json!(query_parameters(query));
    }
    if !call.path_parameters.is_empty() {
        event["pathParameters"] = json!(call.path_parameters);
    }
    if !call.body.is_empty() {
        let kind = text(parts.headers.get(header::CONTENT_TYPE));
        match str::from_utf8(call.body) {
            Ok(body) if is_text(&kind) => event["body"] = json!(body),
            _ => {
                event["body"] = json!(STANDARD.encode(call.body));
                event["isBase64Encoded"] = json!(true);
            }
        }
    }
    event
}

/// Returns a host without its port.
pub(super) fn domain(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((domain, port)) if !port.ends_with(']') => domain,
        _ => host,
    }
}

/// Returns a time as API Gateway writes it in events and logs.
pub(super) fn request_time(time: OffsetDateTime) -> String {
    let format = format_description!("[day]/[month repr:short]/[year]:[hour]:[minute]:[second] +0000");
    time.format(format).unwrap_or_default()
}

/// Returns a time in milliseconds since 1970.
pub(super) fn epoch_ms(time: OffsetDateTime) -> i64 {
    time.unix_timestamp() * 1000 + i64::from(time.millisecond())
}

fn protocol(version: Version) -> &'static str {
    if version == Version::HTTP_10 { "HTTP/1.0" } else { "HTTP/1.1" }
}

/// Returns the value of a header, or an empty text.
pub(super) fn text(value: Option<&HeaderValue>) -> String {
    value.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).unwrap_or_default()
}

/// Returns the headers with lower-case names and joined values, and the headers that the gateway
/// adds. `port` is the port in the Host header with its colon, or empty.
fn headers(call: &Call, port: &str) -> BTreeMap<String, String> {
    let mut headers = BTreeMap::new();
    for (name, value) in &call.parts.headers {
        if name != header::COOKIE && !HOP_BY_HOP_HEADERS.contains(&name.as_str()) {
            add(&mut headers, name.as_str(), &text(Some(value)));
        }
    }
    add(&mut headers, "x-forwarded-for", &call.source_ip.to_string());
    headers.insert(TRACE_HEADER.to_owned(), call.trace.header());
    headers.insert("x-forwarded-proto".to_owned(), "http".to_owned());
    let port = port.strip_prefix(':').unwrap_or("80");
    headers.insert("x-forwarded-port".to_owned(), port.to_owned());
    headers
}

fn cookies(headers: &HeaderMap) -> Vec<String> {
    let all = headers.get_all(header::COOKIE).iter();
    all.flat_map(|value| text(Some(value)).split(';').map(|cookie| cookie.trim().to_owned()).collect::<Vec<_>>())
        .filter(|cookie| !cookie.is_empty())
        .collect()
}

/// Returns the parameters of a query. The values of a repeated parameter are joined by commas.
fn query_parameters(query: &str) -> BTreeMap<String, String> {
    let mut parameters = BTreeMap::new();
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        add(&mut parameters, &name, &value);
    }
    parameters
}

/// Adds a value, with a comma after the values that the name has already.
fn add(values: &mut BTreeMap<String, String>, name: &str, value: &str) {
    let joined = values.entry(name.to_owned());
    joined.and_modify(|all| *all = format!("{all},{value}")).or_insert_with(|| value.to_owned());
}

/// Returns whether the event contains a body of this content type as text rather than in base64.
/// AWS documents only that API Gateway [infers this from the
/// type](https://aws.amazon.com/blogs/compute/handling-binary-data-using-amazon-api-gateway-http-apis/).
/// The function gets the same bytes in both cases.
fn is_text(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind.starts_with("text/")
        || kind.ends_with("+json")
        || kind.ends_with("+xml")
        || matches!(kind.as_str(), "application/json" | "application/javascript" | "application/xml")
}

#[cfg(test)]
mod tests {
    use axum::http::Request;
    use time::macros::datetime;

    use super::*;

    fn trace() -> Trace {
        Trace::from_header("Root=1-67891233-abcdef012345678912345678").unwrap()
    }

    /// Returns the event of a request with the token of ada.
    fn event(request: Request<&[u8]>, path_parameters: &[(&str, &str)]) -> Value {
        event_of(request, path_parameters, Some(&[("username".to_owned(), "ada".to_owned())].into()))
    }

    fn event_of(
        request: Request<&[u8]>,
        path_parameters: &[(&str, &str)],
        claims: Option<&BTreeMap<String, String>>,
    ) -> Value {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let (parts, body) = request.into_parts();
        build(&Call {
            route_key: "POST /users/{username}",
            path_parameters: &path_parameters.iter().map(owned).collect(),
            parts: &parts,
            body,
            claims,
            source_ip: [127, 0, 0, 1].into(),
            request_id: "id",
            trace: &trace(),
            time: datetime!(2026-11-21 14:03:02.345 UTC),
        })
    }

    #[test]
    fn an_event_has_the_shape_of_payload_format_2() {
        let request = Request::post("/users/ada%20b%2Fc?limit=2&tag=a+b&tag=%C3%A9&flag")
            .header("Host", "api.example.com:3000")
            .header("Accept", "text/html")
            .header("accept", "application/json")
            .header("User-Agent", "curl")
            .header("Cookie", "a=1; b=2")
            .header("Content-Type", "application/json; charset=utf-8")
            .header("Connection", "keep-alive")
            .header("X-Forwarded-For", "10.0.0.1")
            .header("X-Amzn-Trace-Id", "Root=1-00000000-000000000000000000000000")
            .body(br#"{"name":"Ada"}"#.as_slice())
            .unwrap();
        assert_eq!(
            event(request, &[("username", "ada b/c")]),
            json!({
                "version": "2.0",
                "routeKey": "POST /users/{username}",
                "rawPath": "/users/ada b/c",
                "rawQueryString": "limit=2&tag=a+b&tag=%C3%A9&flag",
                "cookies": ["a=1", "b=2"],
                "headers": {
                    "accept": "text/html,application/json",
                    "content-type": "application/json; charset=utf-8",
                    "host": "api.example.com:3000",
                    "user-agent": "curl",
                    "x-amzn-trace-id": "Root=1-67891233-abcdef012345678912345678",
                    "x-forwarded-for": "10.0.0.1,127.0.0.1",
                    "x-forwarded-port": "3000",
                    "x-forwarded-proto": "http",
                },
                "queryStringParameters": {"limit": "2", "tag": "a b,é", "flag": ""},
                "requestContext": {
                    "accountId": "123456789012",
                    "apiId": "local",
                    "authorizer": {"jwt": {"claims": {"username": "ada"}, "scopes": null}},
                    "domainName": "api.example.com",
                    "domainPrefix": "api",
                    "http": {
                        "method": "POST",
                        "path": "/users/ada b/c",
                        "protocol": "HTTP/1.1",
                        "sourceIp": "127.0.0.1",
                        "userAgent": "curl",
                    },
                    "requestId": "id",
                    "routeKey": "POST /users/{username}",
                    "stage": "$default",
                    "time": "21/Nov/2026:14:03:02 +0000",
                    "timeEpoch": 1_795_269_782_345_i64,
                },
                "pathParameters": {"username": "ada b/c"},
                "body": r#"{"name":"Ada"}"#,
                "isBase64Encoded": false,
            })
        );
    }

    #[test]
    fn an_event_lacks_what_the_request_lacks() {
        let event = event(Request::get("/users").body(b"".as_slice()).unwrap(), &[]);
        for key in ["cookies", "queryStringParameters", "pathParameters", "body"] {
            assert!(event.get(key).is_none(), "{key}");
        }
        assert_eq!(event["rawQueryString"], "");
    }

    #[test]
    fn an_event_of_a_route_without_an_authorizer_has_no_claims() {
        let request = Request::get("/s/token").header("Authorization", "Bearer x").body(b"".as_slice());
        let event = event_of(request.unwrap(), &[], None);
        assert!(event["requestContext"].get("authorizer").is_none(), "{event}");
    }

    #[test]
    fn a_binary_body_is_in_base64() {
        let post = |kind: &str, body: &'static [u8]| {
            let request = Request::post("/users").header("content-type", kind).body(body);
            let event = event(request.unwrap(), &[]);
            (event["body"].clone(), event["isBase64Encoded"].clone())
        };
        assert_eq!(post("image/png", b"\x89PNG"), (json!("iVBORw=="), json!(true)));
        assert_eq!(post("application/json", b"\xff"), (json!("/w=="), json!(true)));
        assert_eq!(post("Text/Plain", b"a"), (json!("a"), json!(false)));
        assert_eq!(post("application/merge-patch+json", b"{}"), (json!("{}"), json!(false)));
    }

    #[test]
    fn the_domain_of_an_ipv6_host_keeps_its_brackets() {
        assert_eq!(domain("[::1]:3000"), "[::1]");
        assert_eq!(domain("[::1]"), "[::1]");
        assert_eq!(domain("localhost"), "localhost");
    }
}
