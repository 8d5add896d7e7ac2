//! Photos as answers show them.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::signer::Signer;
use super::upload::Upload;
use crate::Error;
use crate::access::Relations;
use crate::dynamodb::Item;
#[cfg(feature = "schema")]
use crate::entities::MAX_PICTURES;
use crate::entities::object::Size;
use crate::entities::{Engagement, Mark, Photo, Picture, PictureEntry, Pictures, Position, Sizes, hashtags};
use crate::http::problems::PictureProblem;
use crate::values::{Audience, EpochMillis, PhotoId, PictureNumber, ReactionType, ReportReason, Time, Username};

impl Signer {
    /// Returns a photo as lists show it to the caller, or `None` if the caller [may
    /// not](Relations::may_see) see it. Of a sensitive photo, the caller gets [no
    /// URL](Relations::hides_picture).
    #[must_use]
    pub fn show(&self, photo: Photo, caller: &Relations<'_>) -> Option<ShownPhoto> {
        let hides_picture = caller.hides_picture(&photo);
        let shown = caller.may_see(&photo).then(|| self.show_to_owner(photo))?;
        Some(if hides_picture { ShownPhoto { urls: vec![], location: None, ..shown } } else { shown })
    }

    /// Returns a photo that the caller opens, with the URLs also if it is sensitive, or `None` if the
    /// caller [may not](Relations::may_see) see it. Nobody else gets a signed URL. Of several pictures, only
    /// the owner gets those that are not shown.
    #[must_use]
    pub fn open(
        &self,
        photo: Photo,
        pictures: Option<&Pictures>,
        caller: (&Username, &Relations<'_>),
    ) -> Option<ShownPhoto> {
        let (caller, relations) = caller;
        let show = if photo.username == *caller { Self::show_pictures_to_owner } else { Self::open_pictures };
        let pictures = pictures.map(|pictures| show(self, &photo.username, pictures)).unwrap_or_default();
        relations.may_see(&photo).then(|| ShownPhoto { pictures, ..self.show_to_owner(photo) })
    }

    /// Returns a photo as its owner sees it, and a moderator if it is reported.
    #[must_use]
    pub fn show_to_owner(&self, photo: Photo) -> ShownPhoto {
        let sensitive = photo.mark();
        let Photo { username, id, location, reactions, comments, caption, .. } = photo;
        let Photo { alt_text, edited, audience, picture, pictures: picture_count, .. } = photo;
        let has_picture = picture.is_some();
        let look = self.look(&username, &id, picture);
        ShownPhoto {
            username,
            timestamp: id.time().into(),
            id,
            location: (!has_picture).then_some(location),
            // A photo that is older than a type has no count of it.
            reactions: ReactionType::ALL
                .iter()
                .map(|reaction| (*reaction, reactions.get(reaction).copied().unwrap_or_default()))
                .collect(),
            comments,
            hashtags: hashtags(caption.as_deref().unwrap_or_default())
                .into_iter()
                .map(|found| found.written.to_owned())
                .collect(),
            caption,
            alt_text,
            edited: edited.map(Time::from),
            audience,
            sensitive,
            viewer: None,
            status: look.status,
            problem: look.problem,
            reason: look.reason,
            width: look.width,
            height: look.height,
            blurhash: look.blurhash,
            urls: look.urls,
            picture_count,
            pictures: vec![],
        }
    }

    /// Returns the pictures of a photo as its owner sees them, and a moderator if it is reported.
    #[must_use]
    pub fn show_pictures_to_owner(&self, owner: &Username, pictures: &Pictures) -> Vec<ShownPicture> {
        pictures.entries.iter().map(|entry| self.picture(owner, &pictures.id, entry)).collect()
    }

    /// Returns the pictures of a photo as everyone else sees them who may see it.
    #[must_use]
    pub fn open_pictures(&self, owner: &Username, pictures: &Pictures) -> Vec<ShownPicture> {
        let shown = pictures.entries.iter().filter(|entry| entry.shown().is_some());
        shown.map(|entry| self.picture(owner, &pictures.id, entry)).collect()
    }

    fn picture(&self, owner: &Username, id: &PhotoId, entry: &PictureEntry) -> ShownPicture {
        let PictureEntry { number, picture, alt_text, .. } = entry.clone();
        let Look { status, problem, reason, width, height, blurhash, urls } = self.look(owner, id, Some(picture));
        ShownPicture { number, status, problem, reason, alt_text, width, height, blurhash, urls, upload: None }
    }

    fn look(&self, owner: &Username, photo: &PhotoId, picture: Option<Picture>) -> Look {
        let now = EpochMillis::now();
        let (status, problem, reason, sizes) = match picture {
            None => (PictureState::Ready, None, None, None),
            Some(Picture::Pending) => (PictureState::Pending, None, None, None),
            Some(Picture::Rejected { problem, reason }) => (PictureState::Rejected, Some(problem), reason, None),
            Some(Picture::Ready(sizes)) => (PictureState::Ready, None, None, Some(sizes)),
            Some(Picture::Removed { reason, sizes }) => {
                (PictureState::Removed, Some(PictureProblem::RemovedByModerator), Some(reason), sizes)
            }
        };
        let mut look = Look { status, problem, reason, width: None, height: None, blurhash: None, urls: vec![] };
        if let Some(Sizes { number, id, width, height, blurhash, .. }) = sizes {
            let url = |size| self.url(owner, photo, (number, &id), size, now);
            look.urls = Size::of_picture(width).map(|(size, width)| PictureUrl { width, url: url(size) }).collect();
            (look.width, look.height, look.blurhash) = (Some(width), Some(height), Some(blurhash));
        }
        look
    }
}

/// The look of a picture in answers.
struct Look {
    status: PictureState,
    problem: Option<PictureProblem>,
    reason: Option<ReportReason>,
    width: Option<u32>,
    height: Option<u32>,
    blurhash: Option<String>,
    urls: Vec<PictureUrl>,
}

/// A page of the photos of one user, while it is being read.
#[derive(Debug)]
pub struct PhotoPage {
    /// The photos that the caller may see.
    pub photos: Vec<ShownPhoto>,
    /// The photo after which the next page begins.
    pub last: Option<PhotoId>,
    limit: usize,
}

impl PhotoPage {
    /// The maximum number of Queries that read one page. Together they read at most 1,100 photos,
    /// which is about 70 read units. So a page is full unless the caller may not see 1,000 photos
    /// in a row, or they were deleted within the last days.
    pub const MAX_ROUNDS: usize = 5;
    /// The number of photos that each Query after the first one reads.
    pub const PHOTOS_OF_ROUND: i32 = 250;

    /// Returns a page of at most `limit` photos after `last`, to which none was added.
    pub fn new(limit: i32, last: Option<PhotoId>) -> Result<Self, Error> {
        Ok(Self { photos: vec![], last, limit: usize::try_from(limit).map_err(Error::internal)? })
    }

    /// Returns whether the page has as many photos as it may have.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.photos.len() >= self.limit
    }

    /// Adds those of the photos that the caller may see, until the page is full. `end` is the
    /// position after all of them. Returns whether there are photos after the page among them.
    pub fn add(&mut self, photos: Vec<Photo>, end: Option<PhotoId>, signer: &Signer, caller: &Relations<'_>) -> bool {
        for photo in photos {
            if self.is_full() {
                return true;
            }
            self.last = Some(photo.id.clone());
            self.photos.extend(signer.show(photo, caller));
        }
        self.last = end.or(self.last.take());
        false
    }
}

/// Adds to each photo the caller's engagement with it. `items` are those that were found.
pub fn add_engagements(photos: &mut [ShownPhoto], items: Vec<Item>) -> Result<(), Error> {
    let found = items.into_iter().map(Engagement::from_item);
    let mut engagements: HashMap<Position, Engagement> = found.collect::<Result<_, _>>()?;
    for photo in photos {
        photo.viewer = Some(engagements.remove(&photo.position()).unwrap_or_default());
    }
    Ok(())
}

/// A photo as answers show it.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Photo"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownPhoto {
    /// The owner.
    pub username: Username,
    /// The id among the photos of the owner.
    pub id: PhotoId,
    /// The time of the upload.
    pub timestamp: Time,
    /// The URL of the file of a photo that another program wrote, which has no `urls`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The state of the picture. Only the owner sees a photo that is not `ready`.
    pub status: PictureState,
    /// Why nobody but the owner sees a `rejected` or `removed` photo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<PictureProblem>,
    /// The rule that the photo breaks, if it was refused or removed by a moderator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<ReportReason>,
    /// The width of the largest JPEG in pixels, at most 1600.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// The height of the largest JPEG in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// A [blurhash](https://blurha.sh), to show until the picture is loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blurhash: Option<String>,
    /// The URLs of the JPEGs of the picture, ascending by width: of 440, 800 and at most 1600 pixels. A picture is never
    /// enlarged: one of 600 pixels has JPEGs of 440 and 600. A photo of another program has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub urls: Vec<PictureUrl>,
    /// The number of pictures of a photo that was made with several. `status`, `urls`, `altText` and what else is
    /// of a picture are those of the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture_count: Option<u32>,
    /// The pictures of a photo that was made with several, in their order. Lists leave them out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(length(max = MAX_PICTURES)))]
    pub pictures: Vec<ShownPicture>,
    /// The number of reactions to the photo, by type.
    pub reactions: BTreeMap<ReactionType, u64>,
    /// The number of comments on the photo.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(required))]
    pub comments: u64,
    /// The caption.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// The hashtags of the caption, in their order and each once, as they are written and without the
    /// `#`. It is left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hashtags: Vec<String>,
    /// The text alternative of the photo, for people who cannot see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alt_text: Option<String>,
    /// The time at which the owner last changed `caption` or `altText`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited: Option<Time>,
    /// The users who may see the photo. It is left out if it is `everyone`.
    #[serde(default, skip_serializing_if = "Audience::is_everyone")]
    pub audience: Audience,
    /// The mark of a sensitive photo. Lists have its picture without `urls`, unless it is the caller's own
    /// or the caller's `sensitivePhotos` is `show`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<Mark>,
    /// The reactions of the caller to the photo, and whether the caller has saved it. Only with `include=viewer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viewer: Option<Engagement>,
}

/// A photo as the answer to an upload shows it, with the form or the request for its file. There is
/// neither if the photo of a repeated request is not pending any more.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UploadedPhoto {
    /// The photo.
    #[serde(flatten)]
    pub photo: ShownPhoto,
    /// The form or the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upload: Option<Upload>,
}

impl ShownPhoto {
    /// Returns the position of the photo in feeds.
    #[must_use]
    pub fn position(&self) -> Position {
        Position { id: self.id.clone(), author: self.username.clone() }
    }
}

/// One of several pictures of a photo as answers show it. Only the owner sees one that is not `ready`.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Picture"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownPicture {
    /// The number among the pictures of the photo.
    pub number: PictureNumber,
    /// The state.
    pub status: PictureState,
    /// Why nobody but the owner sees a `rejected` or `removed` picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<PictureProblem>,
    /// The rule that the picture breaks, if it was refused or removed by a moderator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<ReportReason>,
    /// The text alternative, for people who cannot see the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alt_text: Option<String>,
    /// The width of the largest JPEG in pixels, at most 1600.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// The height of the largest JPEG in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// A [blurhash](https://blurha.sh), to show until the picture is loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blurhash: Option<String>,
    /// The URLs of the JPEGs, as a photo has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub urls: Vec<PictureUrl>,
    /// The form or the request for the file of a `pending` picture, in the answer to the request that made it.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub upload: Option<Upload>,
}

/// The state of the picture of a photo.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PhotoStatus"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PictureState {
    /// The file has not been uploaded yet, or is being processed.
    Pending,
    /// The picture can be shown. Another program wrote a photo without `urls`.
    Ready,
    /// The uploaded file could not be processed, or was refused.
    Rejected,
    /// A moderator has removed the photo or the picture.
    Removed,
}

/// The URL of a JPEG of a picture. It is valid for one hour at least, for a GET without further
/// headers, and stays the same for an hour.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureUrl {
    /// The width of the JPEG in pixels.
    pub width: u32,
    /// The URL.
    pub url: String,
}
