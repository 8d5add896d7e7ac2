//! Favorites as answers show them, with the photos of the app to which they refer.

use std::collections::HashMap;

use serde::Serialize;

use super::shown::ShownPhoto;
use super::signer::Signer;
use crate::Error;
use crate::dynamodb::{Table, batch};
use crate::favorites::Favorite;
use crate::photos::{Key, photo_from_item};
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
    /// `BatchGetItem` of the table `photos` reads these, so there must be at most 100 favorites.
    pub async fn show_favorites(
        &self,
        photos: &Table,
        favorites: Vec<Favorite>,
        owner: &Username,
    ) -> Result<Vec<ShownFavorite>, Error> {
        let references = favorites.iter().filter_map(|favorite| favorite.data_id.photo());
        let keys = references.map(|photo| Key::photo(&photo.username, &photo.timestamp).into()).collect();
        let mut found: HashMap<PhotoReference, ShownPhoto> = HashMap::new();
        for item in batch::get(photos, keys, false).await? {
            let photo = photo_from_item(item)?.map(|photo| self.show(photo, owner)).transpose()?.flatten();
            found.extend(photo.map(|photo| {
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
