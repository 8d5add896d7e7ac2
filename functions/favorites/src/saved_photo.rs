//! The photo in the paths of saved photos.

#[cfg(feature = "schema")]
use shared::http::describe::Operation;
use shared::http::extract::{FromRequest, Path};
use shared::http::request::path;
use shared::values::{PhotoId, PhotoReference, Username};
use shared::{Error, Request};

/// The photo that a path names by its `{author}` and by `{photo}`, its id.
pub struct SavedPhoto(pub PhotoReference);

impl FromRequest for SavedPhoto {
    fn from_request(request: &Request) -> Result<Self, Error> {
        let username = path::<Username>(request, "author")?;
        let Path(id) = Path::<PhotoId>::from_request(request)?;
        Ok(Self(PhotoReference { username, id }))
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        operation.path::<Username>("author", "The owner of the photo. `me` is the caller.");
        Path::<PhotoId>::describe(operation);
    }
}
