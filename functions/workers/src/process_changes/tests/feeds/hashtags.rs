//! The copies of the hashtags that users follow.

use super::*;
use shared::entities::FollowedHashtags;

/// Returns the item of the hashtags that cara follows.
fn followed(hashtags: &[&str]) -> Item {
    let hashtags = hashtags.iter().map(|hashtag| hashtag.parse().unwrap()).collect();
    entity::to_item(Key::followed_hashtags(&name("cara")), &FollowedHashtags { hashtags }).unwrap()
}

/// Returns the hashtags in the feed of cara.
async fn copied(feed: &Feed) -> Option<Value> {
    assert!(feed.keys().await.iter().all(|key| key == "Feed#cara TAGS"));
    feed.all_items().await.remove("Feed#cara TAGS").map(|item| item["hashtags"].clone())
}

#[tokio::test]
async fn copies_the_hashtags_that_a_user_follows() {
    let feed = Feed::new(2).await;
    let mut old = Item::new();
    for (hashtags, expected) in [
        (&["dawn"][..], Some(json!(["dawn"]))),
        (&["cafe", "dawn"], Some(json!(["cafe", "dawn"]))),
        (&["cafe"], Some(json!(["cafe"]))),
        (&[], None),
    ] {
        let new = followed(hashtags);
        feed.fixture.put(new.clone()).await;
        for _ in 0..2 {
            assert!(feed.deliver(record(old.clone(), new.clone())).await.is_empty());
            assert_eq!(copied(&feed).await, expected);
            assert_eq!(feed.fixture.operations(), ["GetItem", "TransactWriteItems"]);
        }
        old = new;
    }
    assert!(feed.deliver(record(followed(&["dawn"]), followed(&["dawn"]))).await.is_empty());
    assert_eq!(feed.fixture.operations(), [""; 0], "nothing has changed");
}

#[tokio::test]
async fn a_late_record_copies_what_the_user_follows_now() {
    let feed = Feed::new(2).await;
    feed.fixture.put(followed(&["dusk"])).await;
    let records = [record(Item::new(), followed(&["dawn"])), record(followed(&["dawn"]), Item::new())];
    for late in records {
        assert!(feed.deliver(late).await.is_empty());
        assert_eq!(copied(&feed).await, Some(json!(["dusk"])));
    }
    feed.fixture.delete(Key::followed_hashtags(&name("cara"))).await;
    assert!(feed.deliver(record(Item::new(), followed(&["dusk"]))).await.is_empty());
    assert_eq!(copied(&feed).await, None, "the user was deleted");
}

#[tokio::test]
async fn reads_again_if_the_hashtags_change_before_the_write() {
    for (meanwhile, expected) in [(&["dusk"][..], Some(json!(["dusk"]))), (&[], None)] {
        let feed = Feed::new(2).await;
        feed.fixture.put(followed(&["dawn"])).await;
        feed.fixture.write_concurrently(1, vec![followed(meanwhile)], vec![]);
        assert!(feed.deliver(record(Item::new(), followed(&["dawn"]))).await.is_empty());
        assert_eq!(copied(&feed).await, expected);
        assert_eq!(feed.fixture.operations(), ["GetItem", "TransactWriteItems", "GetItem", "TransactWriteItems"]);
    }
}

#[tokio::test]
async fn a_record_whose_copy_failed_comes_again() {
    for fault in [Fault::ConnectionLost, Fault::Error("AccessDeniedException"), Fault::AnswerLost] {
        for position in 0..2 {
            let feed = Feed::new(2).await;
            feed.fixture.put(followed(&["dawn"])).await;
            feed.fixture.inject((0..position).map(|_| Fault::None).chain([fault]));
            let change = record(Item::new(), followed(&["dawn"]));
            if !feed.deliver(change.clone()).await.is_empty() {
                feed.fixture.clear_faults();
                assert!(feed.deliver(change).await.is_empty());
            }
            assert_eq!(copied(&feed).await, Some(json!(["dawn"])));
        }
    }
}
