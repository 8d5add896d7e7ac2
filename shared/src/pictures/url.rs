//! The URL with which a client reads an object for some time: a [presigned
//! GET](https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html).

use std::iter;
use std::time::{Duration, SystemTime};

use aws_sigv4::http_request::{
    PercentEncodingMode, SignableBody, SignableRequest, SignatureLocation, SigningSettings, UriPathNormalizationMode,
    sign,
};
use aws_sigv4::sign::v4;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::signer::Signer;
use crate::Error;
use crate::values::EpochMillis;

/// The time to which the signing time of a URL is rounded down, in seconds: one hour. So all URLs
/// of an object that a process signs in one hour are the same, and a client's cache has the object
/// already.
const ROUNDING_SECONDS: u64 = 60 * 60;
/// The time for which a URL is valid after its signing time. At the end of the hour, one hour is
/// left.
const LIFETIME: Duration = Duration::from_secs(2 * ROUNDING_SECONDS);

/// The characters of a key that are
/// [encoded](https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html) in the
/// path of a URL.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

impl Signer {
    /// Returns a URL for a GET of an object.
    pub(super) fn signed_url(&self, key: &str, now: EpochMillis) -> Result<String, Error> {
        let url = format!("{}/{}", self.url, utf8_percent_encode(key, ENCODED));
        let seconds = now.seconds();
        let mut settings = SigningSettings::default();
        settings.signature_location = SignatureLocation::QueryParams;
        settings.expires_in = Some(LIFETIME);
        // As the SDK does for S3: the path is encoded once, and it is not normalized.
        settings.percent_encoding_mode = PercentEncodingMode::Single;
        settings.uri_path_normalization_mode = UriPathNormalizationMode::Disabled;
        let identity = self.credentials.clone().into();
        let params = v4::SigningParams::builder()
            .identity(&identity)
            .region(&self.region)
            .name("s3")
            .time(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds - seconds % ROUNDING_SECONDS))
            .settings(settings)
            .build()
            .map_err(Error::internal)?;
        let request = SignableRequest::new("GET", &url, iter::empty(), SignableBody::UnsignedPayload);
        let signed = sign(request.map_err(Error::internal)?, &params.into()).map_err(Error::internal)?;
        let mut request = lambda_http::http::Request::get(url).body(()).map_err(Error::internal)?;
        signed.into_parts().0.apply_to_request_http1x(&mut request);
        Ok(request.uri().to_string())
    }
}
