//! Favorites as answers show them, with the photos of the app to which they refer.

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;

use super::shown::{ShownPhoto, add_engagements};
use super::signer::Signer;
use crate::Error;
use crate::dynamodb::{Item, Table, batch};
use crate::favorites::Favorite;
use crate::feed;
use crate::photos::{Key, People, Photo, Relations, has_blocks, is_photo, photo_from_item};
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
    /// The owners of the photos to which they refer, by username. Only with `include=people`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<People>,
    /// The cursor of the next page. `None` on the last page.
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

impl Signer {
    /// Returns a page of favorites as their owner sees them. If some of them refer to photos of the app,
    /// one `BatchGetItem` reads these, and the owner, whose item tells whether there is any block to look
    /// for. With `include`, it also reads the owner's engagements with the photos, and the owners of these.
    /// More than 100 keys take more of them. Another `BatchGetItem` reads the blocks, and another one the
    /// friendships with the owners of photos that only followers see.
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
        let mut keys: Vec<Item> =
            references.iter().map(|photo| Key::photo(&photo.username, &photo.timestamp).into()).collect();
        let owners = references.iter().map(|photo| &photo.username).filter(|_| include.people);
        let users: BTreeSet<&Username> = owners.chain((!keys.is_empty()).then_some(owner)).collect();
        keys.extend(users.into_iter().map(|user| Item::from(Key::user(user))));
        let number_of_photo_keys = keys.len();
        let engaged = references.iter().filter(|_| include.viewer);
        keys.extend(engaged.map(|photo| feed::Key::engagement(owner, &photo.username, &photo.timestamp).into()));

        let (mut items, mut engagements) = (vec![], vec![]);
        for (number, keys) in keys.chunks(batch::MAX_GET_KEYS).enumerate() {
            let of_photos = number_of_photo_keys.saturating_sub(number * batch::MAX_GET_KEYS).min(keys.len());
            let (of_photos, of_feed) = keys.split_at(of_photos);
            let requested = [(photos, of_photos.to_vec()), (feed, of_feed.to_vec())];
            let [found, engaged] = batch::get_from_tables(requested, false).await?;
            items.extend(found);
            engagements.extend(engaged);
        }
        let is_in_a_block = items.iter().any(|item| is_user(item, owner) && has_blocks(item));
        let (saved, mut users): (Vec<Item>, Vec<Item>) = items.into_iter().partition(is_photo);
        let saved: Vec<Option<Photo>> = saved.into_iter().map(photo_from_item).collect::<Result<_, _>>()?;
        let saved: Vec<Photo> = saved.into_iter().flatten().collect();
        let mut relations = Relations::of(owner);
        if is_in_a_block {
            relations.read_blocks(photos, saved.iter().map(|photo| &photo.username)).await?;
        }
        relations.read_audiences(photos, &saved).await?;
        let mut shown: Vec<ShownPhoto> = saved.into_iter().filter_map(|photo| self.show(photo, &relations)).collect();
        if include.viewer {
            add_engagements(&mut shown, engagements)?;
        }
        users.retain(|user| shown.iter().any(|photo| is_user(user, &photo.username)));
        let people = include.people.then(|| self.cards(&users)).transpose()?;
        let mut shown: HashMap<PhotoReference, ShownPhoto> = shown
            .into_iter()
            .map(|photo| {
                (PhotoReference { username: photo.username.clone(), timestamp: photo.timestamp.clone() }, photo)
            })
            .collect();
        let favorites = favorites.into_iter().map(|favorite| {
            let photo = favorite.data_id.photo().map(|reference| SavedPhoto(shown.remove(&reference)));
            ShownFavorite { favorite, photo }
        });
        Ok(Favorites { favorites: favorites.collect(), people, next_cursor })
    }
}

/// Returns whether an item is this user.
fn is_user(item: &Item, username: &Username) -> bool {
    item.get("username").and_then(|name| name.as_s().ok()).is_some_and(|name| name == username.as_ref())
}
