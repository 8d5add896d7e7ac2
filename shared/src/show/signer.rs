//! The URL with which a client reads a picture for some time.
//!
//! [CloudFront](https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-functions.html)
//! serves the pictures of the bucket. At its edge, a function in template.yaml checks the signature
//! of each URL with a key that all functions have. So all processes make the same URL of a picture,
//! and caches know it.

use hmac::{Hmac, KeyInit as _, Mac as _};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::Sha256;

use crate::entities::object::{Size, picture_key};
use crate::runtime::process::{Process, StartError};
use crate::values::{EpochMillis, PhotoId, PictureId, PictureNumber, Username};

/// The time for which all URLs of a picture are the same, in seconds: one hour. So a client's cache
/// has the picture already.
const ROUNDING_SECONDS: u64 = 60 * 60;
/// The time for which a URL is valid from the beginning of its hour, in seconds. At the end of the
/// hour, one hour is left.
pub const PICTURE_URL_LIFETIME_SECONDS: u64 = 2 * ROUNDING_SECONDS;
/// The characters of a key that are encoded in the path of a URL.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The address of the pictures, and the key with which their URLs are signed.
#[derive(Debug, Clone)]
pub struct Signer {
    url: String,
    hmac: Hmac<Sha256>,
}

impl Signer {
    /// Returns the signer of the address `PICTURES_URL` with the key `PICTURES_KEY`, two
    /// environment variables.
    pub fn from_process(process: &Process) -> Result<Self, StartError> {
        Ok(Self::new(&process.variable("PICTURES_URL")?, &process.variable("PICTURES_KEY")?))
    }

    /// Returns the signer of the address `url`, without a slash at its end, with this key.
    #[must_use]
    pub fn new(url: &str, key: &str) -> Self {
        let hmac = Hmac::new_from_slice(key.as_bytes()).expect("HMAC takes keys of any length");
        Self { url: url.to_owned(), hmac }
    }

    /// Returns the URL of one size of a picture: the path of the object, the time until which it is
    /// valid, in seconds since 1970, and the signature of both.
    pub(super) fn url(
        &self,
        owner: &Username,
        photo: &PhotoId,
        (number, id): (Option<PictureNumber>, &PictureId),
        size: Size,
        now: EpochMillis,
    ) -> String {
        let seconds = now.seconds();
        let until = seconds - seconds % ROUNDING_SECONDS + PICTURE_URL_LIFETIME_SECONDS;
        self.url_until(&picture_key(owner, photo, number, id, size), until)
    }

    /// Returns the URL of the object at `key`, valid until a time in seconds since 1970.
    pub(super) fn url_until(&self, key: &str, until: u64) -> String {
        let path = format!("/{}", utf8_percent_encode(key, ENCODED));
        format!("{}{path}?until={until}&signature={}", self.url, self.signature(&path, &until.to_string()))
    }

    /// Returns whether the path and the query of a URL are signed and still valid. It is the check
    /// of the function at the edge.
    #[must_use]
    pub fn admits(&self, path: &str, query: &str, now: EpochMillis) -> bool {
        let until_and_signature = query.strip_prefix("until=").and_then(|query| query.split_once("&signature="));
        until_and_signature.is_some_and(|(until, signature)| {
            signature == self.signature(path, until) && until.parse().is_ok_and(|until: u64| now.seconds() < until)
        })
    }

    /// Returns the [HMAC](https://www.rfc-editor.org/rfc/rfc2104) with SHA-256 of the path and the
    /// time, in [base64url](https://www.rfc-editor.org/rfc/rfc4648#section-5).
    fn signature(&self, path: &str, until: &str) -> String {
        use base64::Engine as _;
        use base64::engine::general_purpose::URL_SAFE_NO_PAD;

        let hmac = self.hmac.clone().chain_update(path).chain_update("?").chain_update(until);
        URL_SAFE_NO_PAD.encode(hmac.finalize().into_bytes())
    }
}
