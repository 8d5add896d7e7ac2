//! Users as answers show them, with the picture that they have pinned.

use super::keys::Size;
use super::signer::Signer;
use crate::Error;
use crate::dynamodb::Item;
use crate::photos::{Card, People, Profile, ProfilePicture, Relations, User, user_without_attributes};
use crate::values::{EpochMillis, Subject, Username};

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

    /// Returns the picture that a user has pinned.
    #[must_use]
    pub fn picture_of(&self, user: &User) -> Option<ProfilePicture> {
        let (Some(timestamp), Some(pinned)) = (user.pinned_timestamp(), &user.pinned_picture) else { return None };
        let small = self.url(&user.username, &timestamp, &pinned.id, Size::Small, EpochMillis::now());
        Some(ProfilePicture { small, blurhash: pinned.blurhash.clone() })
    }
}
