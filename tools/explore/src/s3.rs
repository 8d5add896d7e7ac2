//! S3 as the explorer drives it: the objects of one bucket without versioning, in memory.
//!
//! A request to S3 has its operation and parameters in its method and URI, and its body is XML or a
//! file. [`parse`] brings it into the form of a request to DynamoDB, an operation with a JSON body,
//! so that everything else treats both alike.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use crate::head::Head;

/// The time of every object. The explorer compares states, and a time would tell equal ones apart.
const LAST_MODIFIED: &str = "2025-01-01T00:00:00.000Z";

/// The operations of S3 that the functions and the audit use.
const OPERATIONS: [&str; 9] = [
    "GetObject",
    "HeadObject",
    "PutObject",
    "DeleteObject",
    "ListObjectVersions",
    "DeleteObjects",
    "CreateMultipartUpload",
    "UploadPart",
    "CompleteMultipartUpload",
];

/// The objects of the bucket, and the uploads in parts.
#[derive(Default)]
pub(crate) struct Objects {
    complete: BTreeMap<String, Vec<u8>>,
    /// The parts of each upload that is under way, by its id.
    uploads: BTreeMap<String, BTreeMap<u64, Vec<u8>>>,
    /// The number of uploads that have begun.
    begun: usize,
}

/// The answer of S3 to a request.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    /// The key of the object that the request has created.
    pub(crate) created: Option<String>,
}

/// Returns whether an operation is one of S3.
pub(crate) fn is_operation(operation: &str) -> bool {
    OPERATIONS.contains(&operation)
}

/// Returns the operation of an HTTP request, and a JSON object with its `Key`, `Range`, `Keys`,
/// `Prefix` or `Content`.
pub(crate) fn parse(head: &Head, body: &[u8]) -> (String, Value) {
    let (method, uri, range) = (head.method.as_str(), head.uri.as_str(), &head.range);
    let path = uri.split_once("://").map_or(uri, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path));
    let (path, query) = path.trim_start_matches('/').split_once('?').unwrap_or((path.trim_start_matches('/'), ""));
    // The bucket is in the host or at the beginning of the path.
    let is_key = |path: &str| {
        ["incoming/", "imported/", "photos/", "exports/", "imports/"].iter().any(|prefix| path.starts_with(prefix))
    };
    let key = if is_key(path) { path } else { path.split_once('/').map_or("", |(_, key)| key) };
    let decode = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let key = decode(key);
    let parameter = |name: &str| {
        let parts = query.split('&').map(|part| part.split_once('=').unwrap_or((part, "")));
        parts.into_iter().find(|(other, _)| *other == name).map(|(_, value)| decode(value))
    };
    let (operation, body) = match method {
        "GET" if parameter("versions").is_some() => {
            ("ListObjectVersions", json!({"Prefix": parameter("prefix").unwrap_or_default()}))
        }
        "GET" => ("GetObject", json!({"Key": key, "Range": range})),
        "HEAD" => ("HeadObject", json!({"Key": key})),
        "POST" if parameter("uploads").is_some() => ("CreateMultipartUpload", json!({"Key": key})),
        "POST" if parameter("uploadId").is_some() => {
            let text = String::from_utf8_lossy(body);
            let numbers = text.split("<PartNumber>").skip(1).filter_map(|rest| rest.split_once('<')?.0.parse().ok());
            let numbers: Vec<u64> = numbers.collect();
            ("CompleteMultipartUpload", json!({"Key": key, "UploadId": parameter("uploadId"), "Parts": numbers}))
        }
        "PUT" if parameter("uploadId").is_some() => {
            let number = parameter("partNumber").and_then(|number| number.parse::<u64>().ok());
            let content = BASE64.encode(body);
            let upload = parameter("uploadId");
            ("UploadPart", json!({"Key": key, "UploadId": upload, "PartNumber": number, "Content": content}))
        }
        "PUT" => ("PutObject", json!({"Key": key, "Content": BASE64.encode(body)})),
        "DELETE" => ("DeleteObject", json!({"Key": key})),
        "POST" if parameter("delete").is_some() => {
            let text = String::from_utf8_lossy(body);
            let keys = text.split("<Key>").skip(1).filter_map(|rest| rest.split_once("</Key>"));
            ("DeleteObjects", json!({"Keys": keys.map(|(key, _)| key).collect::<Vec<_>>()}))
        }
        _ => panic!("the explorer does not know the request {method} {uri} to S3: add it to s3.rs"),
    };
    (operation.to_owned(), body)
}

/// Returns the keys that a request reads or writes.
pub(crate) fn keys(body: &Value) -> Vec<String> {
    let keys = body["Keys"].as_array().into_iter().flatten().chain(body.get("Key"));
    keys.filter_map(Value::as_str).map(ToOwned::to_owned).collect()
}

/// Returns the positions of the first and the last byte that a request names, `bytes=0-99`.
fn range(body: &Value) -> Option<(usize, usize)> {
    let (first, last) = body["Range"].as_str()?.strip_prefix("bytes=")?.split_once('-')?;
    Some((first.parse().ok()?, last.parse().ok()?))
}

fn no_such_upload() -> Reply {
    xml(404, "<Error><Code>NoSuchUpload</Code><Message>There is no such upload.</Message></Error>")
}

fn xml(status: u16, body: &str) -> Reply {
    let body = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{body}").into_bytes();
    Reply { status, body, created: None }
}

impl Objects {
    /// Returns the bucket to the state at the beginning, when it is empty.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Returns the `ETag` of the object that a request reads.
    pub(crate) fn etag(&self, body: &Value) -> Option<String> {
        let content = self.complete.get(body["Key"].as_str()?)?;
        Some(format!("\"{:08x}\"", crc32fast::hash(content)))
    }

    /// Returns the objects, each in one line.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.complete.iter().map(|(key, content)| format!("object {key}, {} bytes", content.len())).collect()
    }

    /// Serves a request.
    pub(crate) fn serve(&mut self, operation: &str, body: &Value) -> Reply {
        let empty = |status| Reply { status, body: vec![], created: None };
        let key = body["Key"].as_str().unwrap_or_default();
        match operation {
            "CreateMultipartUpload" => {
                self.begun += 1;
                let id = self.begun.to_string();
                self.uploads.insert(id.clone(), BTreeMap::new());
                let result = "InitiateMultipartUploadResult";
                xml(200, &format!("<{result}><UploadId>{id}</UploadId></{result}>"))
            }
            "UploadPart" => match self.uploads.get_mut(body["UploadId"].as_str().unwrap_or_default()) {
                Some(parts) => {
                    let content = BASE64.decode(body["Content"].as_str().unwrap_or_default()).unwrap_or_default();
                    parts.insert(body["PartNumber"].as_u64().unwrap_or_default(), content);
                    empty(200)
                }
                None => no_such_upload(),
            },
            "CompleteMultipartUpload" => match self.uploads.remove(body["UploadId"].as_str().unwrap_or_default()) {
                Some(mut parts) => {
                    let numbers = body["Parts"].as_array().into_iter().flatten().filter_map(Value::as_u64);
                    let content = numbers.map(|number| parts.remove(&number).expect("a part that was uploaded"));
                    self.complete.insert(key.to_owned(), content.collect::<Vec<_>>().concat());
                    xml(200, "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>")
                }
                None => no_such_upload(),
            },
            // The connection leaves out the body of the answer to HEAD.
            "GetObject" | "HeadObject" => match self.complete.get(key) {
                Some(content) => match range(body) {
                    Some((first, last)) if first < content.len() => {
                        Reply { body: content[first..content.len().min(last + 1)].to_vec(), ..empty(206) }
                    }
                    Some(_) => xml(416, "<Error><Code>InvalidRange</Code><Message>It is too short.</Message></Error>"),
                    None => Reply { body: content.clone(), ..empty(200) },
                },
                None => xml(404, "<Error><Code>NoSuchKey</Code><Message>There is no such object.</Message></Error>"),
            },
            "PutObject" => {
                let content = BASE64.decode(body["Content"].as_str().unwrap_or_default()).unwrap_or_default();
                self.complete.insert(key.to_owned(), content);
                Reply { created: Some(key.to_owned()), ..empty(200) }
            }
            "DeleteObject" => {
                self.complete.remove(key);
                empty(204)
            }
            "DeleteObjects" => {
                for key in keys(body) {
                    self.complete.remove(&key);
                }
                xml(200, "<DeleteResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"></DeleteResult>")
            }
            "ListObjectVersions" => {
                let prefix = body["Prefix"].as_str().unwrap_or_default();
                let keys = self.complete.keys().filter(|key| key.starts_with(prefix));
                let version = |key| {
                    format!(
                        "<Version><Key>{key}</Key><VersionId>null</VersionId><IsLatest>true</IsLatest>\
                         <LastModified>{LAST_MODIFIED}</LastModified></Version>"
                    )
                };
                let versions: String = keys.map(version).collect();
                xml(
                    200,
                    &format!("<ListVersionsResult><IsTruncated>false</IsTruncated>{versions}</ListVersionsResult>"),
                )
            }
            _ => panic!("{operation} is not an operation of S3"),
        }
    }
}
