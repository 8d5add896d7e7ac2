//! Inspects and repairs popular photos.

use shared::entities::{Key, Photo, PopularPhoto};

use super::feeds_check::FeedsCheck;
use crate::audit::error::Error;
use crate::audit::finding::FeedsFinding;
use crate::audit::read;

/// The attributes of a photo on which its popular photo depends.
const REACTED: [&str; 5] = ["audience", "picture", "reactions", "sensitive", "username"];

impl FeedsCheck {
    pub(super) async fn popular_photo(&self, popular: &PopularPhoto) -> Result<Option<FeedsFinding>, Error> {
        let exists = read::get(&self.feed, Key::popular_photo(popular)).await?.is_some();
        let Some((_, photo)) = self.read_photo(&popular.photo).await? else { return Ok(None) };
        Ok(match (exists, is_of(popular, photo.as_deref())) {
            (false, true) => Some(FeedsFinding::NoPopularPhoto(popular.clone())),
            (true, false) => Some(FeedsFinding::StalePopularPhoto(popular.clone())),
            _ => None,
        })
    }

    /// Puts or deletes a popular photo, if it still follows from the photo, or still does not.
    pub(super) async fn correct_popular_photo(&self, popular: &PopularPhoto, is_missing: bool) -> Result<bool, Error> {
        let Some((item, photo)) = self.read_photo(&popular.photo).await? else { return Ok(false) };
        if is_of(popular, photo.as_deref()) != is_missing {
            return Ok(false);
        }
        let (key, missing) = (Key::popular_photo(popular), is_missing.then(|| popular.item()));
        self.put_or_delete(key, missing, &popular.photo, &item, &REACTED).await
    }
}

/// Returns whether a popular photo is the one of a photo.
fn is_of(popular: &PopularPhoto, photo: Option<&Photo>) -> bool {
    photo.and_then(Photo::popular).as_ref() == Some(popular)
}
