//! The pictures of photos as clients see them: the form with which a file is uploaded, and the URLs
//! of the two sizes.
//!
//! A function makes both by computation from its own credentials, and sends no request to Amazon S3
//! for them. A client gets exactly what is signed: to upload one file under one key for some
//! minutes, or to read one object for some hours. What a function signs is allowed only if its own
//! role allows it.

mod card;
mod favorites;
mod form;
pub mod keys;
mod shown;
mod signer;
#[cfg(feature = "s3")]
pub mod store;
#[cfg(test)]
mod tests;
mod url;

pub use favorites::{Favorites, ShownFavorite};
pub use form::{MAX_UPLOAD_BYTES, UPLOAD_FORM_LIFETIME_SECONDS, UploadForm, UploadedPhoto};
pub use shown::{PhotoPage, PictureState, ShownPhoto, Urls, add_engagements};
pub use signer::Signer;
