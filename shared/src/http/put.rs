//! The request with which a client uploads one file to S3 itself: a [presigned
//! PUT](https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html).
//!
//! The signature covers the length, the type and the SHA-256 of the file, which are
//! [headers](https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html) of the request. So
//! S3 refuses another file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::form::FormSigner;
use crate::Error;
use crate::values::{FileBytes, FileHash, Time};

/// The characters that are encoded in a query string.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// The characters that are encoded in a path.
const ENCODED_IN_PATH: &AsciiSet = &ENCODED.remove(b'/');
/// The headers that the signature covers, in the order of their names.
const SIGNED_HEADERS: &str = "content-length;content-type;host;x-amz-checksum-sha256";

/// A request whose body is one file.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadRequest {
    /// The method: `PUT`.
    pub method: String,
    /// The URL.
    pub url: String,
    /// The headers to send. S3 also checks the `Content-Length`, which every client sends by itself.
    pub headers: BTreeMap<String, String>,
    /// The time until which S3 accepts the request.
    pub expires: Time,
}

impl FormSigner {
    /// Returns the request for one object. S3 accepts it for 15 minutes, but not after
    /// `latest_expiry`, in seconds since 1970.
    pub(crate) fn request(
        &self,
        key: &str,
        content_type: &str,
        bytes: FileBytes,
        sha256: &FileHash,
        latest_expiry: u64,
    ) -> Result<UploadRequest, Error> {
        let signing = self.signing(latest_expiry)?;
        let url = format!("{}/{}", self.url, utf8_percent_encode(key, ENCODED_IN_PATH));
        let (host, path) = url
            .split_once("://")
            .and_then(|(_, rest)| rest.split_at_checked(rest.find('/')?))
            .ok_or_else(|| Error::internal("the URL of the bucket has no host"))?;
        let mut parameters = BTreeMap::from([
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA256".to_owned()),
            ("X-Amz-Credential", self.credential(&signing)),
            ("X-Amz-Date", signing.date_time.clone()),
            ("X-Amz-Expires", signing.lifetime.to_string()),
            ("X-Amz-SignedHeaders", SIGNED_HEADERS.to_owned()),
        ]);
        if let Some(token) = self.credentials.session_token() {
            parameters.insert("X-Amz-Security-Token", token.to_owned());
        }
        let encoded = |(name, value): (&&str, &String)| format!("{name}={}", utf8_percent_encode(value, ENCODED));
        let query = parameters.iter().map(encoded).collect::<Vec<_>>().join("&");
        let checksum = BASE64.encode(sha256.to_bytes());
        let bytes = bytes.get();
        let canonical = format!(
            "PUT\n{path}\n{query}\n\
             content-length:{bytes}\ncontent-type:{content_type}\nhost:{host}\nx-amz-checksum-sha256:{checksum}\n\n\
             {SIGNED_HEADERS}\nUNSIGNED-PAYLOAD"
        );
        let text = format!(
            "AWS4-HMAC-SHA256\n{}\n{}\n{}",
            signing.date_time,
            signing.scope,
            hexadecimal(&Sha256::digest(canonical))
        );
        let signature = self.signature(&signing, &text);
        let headers = [("Content-Type", content_type.to_owned()), ("x-amz-checksum-sha256", checksum)]
            .map(|(n, v)| (n.to_owned(), v));
        Ok(UploadRequest {
            method: "PUT".to_owned(),
            url: format!("{url}?{query}&X-Amz-Signature={signature}"),
            headers: headers.into(),
            expires: signing.expires,
        })
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
