//! Inspects and repairs popular photos.

use aws_sdk_dynamodb::types::{Put, TransactWriteItem};
use shared::dynamodb::Item;
use shared::entities::{Key, PopularPhoto, Position};

use super::feeds_check::FeedsCheck;
use crate::audit::error::Error;
use crate::audit::finding::FeedsFinding;
use crate::audit::photos::entity::{Entity, parse_entity};
use crate::audit::read;
use crate::audit::write::{delete, delete_part, write};

/// The attributes of a photo on which its popular photo depends.
const REACTED: [&str; 5] = ["audience", "picture", "reactions", "sensitive", "username"];

impl FeedsCheck {
    /// Returns the item of a photo with its popular photo, or `None` if the item is malformed. Somebody
    /// can repair it.
    async fn read_popular(&self, photo: &Position) -> Result<Option<(Item, Option<PopularPhoto>)>, Error> {
        let item = read::get(&self.table, Key::photo(&photo.author, &photo.id)).await?.unwrap_or_default();
        Ok(match (item.is_empty(), parse_entity(item.clone())) {
            (true, _) | (_, Ok(Entity::PhotoDeletion { .. })) => Some((item, None)),
            (_, Ok(Entity::Photo { photo, .. })) => Some((item, photo.popular())),
            _ => None,
        })
    }

    pub(super) async fn popular_photo(&self, popular: &PopularPhoto) -> Result<Option<FeedsFinding>, Error> {
        let exists = read::get(&self.feed, Key::popular_photo(popular)).await?.is_some();
        let Some((_, found)) = self.read_popular(&popular.photo).await? else { return Ok(None) };
        Ok(match (exists, found.as_ref() == Some(popular)) {
            (false, true) => Some(FeedsFinding::NoPopularPhoto(popular.clone())),
            (true, false) => Some(FeedsFinding::StalePopularPhoto(popular.clone())),
            _ => None,
        })
    }

    /// Puts or deletes a popular photo, if it still follows from the photo, or still does not.
    pub(super) async fn correct_popular_photo(&self, popular: &PopularPhoto, is_missing: bool) -> Result<bool, Error> {
        let read = self.read_popular(&popular.photo).await?;
        let read = read.filter(|(_, found)| (found.as_ref() == Some(popular)) == is_missing);
        let Some((item, _)) = read else { return Ok(false) };
        let part = if is_missing {
            let put = Put::builder().table_name(&self.feed.name).set_item(Some(popular.item()));
            TransactWriteItem::builder().put(put.build()?).build()
        } else {
            delete_part(delete(&self.feed, Key::popular_photo(popular)).condition_expression("attribute_exists(pk)"))?
        };
        write(&self.feed, vec![self.photo_is(&popular.photo, &item, &REACTED)?, part]).await
    }
}
