//! The form with which a client uploads a file to S3 itself: a [presigned
//! POST](https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html).

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use aws_sdk_dynamodb::config::Credentials;
use aws_sigv4::sign::v4::{calculate_signature, generate_signing_key};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};
use serde_json::json;
use time::OffsetDateTime;
use time::format_description::FormatItem;
use time::macros::format_description;

use crate::Error;
use crate::runtime::process::{Process, StartError};
use crate::values::{EpochMillis, Time, Timestamp};

/// The time for which S3 accepts a form, in seconds: 15 minutes.
pub const UPLOAD_FORM_LIFETIME_SECONDS: u64 = 15 * 60;
/// The format of the signing time.
const DATE_TIME: &[FormatItem<'_>] = format_description!("[year][month][day]T[hour][minute][second]Z");

/// A form for one file. Its members are those of
/// [`generate_presigned_post`](https://docs.aws.amazon.com/boto3/latest/reference/services/s3/client/generate_presigned_post.html)
/// of boto3, and the time at which it expires.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadForm {
    /// The URL to send the form to, as a POST of `multipart/form-data`.
    pub url: String,
    /// The fields of the form. The field `file` with the file has to follow them.
    pub fields: BTreeMap<String, String>,
    /// The time until which S3 accepts the form.
    pub expires: Time,
}

/// The bucket of the photos, and the credentials with which upload-photo signs forms. What it signs
/// is allowed only if its own role allows it.
#[derive(Debug, Clone)]
pub struct FormSigner {
    bucket: String,
    url: String,
    region: String,
    credentials: Credentials,
}

impl FormSigner {
    /// Returns the bucket that the environment variable `PHOTO_BUCKET` names, with the URL
    /// `PHOTO_BUCKET_URL` of its objects. Region and credentials are those that [Lambda
    /// sets](https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime).
    /// They stay the same for as long as the process lives.
    pub fn from_process(process: &Process) -> Result<Self, StartError> {
        let variable = |name| process.variable(name);
        let credentials = Credentials::new(
            variable("AWS_ACCESS_KEY_ID")?,
            variable("AWS_SECRET_ACCESS_KEY")?,
            variable("AWS_SESSION_TOKEN").ok(),
            None,
            "environment",
        );
        Ok(Self::new(&variable("PHOTO_BUCKET")?, &variable("PHOTO_BUCKET_URL")?, &variable("AWS_REGION")?, credentials))
    }

    /// Returns the bucket `bucket`, whose objects have URLs that begin with `url`, without a slash
    /// at its end.
    #[must_use]
    pub fn new(bucket: &str, url: &str, region: &str, credentials: Credentials) -> Self {
        Self { bucket: bucket.to_owned(), url: url.to_owned(), region: region.to_owned(), credentials }
    }

    /// Returns the name of the bucket.
    pub(crate) fn bucket(&self) -> &str {
        &self.bucket
    }

    /// Returns the form for one object. S3 accepts it for 15 minutes, but not after `latest_expiry`,
    /// in seconds since 1970. The file must have from 1 byte to `max_bytes`.
    pub(crate) fn form(
        &self,
        key: String,
        content_type: &str,
        max_bytes: u64,
        latest_expiry: u64,
    ) -> Result<UploadForm, Error> {
        let now = EpochMillis::now().seconds();
        let lifetime = latest_expiry.saturating_sub(now).min(UPLOAD_FORM_LIFETIME_SECONDS);
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(now);
        let expires = Time::from(Timestamp::from(time + Duration::from_secs(lifetime)));
        let date_time = OffsetDateTime::from(time).format(DATE_TIME).map_err(Error::internal)?;
        let date = date_time.split('T').next().unwrap_or_default();
        let access_key = self.credentials.access_key_id();
        let mut fields = BTreeMap::from([
            ("key".to_owned(), key),
            ("Content-Type".to_owned(), content_type.to_owned()),
            ("x-amz-algorithm".to_owned(), "AWS4-HMAC-SHA256".to_owned()),
            ("x-amz-credential".to_owned(), format!("{access_key}/{date}/{}/s3/aws4_request", self.region)),
            ("x-amz-date".to_owned(), date_time),
        ]);
        if let Some(token) = self.credentials.session_token() {
            fields.insert("x-amz-security-token".to_owned(), token.to_owned());
        }
        let mut conditions = vec![json!({"bucket": self.bucket}), json!(["content-length-range", 1, max_bytes])];
        conditions.extend(fields.iter().map(|(name, value)| json!({ name: value })));
        let policy = BASE64.encode(json!({"expiration": expires, "conditions": conditions}).to_string());
        let key = generate_signing_key(self.credentials.secret_access_key(), time, &self.region, "s3");
        fields.insert("x-amz-signature".to_owned(), calculate_signature(key, policy.as_bytes()));
        fields.insert("policy".to_owned(), policy);
        Ok(UploadForm { url: format!("{}/", self.url), fields, expires })
    }
}
