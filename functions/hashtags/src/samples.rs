//! Photos with captions, and what process-changes derives from them.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use shared::changes::{Context, run};
use shared::dynamodb::{Item, entity};
use shared::entities::{Decision, FollowedHashtags, HashtagDecision, HiddenHashtag, Key};
use shared::values::Timestamp;
use testing::{FEED, Fixture, QUICK_PHOTOS, photo, record, with};
use tokio::time::Instant;

/// Returns the item of a photo with this caption, which everyone may see.
pub(crate) fn captioned(owner: &str, id: &str, caption: &str) -> Item {
    with(photo(owner, id), "caption", caption)
}

/// Puts a photo, and updates the lists of its hashtags.
pub(crate) async fn publish(fixture: &Fixture, item: Item) {
    fixture.put_in(QUICK_PHOTOS, item.clone()).await;
    derive(fixture, Item::new(), item).await;
}

/// Updates the lists of hashtags after the change of a photo.
async fn derive(fixture: &Fixture, old: Item, new: Item) {
    let (table, feed) = (fixture.unrecorded_table(QUICK_PHOTOS), fixture.unrecorded_table(FEED));
    let context = Context { table, feed, max_pushed: 0, max_pushed_at_once: 0 };
    let records = [record(old, new)];
    let unfinished = run(crate::changes::work(&context, &records), Instant::now() + Duration::from_mins(1)).await;
    assert!(unfinished.is_empty(), "{unfinished:?}");
}

/// Hides a hashtag.
pub(crate) async fn hide(fixture: &Fixture, hashtag: &str) {
    let hidden = HiddenHashtag { hashtag: hashtag.parse().unwrap(), timestamp: Timestamp::now() };
    fixture.put_in(QUICK_PHOTOS, hidden.item().unwrap()).await;
}

/// Returns a decision about a hashtag.
pub(crate) fn decision(hashtag: &str, kind: &str, moderator: &str, time: &str) -> Item {
    let timestamp: Timestamp = time.parse().unwrap();
    let decision = HashtagDecision {
        hashtag: hashtag.parse().unwrap(),
        decision: kind.parse().unwrap(),
        note: None,
        moderator: moderator.parse().unwrap(),
        moderator_account: moderator.parse().unwrap(),
        ttl: Decision::expiry(&timestamp),
        timestamp,
    };
    decision.item().unwrap()
}

/// Returns the decisions about a hashtag, the oldest first, among [all items](Fixture::all_items).
pub(crate) fn decisions(items: &BTreeMap<String, Value>, hashtag: &str) -> Vec<Value> {
    let of_hashtag = format!("HASHTAG#{hashtag} #DECISION#");
    items.iter().filter(|(key, _)| key.starts_with(&of_hashtag)).map(|(_, item)| item.clone()).collect()
}

/// Returns the key of a hidden hashtag, as [`Fixture::all_items`] has it.
pub(crate) fn hidden_key(hashtag: &str) -> String {
    let key: Item = Key::hidden_hashtag(&hashtag.parse().unwrap()).into();
    format!("{} {}", key["PK"].as_s().unwrap(), key["SK"].as_s().unwrap())
}

/// Returns the hashtags that a user follows, as the item has them.
pub(crate) async fn followed(fixture: &Fixture, user: &str) -> Vec<String> {
    let table = fixture.unrecorded_table(QUICK_PHOTOS);
    let key = Key::followed_hashtags(&user.parse().unwrap());
    let get = table.client.get_item().table_name(&table.name).set_key(Some(key.into()));
    let item = get.send().await.unwrap().item.map(entity::from_item).transpose().unwrap();
    let FollowedHashtags { hashtags } = item.unwrap_or_default();
    hashtags.iter().map(ToString::to_string).collect()
}

/// Lets a user follow hashtags.
pub(crate) async fn follow(fixture: &Fixture, user: &str, hashtags: &[&str]) {
    let hashtags = hashtags.iter().map(|hashtag| hashtag.parse().unwrap()).collect();
    let key = Key::followed_hashtags(&user.parse().unwrap());
    fixture.put_in(QUICK_PHOTOS, entity::to_item(key, &FollowedHashtags { hashtags }).unwrap()).await;
}
