//! The announcement of a picture, with which upload-photo and update-photo sign the form or the request for its
//! file.

use shared::Error;
use shared::http::fields::Fields;
use shared::http::form::FormSigner;
use shared::show::{AnnouncedFile, Upload};
use shared::values::{AltText, FileBytes, FileHash, PhotoFormat, PhotoId, PictureNumber, UploadMethod, Username};

/// The fields of a picture in a request. A photo has either these or several pictures with them.
pub(crate) const FIELDS: &[&str] = &["format", "altText", "upload", "bytes", "sha256"];

const ONLY_WITH_PUT: &str = "must be left out unless upload is put";

/// A picture that a request announces.
#[cfg_attr(test, derive(Default))]
pub(crate) struct NewPicture {
    pub(crate) alt_text: Option<AltText>,
    /// The format of the file. Without it, PNG.
    format: Option<PhotoFormat>,
    /// The file that the client puts. Without it, the client sends a form.
    file: Option<AnnouncedFile>,
}

impl NewPicture {
    /// Takes the fields of the picture, and then all others by `finish`, which reports all that are invalid.
    pub(crate) fn take<T>(
        fields: &mut Fields,
        finish: impl FnOnce(&mut Fields) -> Result<T, Error>,
    ) -> Result<(Self, T), Error> {
        let format = fields.optional::<PhotoFormat>("format");
        let alt_text = fields.optional::<AltText>("altText");
        let upload = fields.optional::<UploadMethod>("upload");
        let bytes = fields.optional::<FileBytes>("bytes");
        let sha256 = fields.optional::<FileHash>("sha256");
        let others = finish(fields)?;
        let file = match (upload?.unwrap_or_default(), bytes?, sha256?) {
            (UploadMethod::Form, None, None) => None,
            (UploadMethod::Put, Some(bytes), Some(sha256)) => Some(AnnouncedFile { bytes, sha256 }),
            (UploadMethod::Put, None, _) => return Err(Error::invalid("bytes", "must be given if upload is put")),
            (UploadMethod::Put, ..) => return Err(Error::invalid("sha256", "must be given if upload is put")),
            (UploadMethod::Form, Some(_), _) => return Err(Error::invalid("bytes", ONLY_WITH_PUT)),
            (UploadMethod::Form, ..) => return Err(Error::invalid("sha256", ONLY_WITH_PUT)),
        };
        Ok((Self { alt_text: alt_text?, format: format?, file }, others))
    }

    /// Returns the form or the request for the file, which S3 does not accept after `latest_expiry`, in
    /// seconds since 1970.
    pub(crate) fn upload(
        &self,
        forms: &FormSigner,
        owner: &Username,
        photo: &PhotoId,
        number: Option<PictureNumber>,
        latest_expiry: u64,
    ) -> Result<Upload, Error> {
        let format = self.format.unwrap_or(PhotoFormat::Png);
        match &self.file {
            None => forms.upload_form(owner, photo, number, format, latest_expiry).map(Upload::Form),
            Some(file) => forms.upload_request(owner, photo, number, format, file, latest_expiry).map(Upload::Put),
        }
    }
}
