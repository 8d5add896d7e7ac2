//! The forms and requests with which clients upload files.

use serde::Serialize;

use crate::Error;
use crate::entities::object::{import_key, incoming_key, location};
use crate::http::form::{FormSigner, UploadForm};
use crate::http::put::UploadRequest;
use crate::values::{FileBytes, FileHash, ImportId, MAX_UPLOAD_BYTES, PhotoFormat, PhotoId, PictureNumber, Username};

/// The maximum size of the file of an import in bytes: 5 GB, the [maximum of a
/// POST](https://docs.aws.amazon.com/AmazonS3/latest/userguide/upload-objects.html).
pub const MAX_IMPORT_BYTES: u64 = 5 * 1024 * 1024 * 1024;

/// The way to upload one file.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Upload {
    /// A form.
    Form(UploadForm),
    /// A request whose body is the file, if the request for the photo has `"upload": "put"`.
    Put(UploadRequest),
}

/// A file that a client announces, so that S3 takes no other file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnouncedFile {
    /// The size.
    pub bytes: FileBytes,
    /// The SHA-256.
    pub sha256: FileHash,
}

impl FormSigner {
    /// Returns the location of a new photo.
    #[must_use]
    pub fn location(&self, owner: &Username, photo: &PhotoId) -> String {
        location(self.bucket(), owner, photo)
    }

    /// Returns the form for the file of a photo, or of one of its several pictures. S3 accepts it for 15 minutes, but not after
    /// `latest_expiry`, in seconds since 1970. The file must have from 1 byte to 20 MB.
    pub fn upload_form(
        &self,
        owner: &Username,
        photo: &PhotoId,
        number: Option<PictureNumber>,
        format: PhotoFormat,
        latest_expiry: u64,
    ) -> Result<UploadForm, Error> {
        self.form(incoming_key(owner, photo, number), &format!("image/{format}"), MAX_UPLOAD_BYTES, latest_expiry)
    }

    /// Returns the request for the `file` of a photo, or of one of its several pictures. S3 accepts it for 15 minutes, but not after
    /// `latest_expiry`, in seconds since 1970.
    pub fn upload_request(
        &self,
        owner: &Username,
        photo: &PhotoId,
        number: Option<PictureNumber>,
        format: PhotoFormat,
        file: &AnnouncedFile,
        latest_expiry: u64,
    ) -> Result<UploadRequest, Error> {
        let AnnouncedFile { bytes, sha256 } = file;
        self.request(&incoming_key(owner, photo, number), &format!("image/{format}"), *bytes, sha256, latest_expiry)
    }

    /// Returns the form for the file of an import. S3 accepts it for 15 minutes, but not after
    /// `latest_expiry`, in seconds since 1970. The file must have from 1 byte to 5 GB.
    pub fn import_form(&self, owner: &Username, id: &ImportId, latest_expiry: u64) -> Result<UploadForm, Error> {
        self.form(import_key(owner, id), "application/zip", MAX_IMPORT_BYTES, latest_expiry)
    }
}
