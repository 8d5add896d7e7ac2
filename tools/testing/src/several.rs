//! Items of photos that were made with several pictures.

use shared::dynamodb::{Item, entity};
use shared::entities::{Key, Picture, Pictures};
use shared::values::PictureNumber;

use crate::items::{photo_with, with, with_count};

/// Returns a picture with the number of one of several.
///
/// # Panics
///
/// Panics if the number is 0.
#[must_use]
pub fn numbered(picture: Picture, number: u32) -> Picture {
    let number: PictureNumber = number.try_into().expect("a number from 1 on");
    let with_number = |sizes| shared::entities::Sizes { number: Some(number), ..sizes };
    match picture {
        Picture::Ready(sizes) => Picture::Ready(with_number(sizes)),
        Picture::Removed { reason, sizes } => Picture::Removed { reason, sizes: sizes.map(with_number) },
        other => other,
    }
}

/// Returns the items of a photo with these pictures, whose text alternatives are their places: the photo, and the
/// pictures with the numbers from 1 on. The photo is ready if they are.
///
/// # Panics
///
/// Panics if a value is invalid.
#[must_use]
pub fn several(username: &str, id: &str, pictures: impl IntoIterator<Item = Picture>) -> [Item; 2] {
    let mut all = Pictures::pending(id.parse().expect("the id of a photo"), []);
    for (place, picture) in (1..).zip(pictures) {
        all.push(Some(format!("Picture {place}")));
        if let Some(entry) = all.entries.last_mut() {
            entry.picture = numbered(picture, place);
        }
    }
    let photo = photo_with(username, id, all.copy(&Picture::Pending));
    let photo = with_count(photo, "pictures", all.count().into());
    let alt_text = all.first().and_then(|first| first.alt_text.clone()).unwrap_or_default();
    let key = Key::pictures(&username.parse().expect("a username"), &all.id);
    [with(photo, "altText", alt_text), entity::to_item(key, &all).expect("an item")]
}
