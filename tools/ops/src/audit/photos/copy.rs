//! The copy that a photo has of the first one of its several pictures.

use shared::entities::{Photo, Picture, Pictures};

/// The copy that a photo has of the first one of its several pictures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::audit) struct CopyOfFirst {
    /// The first picture.
    pub(super) picture: Picture,
    pub(super) alt_text: Option<String>,
    /// The number of pictures.
    pub(super) number: u32,
}

impl CopyOfFirst {
    /// Returns what a photo repeats, if it was made with several pictures.
    pub(super) fn of(photo: &Photo) -> Option<Self> {
        let number = photo.pictures?;
        Some(Self { picture: photo.picture.clone()?, alt_text: photo.alt_text.clone(), number })
    }

    /// Returns what the photo has to repeat.
    pub(super) fn after(&self, pictures: &Pictures) -> Self {
        let alt_text = pictures.first().and_then(|first| first.alt_text.clone());
        Self { picture: pictures.copy(&self.picture), alt_text, number: pictures.count() }
    }
}
