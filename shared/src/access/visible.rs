//! The photos that references name, such as notifications and reactions, as far as a caller may see
//! them.

use std::collections::{BTreeSet, HashMap};

use super::relations::Relations;
use crate::dynamodb::Item;
use crate::entities::{Photo, Position, Topic, photo_from_item};
use crate::values::Username;
use crate::{Error, Table};

/// Photos that were read for a caller, and the relations that say which of them the caller may see,
/// and whose doings.
#[derive(Debug, Clone)]
pub struct Visible<'a> {
    relations: Relations<'a>,
    photos: HashMap<Position, Photo>,
}

impl<'a> Visible<'a> {
    /// Returns what a caller may see of nothing.
    #[must_use]
    pub fn new(caller: &'a Username) -> Self {
        Self { relations: Relations::new(caller), photos: HashMap::new() }
    }

    /// Adds photos that were read. Reads the blocks between the caller on the one side and the
    /// owners and these people on the other side, if there can be any, and the friendships that
    /// photos for followers need. One request reads the blocks of 50 users, and one 100
    /// friendships.
    pub async fn add(
        &mut self,
        table: &Table,
        photos: Vec<Item>,
        has_silenced: bool,
        people: BTreeSet<Username>,
    ) -> Result<(), Error> {
        let photos: Vec<Option<Photo>> = photos.into_iter().map(photo_from_item).collect::<Result<_, _>>()?;
        let photos: Vec<Photo> = photos.into_iter().flatten().collect();
        if has_silenced {
            let owners = photos.iter().map(|photo| &photo.username);
            let people: BTreeSet<&Username> = people.iter().chain(owners).collect();
            self.relations.read_blocks(table, people).await?;
        }
        self.relations.read_audiences(table, &photos).await?;
        self.photos.extend(
            photos.into_iter().map(|photo| (Position { id: photo.id.clone(), author: photo.username.clone() }, photo)),
        );
        Ok(())
    }

    /// Returns whether the caller may see the photo at a position, which was [added](Self::add).
    #[must_use]
    pub fn has(&self, photo: &Position) -> bool {
        self.photos.get(photo).is_some_and(|photo| self.relations.may_see(photo))
    }

    /// Returns whether the inbox of the caller shows a notification: it is about no photo, or about
    /// one that the caller may see.
    #[must_use]
    pub fn shows(&self, topic: &Topic) -> bool {
        topic.photo.as_ref().is_none_or(|photo| self.has(photo))
    }

    /// Returns whether the inbox of the caller leaves out a person, whose blocks were
    /// [added](Self::add).
    #[must_use]
    pub fn silences(&self, person: &Username) -> bool {
        self.relations.silences(person)
    }
}
