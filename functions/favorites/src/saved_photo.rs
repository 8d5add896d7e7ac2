//! The photo in the paths of saved photos.

#[cfg(feature = "schema")]
use shared::http::describe::Operation;
use shared::http::extract::FromRequest;
use shared::http::request::path;
use shared::values::{PhotoReference, Timestamp, Username};
use shared::{Error, Request};

/// The photo that a path names by its `{author}` and by `{photo}`, its id.
pub struct SavedPhoto(pub PhotoReference);

impl FromRequest for SavedPhoto {
    fn from_request(request: &Request) -> Result<Self, Error> {
        let username = path::<Username>(request, "author")?;
        Ok(Self(PhotoReference { username, timestamp: path::<Timestamp>(request, "photo")? }))
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        operation.path::<Username>("author");
        operation.path::<Timestamp>("photo");
    }
}
