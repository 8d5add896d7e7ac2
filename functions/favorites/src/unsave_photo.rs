//! `DELETE /users/{username}/saved/{author}/{photo}` deletes the favorite of a saved photo, by the
//! requests of [unclip-favorite](crate::unclip_favorite).

use shared::http::extract::Owner;
use shared::values::DataId;
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success};

use crate::saved_photo::SavedPhoto;
use crate::unclip_favorite::UnclipFavorite;

#[cfg(test)]
mod tests;

/// The route.
pub struct UnsavePhoto(UnclipFavorite);

impl Route for UnsavePhoto {
    const NAME: &'static str = "unsave-photo";
    const ROUTE: &'static str = "DELETE /users/{username}/saved/{author}/{photo}";
    const SUMMARY: &'static str =
        "Takes a photo out of the caller's favorites. For some time, it can be restored with its tags.";
    const SUCCESSES: &'static [Success] = &[Success::no_content("The caller has not saved the photo.")];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NoProfile, ErrorKind::OtherAccount, ErrorKind::TooManyTagsToDelete];

    type Input = (Owner, SavedPhoto);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        UnclipFavorite::start(process).map(Self)
    }

    async fn answer(&self, (Owner(caller), SavedPhoto(photo)): Self::Input) -> Result<Response<()>, Error> {
        self.0.unclip(&caller, &DataId::of_photo(&photo)).await
    }
}
