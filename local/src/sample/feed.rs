//! The home feeds of the sample data, as process-changes would have made them.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::AttributeValue::N;
use shared::dynamodb::{Item, entity};
use shared::entities::{BACKFILL, Delivery, Friendship, Key, Latest, Position};
use shared::values::{PhotoId, Username};

/// Returns the items of the table of the feeds. The entries expire at `ttl`, in seconds since 1970.
pub(super) fn items(photos: &[(Username, PhotoId)], friendships: &[Friendship], ttl: u64) -> Vec<Item> {
    let mut latest: BTreeMap<&Username, BTreeSet<PhotoId>> = BTreeMap::new();
    for (author, photo) in photos {
        latest.entry(author).or_default().insert(photo.clone());
    }
    let entries = friendships.iter().flat_map(|friendship| {
        let author = &friendship.followed_user;
        let newest = latest.get(author).into_iter().flatten().rev().take(BACKFILL);
        newest.map(|photo| {
            let position = Position { id: photo.clone(), author: author.clone() };
            let mut item = Item::from(Key::entry(&friendship.following_user, &position));
            item.insert("ttl".to_owned(), N(ttl.to_string()));
            item
        })
    });
    let latest = latest.iter().map(|(author, photos)| {
        let latest =
            Latest { author: (*author).clone(), photos: photos.clone(), delivery: Delivery::Push, converted: None };
        entity::to_item(Key::latest(author), &latest).expect("a Latest can be written as an item")
    });
    entries.chain(latest).collect()
}
