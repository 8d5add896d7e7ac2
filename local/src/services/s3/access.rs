//! The checks before a request reaches the objects: access key, bucket and key.

use std::sync::Arc;

use s3s::{
    S3Result,
    access::{S3Access, S3AccessContext},
    auth::{S3Auth, SecretKey},
    host::{S3Host, VirtualHost},
    path::S3Path,
    s3_error,
};

/// The access key, which is its own secret. The functions of the stack have it in their
/// environment.
pub const KEY: &str = "local";

/// The maximum length of a segment of a key, which is the name of a file or a folder.
const MAX_SEGMENT_BYTES: usize = 255;

/// Knows the secret of the access key.
pub(super) struct Auth;

#[async_trait::async_trait]
impl S3Auth for Auth {
    async fn get_secret_key(&self, access_key: &str) -> S3Result<SecretKey> {
        if access_key == KEY {
            return Ok(SecretKey::from(KEY));
        }
        Err(s3_error!(
            InvalidAccessKeyId,
            "The local stack knows only the access key `{KEY}` with the secret `{KEY}`. Set AWS_ACCESS_KEY_ID={KEY} and \
             AWS_SECRET_ACCESS_KEY={KEY}."
        ))
    }
}

/// Denies unsigned requests, and requests for other buckets than those of the template.
pub(super) struct Access {
    pub(super) buckets: Arc<[String]>,
    /// Whether somebody else has checked the requests.
    pub(super) allows_unsigned: bool,
}

#[async_trait::async_trait]
impl S3Access for Access {
    async fn check(&self, request: &mut S3AccessContext<'_>) -> S3Result<()> {
        if request.credentials().is_none() && !self.allows_unsigned {
            return Err(s3_error!(AccessDenied, "Access Denied"));
        }
        let (S3Path::Bucket { bucket } | S3Path::Object { bucket, .. }) = request.s3_path() else {
            return Ok(());
        };
        if !self.buckets.iter().any(|other| **other == **bucket) {
            return Err(s3_error!(NoSuchBucket, "The specified bucket does not exist"));
        }
        match request.s3_path() {
            S3Path::Object { key, .. } => check_key(key),
            _ => Ok(()),
        }
    }
}

/// Checks that a key can be the path of a file. S3 itself allows any key.
pub(super) fn check_key(key: &str) -> S3Result<()> {
    let is_name = |segment: &str| !["", ".", ".."].contains(&segment) && segment.len() <= MAX_SEGMENT_BYTES;
    if key.contains('\0') || !key.split('/').all(is_name) {
        return Err(s3_error!(
            NotImplemented,
            "The local stack keeps objects in files, so each part of a key between slashes needs 1 to {MAX_SEGMENT_BYTES} \
             bytes and must not be . or .."
        ));
    }
    Ok(())
}

/// Reads the bucket from the host of a request, `<bucket>.localhost:<port>`. A request for any
/// other host names its bucket in the path.
pub(super) struct Host {
    pub(super) port: u16,
}

impl S3Host for Host {
    fn parse_host_header<'a>(&'a self, host: &'a str) -> S3Result<VirtualHost<'a>> {
        let virtual_host = VirtualHost::new("localhost");
        Ok(match bucket_of_host(host, self.port) {
            Some(bucket) => virtual_host.with_bucket(bucket),
            None => virtual_host,
        })
    }
}

/// Returns the bucket in a host of the form `<bucket>.localhost:<port>`.
pub(super) fn bucket_of_host(host: &str, port: u16) -> Option<&str> {
    host.strip_suffix(&format!(".localhost:{port}"))
}
