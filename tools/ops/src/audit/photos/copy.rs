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

    /// Returns what the photo has to repeat. While it is pending, or if it was rejected then, its text is that of the
    /// picture that was the first one when the owner last changed the pictures.
    pub(super) fn after(&self, pictures: &Pictures) -> Self {
        let alt_text = match self.picture {
            Picture::Pending | Picture::Rejected { .. } => self.alt_text.clone(),
            Picture::Ready(_) | Picture::Removed { .. } => pictures.first().and_then(|first| first.alt_text.clone()),
        };
        Self { picture: pictures.copy(&self.picture), alt_text, number: pictures.count() }
    }
}
