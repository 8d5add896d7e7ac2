//! What is in the table, and whether that is what was acknowledged.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::Client;
use serde_json::Value;

use crate::TABLE;
use crate::user::{Photo, User};

/// The items of the table, by what they say, not by their keys.
#[derive(Default)]
pub(crate) struct Items {
    pub(crate) users: BTreeMap<String, Value>,
    pub(crate) photos: BTreeSet<Photo>,
    /// Who, how, to which.
    pub(crate) reactions: BTreeSet<(String, String, Photo)>,
    /// Who follows whom.
    pub(crate) friendships: BTreeSet<(String, String)>,
    deletions: Vec<Value>,
}

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
        } else {
            items.users.insert(text("username"), item);
        }
    }
    let nowhere = |sk: &String| ("nowhere".to_owned(), sk.clone());
    let reactions = reactions.into_iter().map(|(who, how, sk)| {
        let photo = by_key.get(&sk).cloned().unwrap_or_else(|| nowhere(&sk));
        (who, how, photo)
    });
    items.reactions = reactions.collect();
    items
}

/// What is not as it was acknowledged.
pub(crate) fn differences(users: &BTreeMap<String, User>, items: &Items) -> Vec<String> {
    let mut differences = vec![];
    let mut compare = |what: String, right: bool| {
        if !right {
            differences.push(what);
        }
    };
    for deletion in &items.deletions {
        compare(format!("left over: {deletion}"), false);
    }
    for (name, user) in users {
        let item = items.users.get(name);
        let attribute = |attribute: &str| item.and_then(|item| item[attribute].as_str());
        let status = user.status.as_deref();
        compare(
            format!("{name}: status {status:?}, in the table {:?}", attribute("status")),
            item.is_some() == status.is_some() && attribute("status").unwrap_or_default() == status.unwrap_or_default(),
        );

        let photos: BTreeSet<&String> =
            items.photos.iter().filter(|(owner, _)| owner == name).map(|(_, timestamp)| timestamp).collect();
        for timestamp in &user.photos {
            compare(format!("{name}: photo {timestamp} is lost"), photos.contains(timestamp));
        }
        let unknown = photos.len().saturating_sub(user.photos.len());
        compare(
            format!("{name}: {unknown} unknown photos after {} lost answers", user.unknown_photos),
            unknown <= user.unknown_photos,
        );

        let pinned = user.pinned.as_deref();
        // A pin goes with its photo.
        let pinned = pinned.filter(|sk| user.photos.iter().any(|timestamp| sk.ends_with(&format!("#{timestamp}"))));
        let there = attribute("pinnedImage");
        compare(format!("{name}: pinned {pinned:?}, in the table {there:?}"), there == pinned);

        // A reaction goes with its photo, and no photo comes back.
        let reactions: BTreeSet<(&String, &Photo)> =
            items.reactions.iter().filter(|(who, ..)| who == name).map(|(_, how, photo)| (how, photo)).collect();
        let expected: BTreeSet<(&String, &Photo)> = user
            .reactions
            .iter()
            .filter(|(_, photo)| items.photos.contains(photo))
            .map(|(how, photo)| (how, photo))
            .collect();
        for reaction in reactions.symmetric_difference(&expected) {
            let there = reactions.contains(reaction);
            compare(format!("{name}: reaction {reaction:?} is {}", if there { "too much" } else { "lost" }), false);
        }

        for other in users.keys() {
            let there = items.friendships.contains(&(name.clone(), other.clone()));
            let expected = match user.following.get(other) {
                None => Some(false),
                Some((begin, end)) => {
                    let deletions = &users[other].deletions;
                    if deletions.iter().any(|(begin_deletion, _)| begin_deletion > end) {
                        Some(false)
                    } else if deletions.iter().all(|(_, end_deletion)| end_deletion < begin) {
                        Some(true)
                    } else {
                        // They crossed each other.
                        None
                    }
                }
            };
            compare(
                format!("{name} follows {other}: {there}, but acknowledged was {expected:?}"),
                expected.is_none_or(|expected| expected == there),
            );
        }
    }
    differences
}
