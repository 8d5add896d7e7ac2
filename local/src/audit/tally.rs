//! The whole table, read once: what is there, and what each count differs by.

use std::collections::{BTreeSet, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use shared::Table;
use shared::items::Item;
use shared::photos::{PK, SK, photo_sk};
use shared::values::{ReactionType, Timestamp, Username};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::entity::{self, Entity};
use super::finding::{Count, Suspect};
use super::{Error, Event};

/// What is kept of the table: something for each user and each photo that exists or is named; nothing for a reaction or
/// a friendship.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) items: u64,
    users: HashMap<Username, User>,
    /// By sort key, which is how reactions and pins name a photo.
    photos: HashMap<String, Photo>,
    shapeless: BTreeSet<Suspect>,
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

/// Scans the table in segments, each read by a task of its own.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Scan.html#Scan.ParallelScan>
pub(super) async fn scan(table: &Table, segments: u16, mut watch: impl FnMut(Event<'_>)) -> Result<Tally, Error> {
    let (projection, names) = entity::projection();
    let (send, mut pages) = mpsc::channel(usize::from(segments));
    let mut readers = JoinSet::new();
    for segment in 0..segments {
        let scan = table
            .client
            .scan()
            .table_name(&table.name)
            .projection_expression(&projection)
            .set_expression_attribute_names(Some(names.clone()))
            .segment(segment.into())
            .total_segments(segments.into());
        let send = send.clone();
        readers.spawn(async move {
            let mut segment = scan.into_paginator().send();
            while let Some(page) = segment.next().await {
                // Nobody listens any more once another segment has failed.
                if send.send(page).await.is_err() {
                    return;
                }
            }
        });
    }
    drop(send);

    let mut tally = Tally::default();
    while let Some(page) = pages.recv().await {
        for item in page?.items.unwrap_or_default() {
            tally.add(item);
        }
        watch(Event::Scanned { items: tally.items });
    }
    while let Some(reader) = readers.join_next().await {
        reader.map_err(|lost| Error::Read(lost.to_string()))?;
    }
    Ok(tally)
}

impl Tally {
    fn add(&mut self, item: Item) {
        self.items += 1;
        let keys = [PK, SK].map(|name| match item.get(name) {
            Some(AttributeValue::S(key)) => key.clone(),
            _ => String::new(),
        });
        match entity::read(item) {
            Ok(Entity::User { username, followers, following, pinned }) => {
                let user = self.users.entry(username).or_default();
                user.place = Place::User { pinned };
                user.followers = user.followers.wrapping_add(followers.unwrap_or(0));
                user.following = user.following.wrapping_add(following.unwrap_or(0));
            }
            Ok(Entity::Deletion(deletion)) => self.users.entry(deletion.erasing).or_default().place = Place::Deletion,
            Ok(Entity::Photo { username, timestamp, reactions }) => {
                let photo = self.photos.entry(photo_sk(&username, &timestamp)).or_default();
                for (reaction, count) in reactions {
                    let difference = &mut photo.reactions[reaction as usize];
                    *difference = difference.wrapping_add(count);
                }
                self.users.entry(username.clone()).or_default();
                photo.id = Some((username, timestamp));
            }
            Ok(Entity::Reaction { reacting, reaction, photo }) => {
                self.users.entry(reacting).or_default();
                self.photos.entry(photo).or_default().reactions[reaction as usize] -= 1;
            }
            Ok(Entity::Friendship { followed, following }) => {
                self.users.entry(followed).or_default().followers -= 1;
                self.users.entry(following).or_default().following -= 1;
            }
            Err(_) => {
                let [pk, sk] = keys;
                self.shapeless.insert(Suspect::Shapeless { pk, sk });
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

    /// Items that do not read as an entity.
    pub(super) fn shapeless(&self) -> impl Iterator<Item = Suspect> {
        self.shapeless.iter().cloned()
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
