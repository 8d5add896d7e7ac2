//! The URL with which a client reads an object for some time: a [presigned
//! GET](https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html).

use std::time::{Duration, SystemTime};

use aws_sdk_dynamodb::config::Credentials;
use aws_sigv4::sign::v4::{calculate_signature, generate_signing_key};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use time::format_description::FormatItem;
use time::macros::format_description;

use super::Pictures;
use crate::values::EpochMillis;

/// The name of the signature algorithm.
pub(super) const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// The time to which the signing time of a URL is rounded down, in seconds: one hour. So all URLs of an object that a
/// process signs in one hour are the same, and a client's cache has the object already.
const ROUNDING_SECONDS: u64 = 60 * 60;
/// The time for which a URL is valid after its signing time, in seconds. At the end of the hour, one hour is left.
const LIFETIME_SECONDS: u64 = 2 * ROUNDING_SECONDS;

/// All characters that [`UriEncode`](https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html) encodes.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// The characters that it encodes in the key of an object.
const ENCODED_IN_KEY: &AsciiSet = &ENCODED.remove(b'/');

const DATE: &[FormatItem<'_>] = format_description!("[year][month][day]");
const DATE_TIME: &[FormatItem<'_>] = format_description!("[year][month][day]T[hour][minute][second]Z");

/// The signing time, and the scope in which a signature is valid.
pub(super) struct Signing {
    pub(super) time: SystemTime,
    pub(super) date_time: String,
    pub(super) scope: String,
}

impl Signing {
    /// Returns the signing time `seconds` after 1970, and its scope in a region.
    pub(super) fn at(seconds: u64, region: &str) -> Self {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let utc = OffsetDateTime::from(time);
        let format = |items: &[FormatItem<'_>]| utc.format(items).unwrap_or_default();
        Self { time, date_time: format(DATE_TIME), scope: format!("{}/{region}/s3/aws4_request", format(DATE)) }
    }

    /// Returns the value of `X-Amz-Credential`.
    pub(super) fn credential(&self, credentials: &Credentials) -> String {
        format!("{}/{}", credentials.access_key_id(), self.scope)
    }
}

impl Pictures {
    /// Returns a URL for a GET of an object.
    ///
    /// It is computed here and not by `aws_sigv4::http_request::sign`, which takes some seven times as long: a page shows up to 200
    /// URLs, which differ only in the key. A test compares the two.
    pub(super) fn signed_url(&self, key: &str, now: EpochMillis) -> String {
        let seconds = now.seconds();
        let signing = Signing::at(seconds - seconds % ROUNDING_SECONDS, &self.region);
        let (scheme, rest) = self.url.split_once("://").unwrap_or(("https", &self.url));
        let (host, bucket_path) =
            rest.split_once('/').map_or((rest, String::new()), |(host, path)| (host, format!("/{path}")));
        let path = format!("{bucket_path}/{}", utf8_percent_encode(key, ENCODED_IN_KEY));
        let encoded = |text: &str| utf8_percent_encode(text, ENCODED).to_string();
        // The parameters are in the order of their names, as the canonical request requires.
        let mut query = format!(
            "X-Amz-Algorithm={ALGORITHM}&X-Amz-Credential={}&X-Amz-Date={}&X-Amz-Expires={LIFETIME_SECONDS}",
            encoded(&signing.credential(&self.credentials)),
            signing.date_time,
        );
        if let Some(token) = self.credentials.session_token() {
            query += "&X-Amz-Security-Token=";
            query += &encoded(token);
        }
        query += "&X-Amz-SignedHeaders=host";

        let canonical_request = format!("GET\n{path}\n{query}\nhost:{host}\n\nhost\nUNSIGNED-PAYLOAD");
        let hash = Sha256::digest(canonical_request);
        let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let string_to_sign = format!("{ALGORITHM}\n{}\n{}\n{hash}", signing.date_time, signing.scope);
        let signing_key = generate_signing_key(self.credentials.secret_access_key(), signing.time, &self.region, "s3");
        let signature = calculate_signature(signing_key, string_to_sign.as_bytes());
        format!("{scheme}://{host}{path}?{query}&X-Amz-Signature={signature}")
    }
}
