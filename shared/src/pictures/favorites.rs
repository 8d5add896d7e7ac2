//! Favorites as answers show them, with the photos of the app to which they refer.

use std::collections::HashMap;

use serde::Serialize;

use super::shown::ShownPhoto;
use super::signer::Signer;
use crate::Error;
use crate::dynamodb::{Item, Table, batch};
use crate::favorites::Favorite;
use crate::photos::{Key, Photo, Relations, has_blocks, is_photo, photo_from_item};
use crate::values::{PhotoReference, Username};

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
    /// The cursor of the next page. `None` on the last page.
    pub next_cursor: Option<String>,
}

impl Signer {
    /// Returns favorites as their owner sees them. If some of them refer to photos of the app, one
    /// `BatchGetItem` of the table `photos` reads these, and the owner, whose item tells whether there
    /// is any block to look for. A page with 100 photos takes two. Another `BatchGetItem` reads the
    /// blocks, and another one the friendships with the owners of photos that only followers see.
    pub async fn show_favorites(
        &self,
        photos: &Table,
        favorites: Vec<Favorite>,
        owner: &Username,
    ) -> Result<Vec<ShownFavorite>, Error> {
        let references = favorites.iter().filter_map(|favorite| favorite.data_id.photo());
        let mut keys: Vec<Item> =
            references.map(|photo| Key::photo(&photo.username, &photo.timestamp).into()).collect();
        keys.extend((!keys.is_empty()).then(|| Key::user(owner).into()));
        let mut items = vec![];
        for keys in keys.chunks(batch::MAX_GET_KEYS) {
            items.extend(batch::get(photos, keys.to_vec(), false).await?);
        }
        let (saved, user): (Vec<Item>, Vec<Item>) = items.into_iter().partition(is_photo);
        let saved: Vec<Option<Photo>> = saved.into_iter().map(photo_from_item).collect::<Result<_, _>>()?;
        let saved: Vec<Photo> = saved.into_iter().flatten().collect();
        let mut relations = Relations::of(owner);
        if user.iter().any(has_blocks) {
            relations.read_blocks(photos, saved.iter().map(|photo| &photo.username)).await?;
        }
        relations.read_audiences(photos, &saved).await?;
        let mut found: HashMap<PhotoReference, ShownPhoto> = HashMap::new();
        for photo in saved {
            found.extend(self.show(photo, &relations).map(|photo| {
                (PhotoReference { username: photo.username.clone(), timestamp: photo.timestamp.clone() }, photo)
            }));
        }
        let shown = favorites.into_iter().map(|favorite| {
            let photo = favorite.data_id.photo().map(|reference| SavedPhoto(found.remove(&reference)));
            ShownFavorite { favorite, photo }
        });
        Ok(shown.collect())
    }
}
