//! The stored items of `quick-photos`.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::Client;
use serde_json::Value;

pub(crate) const TABLE: &str = "quick-photos";

/// The owner and the timestamp of a photo.
pub(crate) type Photo = (String, String);

/// The items of the table by their attributes. The keys are not used, except to find the photo of a reaction.
#[derive(Default)]
pub(crate) struct Items {
    pub(crate) users: BTreeMap<String, Value>,
    pub(crate) photos: BTreeSet<Photo>,
    /// The user who reacted, the type of the reaction and the photo.
    pub(crate) reactions: BTreeSet<(String, String, Photo)>,
    /// The user who follows and the user who is followed.
    pub(crate) friendships: BTreeSet<(String, String)>,
    /// The markers of unfinished deletions.
    pub(crate) deletions: Vec<Value>,
}

/// Reads all items of the table, except those that say which accounts got their welcome e-mail.
pub(crate) async fn read(client: &Client) -> Items {
    let mut items = Items::default();
    let (mut by_key, mut reactions) = (BTreeMap::new(), vec![]);
    let mut pages = client.scan().table_name(TABLE).into_paginator().items().send();
    while let Some(item) = pages.try_next().await.unwrap() {
        let item: Value = serde_dynamo::from_item(item).unwrap();
        let text = |attribute: &str| item[attribute].as_str().unwrap_or_else(|| panic!("{item}")).to_owned();
        if item.get("erasing").is_some() {
            items.deletions.push(item);
        } else if item.get("followedUser").is_some() {
            items.friendships.insert((text("followingUser"), text("followedUser")));
        } else if item.get("reactingUser").is_some() {
            reactions.push((text("reactingUser"), text("reactionType"), text("photo")));
        } else if item.get("reactions").is_some() {
            by_key.insert(text("SK"), (text("username"), text("timestamp")));
            items.photos.insert((text("username"), text("timestamp")));
        } else if item.get("welcomed").is_none() {
            items.users.insert(text("username"), item);
        }
    }
    let reactions = reactions.into_iter().map(|(reacting, reaction, sk): (_, _, String)| {
        let photo = by_key.get(&sk).cloned().unwrap_or_else(|| ("missing photo".to_owned(), sk));
        (reacting, reaction, photo)
    });
    items.reactions = reactions.collect();
    items
}
