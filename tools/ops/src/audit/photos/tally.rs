//! The whole table, read once: what is there, and what each count differs by.

use std::collections::HashMap;

use shared::model::photos::photo_sk;
use shared::values::{ReactionType, Timestamp, Username};

use super::entity::Entity;
use super::finding::{Count, Suspect};

/// What is kept of the table: something for each user and each photo that exists or is named; nothing for a reaction or
/// a friendship.
#[derive(Debug, Default)]
pub(super) struct Tally {
    users: HashMap<Username, User>,
    /// By sort key, which is how reactions and pins name a photo.
    photos: HashMap<String, Photo>,
}

/// A difference is what the item says, less what there is. Both sides add to it in any order.
#[derive(Debug, Default)]
struct User {
    place: Place,
    followers: i64,
    following: i64,
}

#[derive(Debug, Default)]
enum Place {
    /// Something names this user, but they have not come by.
    #[default]
    Empty,
    User {
        pinned: Option<String>,
    },
    Deletion,
}

#[derive(Debug, Default)]
struct Photo {
    /// None if it has not come by.
    id: Option<(Username, Timestamp)>,
    /// In the order of [`ReactionType::ALL`].
    reactions: [i64; ReactionType::ALL.len()],
}

impl Tally {
    pub(super) fn add(&mut self, entity: Entity) {
        match entity {
            Entity::User { username, followers, following, pinned } => {
                let user = self.users.entry(username).or_default();
                user.place = Place::User { pinned };
                user.followers = user.followers.wrapping_add(followers.unwrap_or(0));
                user.following = user.following.wrapping_add(following.unwrap_or(0));
            }
            Entity::Deletion(deletion) => self.users.entry(deletion.erasing).or_default().place = Place::Deletion,
            Entity::Photo { username, timestamp, reactions } => {
                let photo = self.photos.entry(photo_sk(&username, &timestamp)).or_default();
                for (reaction, count) in reactions {
                    let difference = &mut photo.reactions[reaction as usize];
                    *difference = difference.wrapping_add(count);
                }
                self.users.entry(username.clone()).or_default();
                photo.id = Some((username, timestamp));
            }
            Entity::Reaction { reacting, reaction, photo } => {
                self.users.entry(reacting).or_default();
                self.photos.entry(photo).or_default().reactions[reaction as usize] -= 1;
            }
            Entity::Friendship { followed, following } => {
                self.users.entry(followed).or_default().followers -= 1;
                self.users.entry(following).or_default().following -= 1;
            }
        }
    }

    /// Users who are named by something and have not come by.
    pub(super) fn missing_users(&self) -> impl Iterator<Item = &Username> {
        self.users.iter().filter(|(_, user)| matches!(user.place, Place::Empty)).map(|(username, _)| username)
    }

    /// Sort keys of photos that have reactions and have not come by.
    pub(super) fn missing_photos(&self) -> impl Iterator<Item = &String> {
        self.photos.iter().filter(|(_, photo)| photo.id.is_none()).map(|(sk, _)| sk)
    }

    /// Users who are being deleted.
    pub(super) fn deletions(&self) -> impl Iterator<Item = &Username> {
        self.users.iter().filter(|(_, user)| matches!(user.place, Place::Deletion)).map(|(username, _)| username)
    }

    /// Pinned images that are no photo of their user's.
    pub(super) fn pins(&self) -> impl Iterator<Item = Suspect> {
        self.users.iter().filter_map(|(username, user)| {
            let Place::User { pinned: Some(sk) } = &user.place else {
                return None;
            };
            let owner = self.photos.get(sk).and_then(|photo| Some(&photo.id.as_ref()?.0));
            (owner != Some(username)).then(|| Suspect::Pin(username.clone()))
        })
    }

    /// Counts that differ from what they count.
    pub(super) fn counts(&self) -> impl Iterator<Item = Suspect> {
        let of_users = self.users.iter().filter(|(_, user)| matches!(user.place, Place::User { .. })).flat_map(
            |(username, user)| {
                [(Count::Followers, user.followers), (Count::Following, user.following)]
                    .into_iter()
                    .filter(|(_, difference)| *difference != 0)
                    .map(|(count, _)| Suspect::UserCount(username.clone(), count))
            },
        );
        let of_photos = self.photos.values().filter_map(|photo| Some((photo.id.as_ref()?, photo.reactions))).flat_map(
            |((username, timestamp), reactions)| {
                ReactionType::ALL
                    .iter()
                    .zip(reactions)
                    .filter(|(_, difference)| *difference != 0)
                    .map(|(reaction, _)| Suspect::PhotoCount(username.clone(), timestamp.clone(), *reaction))
            },
        );
        of_users.chain(of_photos)
    }
}
