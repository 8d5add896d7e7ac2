//! Favorites as answers show them, with the photos of the app to which they refer.

use std::collections::HashMap;

use serde::Serialize;

use super::card::People;
use super::photo::{ShownPhoto, add_engagements};
use super::signer::Signer;
use crate::Error;
use crate::access::Relations;
use crate::dynamodb::{Item, Table, batch};
use crate::entities::{Favorite, Key, Kind, Photo, has_blocks, photo_from_item};
use crate::runtime::process::{Process, StartError};
use crate::values::{PhotoReference, PhotosParts, Username};

/// A favorite, with the photo to which it refers.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "FavoriteWithPhoto"))]
#[derive(Debug, Serialize)]
pub struct ShownFavorite {
    #[serde(flatten)]
    favorite: Favorite,
    /// The photo as it is now, or `null` if it is gone. A favorite of other content has no such
    /// field.
    #[cfg_attr(feature = "schema", schemars(schema_with = "photo_or_null"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    photo: Option<SavedPhoto>,
}

/// A photo to which a favorite refers, or `None` if it is gone.
#[derive(Debug, Serialize)]
struct SavedPhoto(Option<ShownPhoto>);

#[cfg(feature = "schema")]
fn photo_or_null(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"oneOf": [generator.subschema_for::<ShownPhoto>(), {"type": "null"}]})
}

/// A page of a list of favorites, as the JSON of an answer.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Favorites {
    /// The favorites, in the order of the list.
    pub favorites: Vec<ShownFavorite>,
    /// The cards of the owners of the photos to which they refer, by username. Empty without
    /// `include=people`.
    pub people: People,
    /// The cursor of the next page, or `null` at the end of the list.
    pub next_cursor: Option<String>,
}

/// The tables from which the photos of favorites are read.
#[derive(Debug)]
pub struct PhotoTables {
    /// The table of users and photos.
    pub photos: Table,
    /// The table `<stage>.Feed`, which has the engagements of the owner of the favorites.
    pub feed: Table,
}

impl PhotoTables {
    /// Returns the tables that the environment variables `PHOTOS_TABLE_NAME` and `FEED_TABLE_NAME`
    /// name.
    pub fn from_process(process: &Process) -> Result<Self, StartError> {
        Ok(Self { photos: process.table("PHOTOS_TABLE_NAME")?, feed: process.table("FEED_TABLE_NAME")? })
    }
}

impl Signer {
    /// Returns a page of favorites as their owner sees them. If some of them refer to photos of the
    /// app, one `BatchGetItem` reads these, and the owner, whose item tells whether there is any
    /// block to look for. With `include`, it also reads the owner's engagements with the photos,
    /// and the owners of these. It has room for 99 photos, and for 49 or 33 with one or both of
    /// these; more photos take more of them. Another `BatchGetItem` reads the blocks, and another
    /// one the friendships with the owners of photos that only followers see.
    pub async fn show_favorites(
        &self,
        tables: &PhotoTables,
        favorites: Vec<Favorite>,
        owner: &Username,
        include: PhotosParts,
        next_cursor: Option<String>,
    ) -> Result<Favorites, Error> {
        let PhotoTables { photos, feed } = tables;
        let references: Vec<PhotoReference> =
            favorites.iter().filter_map(|favorite| favorite.data_id.photo()).collect();
        let keys_of_photo = 1 + usize::from(include.viewer) + usize::from(include.people);
        let (mut items, mut engagements) = (vec![], vec![]);
        for references in references.chunks((batch::MAX_GET_KEYS - 1) / keys_of_photo) {
            let keys = references.iter().map(|photo| Key::photo(&photo.username, &photo.id));
            let owners = references.iter().map(|photo| &photo.username).filter(|_| include.people);
            let keys = keys.chain(owners.chain([owner]).map(Key::user)).collect();
            let engaged = references.iter().filter(|_| include.viewer);
            let engaged = engaged.map(|photo| Key::engagement(owner, &photo.username, &photo.id)).collect();
            let [found, engaged] = batch::get_from_tables([(photos, keys), (feed, engaged)], false).await?;
            items.extend(found);
            engagements.extend(engaged);
        }
        let user = batch::find(&items, Key::user(owner));
        let is_in_a_block = user.is_some_and(has_blocks);
        let mut relations = Relations::new(owner);
        relations.add_caller(user);
        let (saved, users): (Vec<Item>, Vec<Item>) = items.into_iter().partition(|item| Kind::Photo.is_of(item));
        let saved: Vec<Option<Photo>> = saved.into_iter().map(photo_from_item).collect::<Result<_, _>>()?;
        let saved: Vec<Photo> = saved.into_iter().flatten().collect();
        if is_in_a_block {
            relations.read_blocks(photos, saved.iter().map(|photo| &photo.username)).await?;
        }
        relations.read_audiences(photos, &saved).await?;
        let mut shown: Vec<ShownPhoto> = saved.into_iter().filter_map(|photo| self.show(photo, &relations)).collect();
        if include.viewer {
            add_engagements(&mut shown, engagements)?;
        }
        let mut people = if include.people { self.cards_seen_by(&relations, &users)? } else { People::new() };
        people.retain(|user, _| shown.iter().any(|photo| photo.username == *user));
        let mut shown: HashMap<PhotoReference, ShownPhoto> = shown
            .into_iter()
            .map(|photo| (PhotoReference { username: photo.username.clone(), id: photo.id.clone() }, photo))
            .collect();
        let favorites = favorites.into_iter().map(|favorite| {
            let photo = favorite.data_id.photo().map(|reference| SavedPhoto(shown.remove(&reference)));
            ShownFavorite { favorite, photo }
        });
        Ok(Favorites { favorites: favorites.collect(), people, next_cursor })
    }
}
