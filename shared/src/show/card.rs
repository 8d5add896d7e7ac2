//! The names and pictures of the users whom an answer mentions.

use std::collections::BTreeMap;

use serde::Serialize;

use super::profile::{Profile, ProfilePicture};
use super::signer::Signer;
use crate::Error;
use crate::access::Relations;
use crate::dynamodb::Item;
use crate::entities::object::Size;
use crate::entities::{Mark, Photo, User, user_without_attributes};
use crate::values::{EpochMillis, Subject, Username};

/// The name and the picture of a user, for answers that mention the user.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Card {
    /// The display name.
    pub name: String,
    /// The picture of the pinned photo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<ProfilePicture>,
}

/// The small size of a photo that an answer mentions.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Thumbnail {
    /// The URL of a JPEG that is at most 440 pixels wide, valid like those of a photo. A sensitive photo of
    /// somebody else has none, unless the caller's `sensitivePhotos` is `show`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub small: Option<String>,
    /// A [blurhash](https://blurha.sh), to show until the picture is loaded.
    pub blurhash: String,
    /// The mark of a sensitive photo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<Mark>,
}

/// The cards of the people whom an answer mentions, by username.
pub type People = BTreeMap<Username, Card>;

impl Signer {
    /// Returns a user as the caller may see it ([`User::seen_by`]), with the picture.
    #[must_use]
    pub fn profile(&self, user: User, caller: &Username, subject: &Subject) -> Profile {
        let picture = self.picture_of(&user);
        let mut profile = user.seen_by(caller, subject);
        profile.picture = picture;
        profile
    }

    /// Returns the cards of the users among items. Other items are left out.
    pub fn cards(&self, items: &[Item]) -> Result<People, Error> {
        let mut cards = People::new();
        for item in items {
            if let Some(user) = user_without_attributes(item)? {
                let picture = self.picture_of(&user);
                cards.insert(user.username, Card { name: user.name, picture });
            }
        }
        Ok(cards)
    }

    /// Returns the cards of the users among items whom the caller [may see in what is about
    /// others](Relations::hides).
    pub fn cards_seen_by(&self, relations: &Relations<'_>, items: &[Item]) -> Result<People, Error> {
        let mut cards = self.cards(items)?;
        cards.retain(|user, _| !relations.hides(user));
        Ok(cards)
    }

    /// Returns the small size of a photo as lists show it to the caller, if the bucket has it.
    #[must_use]
    pub fn thumbnail(&self, photo: &Photo, caller: &Relations<'_>) -> Option<Thumbnail> {
        let sizes = photo.picture.as_ref()?.sizes()?;
        let url = || self.url(&photo.username, &photo.id, (sizes.number, &sizes.id), Size::Small, EpochMillis::now());
        let small = (!caller.hides_picture(photo)).then(url);
        Some(Thumbnail { small, blurhash: sizes.blurhash.clone(), sensitive: photo.mark() })
    }

    /// Returns the picture that a user has pinned.
    #[must_use]
    pub fn picture_of(&self, user: &User) -> Option<ProfilePicture> {
        let (Some(photo), Some(pinned)) = (user.pinned_photo(), &user.pinned_picture) else { return None };
        let small = self.url(&user.username, &photo, (pinned.number, &pinned.id), Size::Small, EpochMillis::now());
        Some(ProfilePicture { small, blurhash: pinned.blurhash.clone() })
    }
}
