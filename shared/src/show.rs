//! The entities as answers show them to their readers: photos with signed URLs, the cards of people,
//! and others.
//!
//! A function signs URLs and forms without a request. A client gets exactly what is signed: to
//! upload one file under one key for some minutes, or to read one object for some hours.

mod card;
mod comment;
mod export;
mod favorites;
mod import;
mod listed;
mod photo;
mod profile;
mod report;
mod signer;
mod songs;
#[cfg(test)]
mod tests;
mod upload;

pub use card::{Card, People, Thumbnail};
pub use comment::{CommentViewer, ShownComment, list_of_comments};
pub use export::{ExportProgress, ShownExport};
pub use favorites::{Favorites, PhotoTables, ShownFavorite};
pub use import::ShownImport;
pub use listed::{ListedBlock, ListedUser};
pub use photo::{PhotoPage, PictureState, PictureUrl, ShownPhoto, ShownPicture, UploadedPhoto, add_engagements};
pub use profile::{Counts, Profile, ProfilePicture, Uploads};
pub use report::{About, ShownReport};
pub use signer::{PICTURE_URL_LIFETIME_SECONDS, Signer};
pub use songs::{Albums, Songs};
pub use upload::{AnnouncedFile, MAX_IMPORT_BYTES, Upload};
