//! The photos that references name, such as notifications and reactions, as far as a caller may see
//! them.

use std::collections::{BTreeSet, HashMap};

use super::relations::Relations;
use crate::dynamodb::Item;
use crate::entities::{Comment, Key, Kind, Photo, Position, Topic, photo_from_item};
use crate::values::{NotificationKind, Username};
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

    /// Makes all reads [consistent](Relations::consistent).
    #[must_use]
    pub fn consistent(self) -> Self {
        Self { relations: self.relations.consistent(), ..self }
    }

    /// Returns the keys of the items that decide whether the inbox of a user shows notifications with
    /// these topics: the photos, and the friendships with the owners of whose new photos the user is
    /// told.
    #[must_use]
    pub fn keys<'t>(user: &Username, topics: impl IntoIterator<Item = &'t Topic>) -> BTreeSet<Key> {
        let mut keys = BTreeSet::new();
        for Topic { kind, photo, .. } in topics {
            if let Some(Position { author, id }) = photo {
                keys.insert(Key::photo(author, id));
                keys.extend((*kind == NotificationKind::Photo).then(|| Key::friendship(author, user)));
            }
        }
        keys
    }

    /// Adds photos that were read, and the [friendships](Self::keys) beside them. Reads the blocks between the caller on the one side and the
    /// owners and these people on the other side, if there can be any, and the friendships that
    /// photos for followers need. One request reads the blocks of 50 users, and one 100
    /// friendships.
    pub async fn add(
        &mut self,
        table: &Table,
        items: Vec<Item>,
        has_silenced: bool,
        people: BTreeSet<Username>,
    ) -> Result<(), Error> {
        let (friendships, photos): (Vec<Item>, Vec<Item>) =
            items.into_iter().partition(|item| Kind::Friendship.is_of(item));
        self.relations.add_friendships(&friendships)?;
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

    /// Adds the settings of the caller, whose item this is.
    pub fn add_caller(&mut self, caller: Option<&Item>) {
        self.relations.add_caller(caller);
    }

    /// Returns the relations of the caller.
    #[must_use]
    pub const fn relations(&self) -> &Relations<'a> {
        &self.relations
    }

    /// Returns whether the caller may see the photo at a position, which was [added](Self::add).
    #[must_use]
    pub fn has(&self, photo: &Position) -> bool {
        self.photo(photo).is_some()
    }

    /// Returns the photo at a position, if it was [added](Self::add) and the caller may see it.
    #[must_use]
    pub fn photo(&self, position: &Position) -> Option<&Photo> {
        self.photos.get(position).filter(|photo| self.relations.may_see(photo))
    }

    /// Returns whether the caller may see a comment on a photo that they may see. The blocks of the
    /// author must have been [added](Self::add).
    #[must_use]
    pub fn shows_comment(&self, comment: &Comment) -> bool {
        self.relations.may_see_comment(comment)
    }

    /// Returns whether the inbox of the caller shows a notification: it is about no photo, or about
    /// one that the caller may see. Only a follower is told of a new photo.
    #[must_use]
    pub fn shows(&self, topic: &Topic) -> bool {
        let is_for_followers = topic.kind == NotificationKind::Photo;
        let may_see = |photo| self.has(photo) && (!is_for_followers || self.relations.follows(&photo.author));
        topic.photo.as_ref().is_none_or(may_see)
    }

    /// Returns whether a person and the caller are in a block, which was [added](Self::add).
    #[must_use]
    pub fn hides(&self, person: &Username) -> bool {
        self.relations.hides(person)
    }

    /// Returns whether the inbox of the caller leaves out a person, whose blocks were
    /// [added](Self::add).
    #[must_use]
    pub fn silences(&self, person: &Username) -> bool {
        self.relations.silences(person)
    }
}
