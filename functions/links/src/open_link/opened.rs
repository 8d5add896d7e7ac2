//! The JSON of what a link opens. It has nothing that a stranger may not know.

use std::collections::BTreeMap;

use serde::Serialize;
use shared::entities::{Mark, Photo, Pictures, User};
use shared::show::{PictureUrl, ProfilePicture, ShownPhoto, ShownPicture, Signer};
use shared::values::{PhotoId, PictureNumber, ReactionType, Show, Time, Username};

use crate::shared_thing::SharedThing;

/// The photo or the profile that a link opens, as JSON.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Serialize)]
pub struct OpenedLink {
    /// The address of the link.
    pub url: String,
    /// The user who shares.
    pub username: Username,
    /// The display name of the user.
    pub name: String,
    /// The photo. Left out for the link of a profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub photo: Option<SharedPhoto>,
    /// The profile. Left out for the link of a photo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<SharedProfile>,
}

/// A photo as everybody sees it who has a link to it.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SharedPhoto {
    /// The id among the photos of the owner.
    pub id: PhotoId,
    /// The time of the upload.
    pub timestamp: Time,
    /// The caption.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// The text alternative of the photo, for people who cannot see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alt_text: Option<String>,
    /// The width of the largest JPEG in pixels. A photo of another program has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// The height of the largest JPEG in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// A [blurhash](https://blurha.sh), to show until the picture is loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blurhash: Option<String>,
    /// The mark of a sensitive photo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<Mark>,
    /// The URLs of the JPEGs of the picture, ascending by width. A sensitive photo has none without
    /// `show=sensitive`.
    pub urls: Vec<PictureUrl>,
    /// The pictures of a photo that was made with several, in their order. The fields of the photo are those of
    /// the first one. The link of a profile leaves them out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<SharedPicture>,
    /// The number of reactions to the photo, by type.
    pub reactions: BTreeMap<ReactionType, u64>,
    /// The number of comments on the photo.
    pub comments: u64,
}

/// One of several pictures of a photo as everybody sees it who has a link to it.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SharedPicture {
    /// The number among the pictures of the photo.
    pub number: PictureNumber,
    /// The text alternative, for people who cannot see the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alt_text: Option<String>,
    /// The width of the largest JPEG in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// The height of the largest JPEG in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// A [blurhash](https://blurha.sh), to show until the picture is loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blurhash: Option<String>,
    /// The URLs of the JPEGs, as the photo has them.
    pub urls: Vec<PictureUrl>,
}

/// A profile as everybody sees it who has a link to it.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Serialize)]
pub struct SharedProfile {
    /// The status message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The picture of the pinned photo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<ProfilePicture>,
    /// The number of followers.
    pub followers: u64,
    /// The newest photos that everyone may see.
    pub photos: Vec<SharedPhoto>,
}

impl OpenedLink {
    /// Returns what a link opens. `pictures` are the several pictures of a photo, `photos` are those of a profile, and
    /// `show` is what the visitor has asked to see.
    pub(super) fn new(
        shared: SharedThing,
        pictures: Option<&Pictures>,
        photos: Vec<Photo>,
        url: String,
        signer: &Signer,
        show: Option<Show>,
    ) -> Self {
        let SharedThing { owner, photo, .. } = shared;
        let profile = photo.is_none().then(|| SharedProfile {
            status: owner.status.clone(),
            picture: signer.picture_of(&owner),
            followers: owner.followers,
            photos: photos.into_iter().map(|photo| SharedPhoto::new(photo, None, signer, show)).collect(),
        });
        let User { username, name, .. } = owner;
        Self { url, username, name, photo: photo.map(|photo| SharedPhoto::new(photo, pictures, signer, show)), profile }
    }
}

impl SharedPhoto {
    fn new(photo: Photo, pictures: Option<&Pictures>, signer: &Signer, show: Option<Show>) -> Self {
        let pictures = pictures.map(|pictures| signer.open_pictures(&photo.username, pictures)).unwrap_or_default();
        let shown = signer.show_to_owner(photo);
        let ShownPhoto { id, timestamp, caption, alt_text, width, height, blurhash, .. } = shown;
        let ShownPhoto { sensitive, reactions, comments, .. } = shown;
        let is_covered = sensitive.is_some() && show.is_none();
        let urls = |urls| if is_covered { vec![] } else { urls };
        let pictures = pictures.into_iter().map(|picture| {
            let ShownPicture { number, alt_text, width, height, blurhash, .. } = picture;
            SharedPicture { number, alt_text, width, height, blurhash, urls: urls(picture.urls) }
        });
        let (pictures, urls) = (pictures.collect(), urls(shown.urls));
        Self {
            id,
            timestamp,
            caption,
            alt_text,
            width,
            height,
            blurhash,
            sensitive,
            urls,
            pictures,
            reactions,
            comments,
        }
    }
}
