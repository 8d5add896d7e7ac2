//! The multipart upload of the file of an export.
//!
//! Beside each part, an object keeps what the end of the work needs of it: its `ETag`, which completes
//! the upload, and its share of the central directory.

use std::time::Duration;

use aws_sdk_s3::config::timeout::TimeoutConfig;
use aws_sdk_s3::config::{Builder, Config, RequestChecksumCalculation};
use aws_sdk_s3::error::{ProvideErrorMetadata as _, SdkError};
use aws_sdk_s3::operation::head_object::HeadObjectError;
use aws_sdk_s3::types::{CompletedMultipartUpload, CompletedPart};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use shared::entities::object::{export_key, export_part_key};
use shared::values::{ExportId, Username};
use shared::{Bucket, Error};

/// The maximum time in which S3 puts the parts together. It has thousands of them for the largest
/// files.
const COMPLETE_TIMEOUT: Duration = Duration::from_mins(2);
/// The number of objects that are read concurrently.
const CONCURRENT_READS: usize = 16;

/// The file of an export in the bucket.
pub(crate) struct File<'a> {
    pub(crate) bucket: &'a Bucket,
    pub(crate) owner: &'a Username,
    pub(crate) id: &'a ExportId,
}

/// The parts of a file, as far as the end of the work needs them.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) parts: Vec<CompletedPart>,
    pub(crate) directory: Vec<u8>,
}

impl File<'_> {
    fn key(&self) -> String {
        export_key(self.owner, self.id)
    }

    /// Begins an upload, and returns its id. A browser saves the file under its own name.
    pub(crate) async fn begin(&self) -> Result<String, Error> {
        let create = self.bucket.client.create_multipart_upload().bucket(&self.bucket.name).key(self.key());
        let output = create
            .content_type("application/zip")
            .content_disposition(format!("attachment; filename=\"quick-photos-{}.zip\"", self.owner))
            .cache_control("private, no-store")
            .customize()
            .config_override(without_checksums())
            .send()
            .await?;
        output.upload_id.ok_or_else(|| Error::internal("S3 has begun an upload without an id"))
    }

    /// Uploads a part. Returns `None` if there is no such upload any more.
    pub(crate) async fn upload(
        &self,
        upload_id: &str,
        number: u32,
        bytes: Vec<u8>,
    ) -> Result<Option<CompletedPart>, Error> {
        let number = i32::try_from(number).map_err(Error::internal)?;
        let upload = self.bucket.client.upload_part().bucket(&self.bucket.name).key(self.key());
        let upload = upload.upload_id(upload_id).part_number(number).body(bytes.into()).customize();
        let Some(output) = unless_gone(upload.config_override(without_checksums()).send().await)? else {
            return Ok(None);
        };
        Ok(Some(CompletedPart::builder().part_number(number).set_e_tag(output.e_tag).build()))
    }

    /// Keeps a part, and its share of the central directory.
    pub(crate) async fn keep(&self, number: u32, part: &CompletedPart, directory: &[u8]) -> Result<(), Error> {
        let head = format!("{}\n", part.e_tag().unwrap_or_default());
        let put = self.bucket.client.put_object().bucket(&self.bucket.name);
        let put = put.key(export_part_key(self.owner, self.id, number));
        put.body([head.as_bytes(), directory].concat().into()).send().await?;
        Ok(())
    }

    /// Returns what is kept of these parts, in their order, or `None` if something is not kept any
    /// more: the work is over.
    pub(crate) async fn kept(&self, numbers: impl Iterator<Item = u32>) -> Result<Option<Kept>, Error> {
        let reads = stream::iter(numbers).map(async |number| {
            let get = self.bucket.client.get_object().bucket(&self.bucket.name);
            let output = get.key(export_part_key(self.owner, self.id, number)).send().await;
            let Some(output) = unless_gone(output)? else { return Ok(None) };
            let bytes = output.body.collect().await.map_err(|error| Error::Busy(error.into()))?.to_vec();
            let mut parts = bytes.splitn(2, |byte| *byte == b'\n');
            let etag = parts.next().map(|etag| String::from_utf8_lossy(etag).into_owned());
            let number = i32::try_from(number).map_err(Error::internal)?;
            let part = CompletedPart::builder().set_e_tag(etag).part_number(number).build();
            Ok::<_, Error>(Some((part, parts.next().unwrap_or_default().to_vec())))
        });
        let mut reads = Box::pin(reads.buffered(CONCURRENT_READS));
        let mut kept = Kept::default();
        while let Some(read) = reads.try_next().await? {
            let Some((part, directory)) = read else { return Ok(None) };
            kept.parts.push(part);
            kept.directory.extend(directory);
        }
        Ok(Some(kept))
    }

    /// Puts the parts together. If there is no such upload any more, an earlier attempt may have
    /// done it.
    pub(crate) async fn complete(&self, upload_id: &str, parts: Vec<CompletedPart>) -> Result<(), Error> {
        let parts = CompletedMultipartUpload::builder().set_parts(Some(parts)).build();
        let timeouts = TimeoutConfig::builder().operation_attempt_timeout(COMPLETE_TIMEOUT).build();
        let complete = self.bucket.client.complete_multipart_upload().bucket(&self.bucket.name).key(self.key());
        let complete = complete.upload_id(upload_id).multipart_upload(parts).customize();
        unless_gone(complete.config_override(Config::builder().timeout_config(timeouts)).send().await)?;
        Ok(())
    }

    /// Returns the size of the file, or `None` if it is not complete.
    pub(crate) async fn size(&self) -> Result<Option<u64>, Error> {
        match self.bucket.client.head_object().bucket(&self.bucket.name).key(self.key()).send().await {
            Ok(output) => {
                let bytes = output.content_length.and_then(|length| length.try_into().ok());
                Ok(Some(bytes.unwrap_or_default()))
            }
            Err(SdkError::ServiceError(error)) if matches!(error.err(), HeadObjectError::NotFound(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns a configuration in which the SDK adds no checksum: S3 accepts [no gaps in the numbers of parts with
/// checksums](https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompletedPart.html). The signature of a request has
/// the SHA-256 of its body.
fn without_checksums() -> Builder {
    Config::builder().request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
}

/// Returns the output of a request about an upload or about what is kept of its parts, or `None` if
/// there is no such thing: the file is complete, or a rule of the bucket has ended the upload.
fn unless_gone<T, E>(result: Result<T, SdkError<E>>) -> Result<Option<T>, Error>
where
    E: aws_sdk_s3::error::ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    match result {
        Ok(output) => Ok(Some(output)),
        Err(error) if matches!(error.code(), Some("NoSuchUpload" | "NoSuchKey")) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
