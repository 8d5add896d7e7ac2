//! S3 as the explorer drives it: the objects of one bucket without versioning, in memory.
//!
//! A request to S3 has its operation and parameters in its method and URI, and its body is XML or a
//! file. [`RecordedRequest`](testing::RecordedRequest) brings it into the form of a request to
//! DynamoDB, an operation with a JSON body, so that everything else treats both alike.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;

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
    uploads: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
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

/// Returns whether a request of S3 sends something: an object, a part of one, or the numbers of its parts.
pub(crate) fn has_content(operation: &str) -> bool {
    ["PutObject", "UploadPart", "CompleteMultipartUpload"].contains(&operation)
}

/// Returns the keys that a request reads or writes.
pub(crate) fn keys(body: &Value) -> Vec<String> {
    let objects = body["Objects"].as_array().into_iter().flatten().map(|object| &object["Key"]);
    objects.chain(body.get("Key")).filter_map(Value::as_str).map(ToOwned::to_owned).collect()
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
        let text = |name: &str| body[name].as_str().unwrap_or_default();
        let content = || BASE64.decode(text("Content")).unwrap_or_default();
        let key = text("Key");
        match operation {
            "CreateMultipartUpload" => {
                self.begun += 1;
                let id = self.begun.to_string();
                self.uploads.insert(id.clone(), BTreeMap::new());
                let result = "InitiateMultipartUploadResult";
                xml(200, &format!("<{result}><UploadId>{id}</UploadId></{result}>"))
            }
            "UploadPart" => match self.uploads.get_mut(text("UploadId")) {
                Some(parts) => {
                    parts.insert(text("PartNumber").to_owned(), content());
                    empty(200)
                }
                None => no_such_upload(),
            },
            "CompleteMultipartUpload" => match self.uploads.remove(text("UploadId")) {
                Some(mut parts) => {
                    let list = String::from_utf8(content()).expect("the list of parts is XML");
                    let numbers = list.split("<PartNumber>").skip(1).filter_map(|rest| Some(rest.split_once('<')?.0));
                    let content = numbers.map(|number| parts.remove(number).expect("a part that was uploaded"));
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
                self.complete.insert(key.to_owned(), content());
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
                let prefix = text("Prefix");
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
