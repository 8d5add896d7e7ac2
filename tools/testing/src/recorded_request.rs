//! A request to a service of AWS, as fault injection and the permission check see it.

use std::borrow::Cow;

use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};
use shared::dynamodb::key_attributes;

/// The service of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Service {
    DynamoDb,
    S3,
    Sqs,
    Ses,
    Pinpoint,
    Connections,
    Lambda,
}

/// A request that a function sent to a service.
#[derive(Debug, Clone)]
pub struct RecordedRequest {
    /// The service.
    pub(crate) service: Service,
    /// The operation, for example `Query`.
    pub operation: String,
    /// The body of a request to DynamoDB, SQS or SES. For S3, the members `Bucket`, `Key`, `Range`,
    /// `Prefix`, `VersionId`, `UploadId`, `PartNumber`, `CopySource` and `Objects` that the request
    /// has. For Lambda, the `FunctionName`. For AWS End User Messaging, the body with the
    /// `ApplicationId`. For the connections of API Gateway, the `Method`, the `ConnectionId` and the
    /// `Message`.
    pub body: Value,
}

impl RecordedRequest {
    /// Reads a request of the SDK.
    ///
    /// # Panics
    ///
    /// Panics if the request is one to S3 that no function sends.
    #[must_use]
    pub fn new(request: &HttpRequest) -> Self {
        let bytes = request.body().bytes().unwrap_or_default();
        let body = || serde_json::from_slice::<Value>(bytes).unwrap_or_default();
        if let Some((service, operation)) = request.headers().get("x-amz-target").and_then(|t| t.split_once('.')) {
            let service = if service == "AmazonSQS" { Service::Sqs } else { Service::DynamoDb };
            return Self { service, operation: operation.to_owned(), body: body() };
        }
        let path = request.uri().split_once("://").map_or(request.uri(), |(_, rest)| rest);
        if path.ends_with("/v2/email/outbound-emails") {
            return Self { service: Service::Ses, operation: "SendEmail".to_owned(), body: body() };
        }
        if let Some((_, application)) = path.split_once("/v1/apps/") {
            let mut body = body();
            body["ApplicationId"] = decode(application.split('/').next().unwrap_or_default()).into();
            return Self { service: Service::Pinpoint, operation: "SendMessages".to_owned(), body };
        }
        if let Some((_, id)) = path.split_once("/@connections/") {
            let operation = if request.method() == "POST" { "PostToConnection" } else { "DeleteConnection" };
            let body = json!({"Method": request.method(), "ConnectionId": decode(id), "Message": body()});
            return Self { service: Service::Connections, operation: operation.to_owned(), body };
        }
        if let Some((_, invocation)) = path.split_once("/2015-03-31/functions/") {
            let name = decode(invocation.split('/').next().unwrap_or_default());
            return Self {
                service: Service::Lambda,
                operation: "Invoke".to_owned(),
                body: json!({ "FunctionName": name }),
            };
        }
        Self::of_s3(request)
    }

    /// Returns the action and the key of each write of a transaction, such as `Update USER#ben
    /// #PROFILE#ben`. Any other request has none.
    pub(crate) fn writes(&self) -> Vec<String> {
        let writes = self.body["TransactItems"].as_array().into_iter().flatten().filter_map(Value::as_object).flatten();
        let write = |(action, write): (&String, &Value)| {
            let item = write.get("Key").unwrap_or(&write["Item"]);
            let key = key_attributes::all().filter_map(|name| item[name]["S"].as_str());
            [action.as_str()].into_iter().chain(key).collect::<Vec<_>>().join(" ")
        };
        writes.map(write).collect()
    }

    /// Reads a request to S3 in the path style, which the SDK uses for an endpoint with an IP
    /// address.
    fn of_s3(request: &HttpRequest) -> Self {
        let (path, query) = request.uri().split_once('?').unwrap_or((request.uri(), ""));
        let path = path.split_once("://").map_or(path, |(_, rest)| rest.split_once('/').unwrap_or_default().1);
        let (bucket, key) = path.trim_start_matches('/').split_once('/').unwrap_or((path, ""));
        let parameters = query.split('&').map(|parameter| parameter.split_once('=').unwrap_or((parameter, "")));
        let parameters: Vec<_> = parameters.map(|(name, value)| (name, decode(value))).collect();
        let parameter = |name| parameters.iter().find(|(other, _)| *other == name).map(|(_, value)| value.as_ref());
        let has = |name| parameter(name).is_some();
        let copy_source = request.headers().get("x-amz-copy-source");
        let operation = match (request.method(), key.is_empty()) {
            ("GET", true) if has("versions") => "ListObjectVersions",
            ("GET", true) if parameter("list-type") == Some("2") => "ListObjectsV2",
            ("POST", true) if has("delete") => "DeleteObjects",
            ("POST", false) if has("uploads") => "CreateMultipartUpload",
            ("PUT", false) if has("uploadId") && copy_source.is_none() => "UploadPart",
            ("POST", false) if has("uploadId") => "CompleteMultipartUpload",
            ("GET", false) if !has("uploadId") => "GetObject",
            ("HEAD", false) => "HeadObject",
            ("PUT", false) if copy_source.is_some() => "CopyObject",
            ("PUT", false) if !has("uploadId") => "PutObject",
            ("DELETE", false) if !has("uploadId") => "DeleteObject",
            (method, _) => panic!("the test kit does not know the request {method} {}", request.uri()),
        };
        let mut body = Map::new();
        let mut insert = |name: &str, value: Option<Value>| body.extend(value.map(|value| (name.to_owned(), value)));
        insert("Bucket", Some(json!(bucket)));
        insert("Key", (!key.is_empty()).then(|| json!(decode(key))));
        insert("Range", request.headers().get("range").map(Value::from));
        insert("Prefix", parameter("prefix").map(Value::from));
        insert("VersionId", parameter("versionId").map(Value::from));
        insert("UploadId", parameter("uploadId").map(Value::from));
        insert("PartNumber", parameter("partNumber").map(Value::from));
        insert("CopySource", copy_source.map(|source| json!(decode(source.trim_start_matches('/')))));
        insert("Objects", (operation == "DeleteObjects").then(|| objects(request.body().bytes().unwrap_or_default())));
        Self { service: Service::S3, operation: operation.to_owned(), body: body.into() }
    }
}

fn decode(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8_lossy()
}

/// Returns the objects that the body of `DeleteObjects` names.
fn objects(body: &[u8]) -> Value {
    let body = String::from_utf8_lossy(body);
    let element = |text: &str, name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        let text = rest.split_once(&format!("</{name}>"))?.0;
        Some(text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&"))
    };
    let objects = body.split("<Object>").skip(1);
    objects.map(|text| json!({"Key": element(text, "Key"), "VersionId": element(text, "VersionId")})).collect()
}
