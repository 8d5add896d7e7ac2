//! The forms with which clients upload files, and photos with these forms.

use serde::Serialize;

use super::photo::ShownPhoto;
use crate::Error;
use crate::entities::object::{import_key, incoming_key, location};
use crate::http::form::{FormSigner, UploadForm};
use crate::values::{ImportId, PhotoFormat, PhotoId, Username};

/// The maximum size of an uploaded file in bytes: 20 MB.
pub const MAX_UPLOAD_BYTES: u64 = 20 * 1024 * 1024;
/// The maximum size of the file of an import in bytes: 5 GB, the [maximum of a
/// POST](https://docs.aws.amazon.com/AmazonS3/latest/userguide/upload-objects.html).
pub const MAX_IMPORT_BYTES: u64 = 5 * 1024 * 1024 * 1024;

/// A photo as the answer to an upload shows it, with the form for its file. There is no form if the
/// photo of a repeated request is not pending any more.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UploadedPhoto {
    /// The photo.
    #[serde(flatten)]
    pub photo: ShownPhoto,
    /// The form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upload: Option<UploadForm>,
}

impl FormSigner {
    /// Returns the location of a new photo.
    #[must_use]
    pub fn location(&self, owner: &Username, photo: &PhotoId) -> String {
        location(self.bucket(), owner, photo)
    }

    /// Returns the form for the file of a photo. S3 accepts it for 15 minutes, but not after
    /// `latest_expiry`, in seconds since 1970. The file must have from 1 byte to 20 MB.
    pub fn upload_form(
        &self,
        owner: &Username,
        photo: &PhotoId,
        format: PhotoFormat,
        latest_expiry: u64,
    ) -> Result<UploadForm, Error> {
        self.form(incoming_key(owner, photo), &format!("image/{format}"), MAX_UPLOAD_BYTES, latest_expiry)
    }

    /// Returns the form for the file of an import. S3 accepts it for 15 minutes, but not after
    /// `latest_expiry`, in seconds since 1970. The file must have from 1 byte to 5 GB.
    pub fn import_form(&self, owner: &Username, id: &ImportId, latest_expiry: u64) -> Result<UploadForm, Error> {
        self.form(import_key(owner, id), "application/zip", MAX_IMPORT_BYTES, latest_expiry)
    }
}
