//! The pictures of photos as clients see them: the form with which a file is uploaded, and the URLs
//! of the two sizes. The file of an export has such a URL too.
//!
//! A function signs both without a request. A client gets exactly what is signed: to upload one file
//! under one key for some minutes, or to read one object for some hours. The cards of people, and
//! the requests to the bucket, are here too.

mod card;
mod export;
mod favorites;
mod form;
mod import;
pub mod keys;
mod shown;
mod signer;
#[cfg(feature = "s3")]
pub mod store;
#[cfg(test)]
mod tests;

pub use export::{ExportProgress, ShownExport};
pub use favorites::{Favorites, PhotoTables, ShownFavorite};
pub use form::{
    FormSigner, MAX_IMPORT_BYTES, MAX_UPLOAD_BYTES, UPLOAD_FORM_LIFETIME_SECONDS, UploadForm, UploadedPhoto,
};
pub use import::ShownImport;
pub use shown::{PhotoPage, PictureState, ShownPhoto, Urls, add_engagements};
pub use signer::Signer;
