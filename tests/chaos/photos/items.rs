//! The stored items of `quick-photos`, the saved photos, and what the callers' engagements say.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue::N;
use local::sample;
use serde_json::Value;
use shared::dynamodb::{Item, unless_condition_failed};
use shared::entities::{ENGAGEMENTS_PREFIX, Engagement, PK, SK};
use shared::values::{DataId, EpochMillis};

use crate::harness::Chaos;

pub(crate) const TABLE: &str = "quick-photos";

/// The owner and the id of a photo.
pub(crate) type Photo = (String, String);

/// A photo, and the id of a comment on it.
pub(crate) type CommentOn = (Photo, String);

/// The items of the table by their attributes. The keys are not used, except to find the photo of a
/// reaction or a comment.
#[derive(Default)]
pub(crate) struct Items {
    pub(crate) users: BTreeMap<String, Value>,
    /// The photos with their pictures. A photo of another program has the picture `null`.
    pub(crate) photos: BTreeMap<Photo, Value>,
    /// The entries of the photos that were made with several pictures.
    pub(crate) pictures: BTreeMap<Photo, Vec<Value>>,
    /// The photos that are ready, for everyone and not sensitive, so that their owners may pin them.
    pub(crate) pinnable: BTreeSet<Photo>,
    /// The user who reacted, the type of the reaction and the photo.
    pub(crate) reactions: BTreeSet<(String, String, Photo)>,
    /// The texts of the comments by their photo and id.
    pub(crate) comments: BTreeMap<CommentOn, String>,
    /// The user who saved a photo, and the photo.
    pub(crate) saved: BTreeSet<(String, Photo)>,
    /// The engagements by their caller and photo.
    pub(crate) engagements: BTreeMap<(String, Photo), Engagement>,
    /// The user who follows and the user who is followed.
    pub(crate) friendships: BTreeSet<(String, String)>,
    /// The `Deletion`s and `PhotoDeletion`s of which something is left to do.
    pub(crate) deletions: Vec<Value>,
    /// The names that rest: the deletions are complete, and only the last sweep is left.
    pub(crate) resting: BTreeSet<String>,
    /// The traces of photos that were deleted or expired, which expire too.
    pub(crate) traces: Vec<Value>,
}

/// Reads all items of the table, except those that say which accounts got their welcome e-mail, and
/// what other tables hold about the photos.
pub(crate) async fn read(chaos: &Chaos) -> Items {
    let client = &chaos.dynamodb;
    let mut items = Items::default();
    read_saved_photos(chaos, &mut items).await;
    read_engagements(chaos, &mut items).await;
    let (mut by_key, mut reactions, mut comments) = (BTreeMap::new(), vec![], vec![]);
    let mut pages = client.scan().table_name(TABLE).into_paginator().items().send();
    while let Some(item) = pages.try_next().await.unwrap() {
        let item: Value = serde_dynamo::from_item(item).unwrap();
        let text = |attribute: &str| item[attribute].as_str().unwrap_or_else(|| panic!("{item}")).to_owned();
        // The first of these attributes that an item has tells its kind.
        let kinds = [
            "resting",
            "erasing",
            "followedUser",
            "askedUser",
            "blockedUser",
            "reportState",
            "reporter",
            "moderator",
            "reactingUser",
            "likingUser",
            "author",
            "reactions",
            "welcomed",
            "owner",
            "hashtag",
            "hashtags",
            "entries",
        ];
        match kinds.into_iter().find(|attribute| item.get(attribute).is_some()) {
            Some("resting") => {
                items.resting.insert(text("resting"));
            }
            // The `Deletion` of a user has no timestamp, and expires after the last sweep.
            Some("erasing") if item.get("ttl").is_some() => {
                items.traces.extend(item.get("timestamp").is_some().then_some(item));
            }
            Some("erasing") => items.deletions.push(item),
            Some("followedUser") => {
                items.friendships.insert((text("followingUser"), text("followedUser")));
            }
            // Nobody in this test likes, asks, blocks, reports, decides, hides or follows hashtags, or shares by links. The audit
            // compares these items.
            Some(
                "likingUser" | "askedUser" | "blockedUser" | "reportState" | "reporter" | "moderator" | "welcomed"
                | "owner" | "hashtag" | "hashtags",
            ) => {}
            Some("reactingUser") => reactions.push((text("reactingUser"), text("reactionType"), text("photo"))),
            // Nobody can change a comment that a moderator has removed. Replies go with their comment.
            Some("author") if item.get("removed").or(item.get("replyTo")).is_some() => {}
            Some("author") => {
                let id = format!("{}~{}", text("timestamp"), text("author"));
                comments.push((text("SK"), id, text("text")));
            }
            Some("reactions") => {
                by_key.insert(text("SK"), (text("username"), text("timestamp")));
                let photo = (text("username"), text("timestamp"));
                let is_restricted = ["audience", "sensitive"].iter().any(|name| item.get(*name).is_some());
                if item["picture"]["status"] == "ready" && !is_restricted {
                    items.pinnable.insert(photo.clone());
                }
                items.photos.insert(photo, item["picture"].clone());
            }
            Some("entries") => {
                let owner = text("PK").strip_prefix("USER#").unwrap().to_owned();
                items.pictures.insert((owner, text("timestamp")), item["entries"].as_array().unwrap().clone());
            }
            _ if item.get("name").is_some() => {
                items.users.insert(text("username"), item);
            }
            _ => panic!("an item of no known kind: {item}"),
        }
    }
    let photo = |sk: String| by_key.get(&sk).cloned().unwrap_or_else(|| ("missing photo".to_owned(), sk));
    items.reactions = reactions.into_iter().map(|(reacting, reaction, sk)| (reacting, reaction, photo(sk))).collect();
    items.comments = comments.into_iter().map(|(sk, id, text)| ((photo(sk), id), text)).collect();
    let Items { deletions, resting, .. } = &mut items;
    deletions.retain(|item| item.get("timestamp").is_some() || !resting.contains(item["erasing"].as_str().unwrap()));
    items
}

async fn read_saved_photos(chaos: &Chaos, items: &mut Items) {
    let table = &chaos.template.table(sample::FAVORITE).unwrap().name;
    let mut pages = chaos.dynamodb.scan().table_name(table).into_paginator().items().send();
    while let Some(item) = pages.try_next().await.unwrap() {
        let text = |attribute: &str| item[attribute].as_s().unwrap();
        let owner = text("pk").strip_prefix("FavoriteData#");
        if let (Some(owner), Some(photo)) = (owner, text("sk").parse::<DataId>().ok().and_then(|id| id.photo())) {
            items.saved.insert((owner.to_owned(), (photo.username.to_string(), photo.id.to_string())));
        }
    }
}

async fn read_engagements(chaos: &Chaos, items: &mut Items) {
    let table = &chaos.template.table(sample::FEED).unwrap().name;
    let mut pages = chaos.dynamodb.scan().table_name(table).into_paginator().items().send();
    while let Some(item) = pages.try_next().await.unwrap() {
        if let Some(caller) = item["pk"].as_s().unwrap().strip_prefix(ENGAGEMENTS_PREFIX) {
            let caller = caller.to_owned();
            let (photo, engagement) = Engagement::from_item(item).unwrap();
            items.engagements.insert((caller, (photo.author.to_string(), photo.id.to_string())), engagement);
        }
    }
}

/// Returns the timers of names that rest, and the deletions of users whose rests are over.
pub(crate) async fn rests(client: &Client) -> Vec<Item> {
    let scan = client.scan().table_name(TABLE).consistent_read(true).into_paginator().items().send();
    let mut items = scan.collect::<Result<Vec<Item>, _>>().await.unwrap();
    items.retain(|item| {
        let is_deletion = item.contains_key("erasing") && !item.contains_key("timestamp");
        item.contains_key("ttl") && (item.contains_key("resting") || is_deletion)
    });
    items
}

/// Ends rests.
pub(crate) async fn end_rests(client: &Client, rests: &[Item]) {
    for rest in rests {
        expire_item(client, rest, "attribute_exists(#ttl)").await;
    }
}

/// Lets items of the table expire for which `is_chosen` returns true: photos whose pictures are
/// pending, or the traces of deleted and expired photos. Returns the photos.
pub(crate) async fn expire(client: &Client, is_photo: bool, mut is_chosen: impl FnMut() -> bool) -> BTreeSet<Photo> {
    let owner = if is_photo { "username" } else { "erasing" };
    let mut photos = BTreeSet::new();
    let mut pages = client.scan().table_name(TABLE).consistent_read(true).into_paginator().items().send();
    while let Some(item) = pages.try_next().await.unwrap() {
        let (Some(owner_name), Some(id), true) = (item.get(owner), item.get("timestamp"), item.contains_key("ttl"))
        else {
            continue;
        };
        if !is_chosen() {
            continue;
        }
        let photo = [owner_name, id].map(|text| text.as_s().unwrap().clone()).into();
        let condition = format!("attribute_exists(#ttl) AND attribute_exists({owner})");
        if expire_item(client, &item, &condition).await {
            photos.insert(photo);
        }
    }
    photos
}

/// Sets the time at which an item expires to the past. Returns whether the item met the condition.
async fn expire_item(client: &Client, item: &Item, condition: &str) -> bool {
    let update = client
        .update_item()
        .table_name(TABLE)
        .key(PK, item[PK].clone())
        .key(SK, item[SK].clone())
        .condition_expression(condition)
        .update_expression("SET #ttl = :past")
        .expression_attribute_names("#ttl", "ttl")
        .expression_attribute_values(":past", N((EpochMillis::now().seconds() - 1).to_string()));
    unless_condition_failed(update.send().await).unwrap().is_some()
}
