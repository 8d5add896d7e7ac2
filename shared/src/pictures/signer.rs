//! The bucket of the photos, for signing.

use aws_sdk_dynamodb::config::Credentials;

use crate::values::{Timestamp, Username};

/// The bucket of the photos, and the credentials with which a function signs uploads and URLs.
#[derive(Debug, Clone)]
pub struct Signer {
    pub(super) bucket: String,
    pub(super) url: String,
    pub(super) region: String,
    pub(super) credentials: Credentials,
}

impl Signer {
    /// Returns the bucket that the environment variable `PHOTO_BUCKET` names, with the URL
    /// `PHOTO_BUCKET_URL` of its objects. Region and credentials are those that [Lambda
    /// sets](https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime).
    /// They stay the same for as long as the process lives.
    pub fn from_environment() -> Result<Self, lambda_http::Error> {
        let variable =
            |name: &str| std::env::var(name).map_err(|_| format!("the environment variable {name} is not set"));
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

    /// Returns the location of a new photo.
    #[must_use]
    pub fn location(&self, owner: &Username, timestamp: &Timestamp) -> String {
        format!("s3://{}/photos/{owner}/{timestamp}", self.bucket)
    }
}
