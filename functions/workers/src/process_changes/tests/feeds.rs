mod hashtags;
mod pulled;

use super::*;
use aws_sdk_dynamodb::types::AttributeValue::{Bool, N};
use serde_json::json;
use shared::dynamodb::entity;
use shared::entities::{
    BACKFILL, Delivery, ENTRY_LIFETIME_SECONDS, Key, Latest, MAX_LATEST, MAX_PULLS, Picture, Position, entry_item,
};
use shared::values::{EpochMillis, PhotoId, Timestamp, Username};
use std::collections::BTreeMap;
use testing::{FEED, Fault, deletion, friendship, photo, photo_deletion, photo_with, ready, user};

fn name(username: &str) -> Username {
    username.parse().unwrap()
}

/// Returns the id of a photo, a minute after that of the number before.
fn minute(number: usize) -> PhotoId {
    format!("2025-01-01T{:02}:{:02}:00.000Z", number / 60, number % 60).parse().unwrap()
}

/// A table with authors and readers, and their feeds.
struct Feed {
    fixture: Fixture,
    max_pushed: u64,
}

impl Feed {
    /// Ben follows ada in the seed data, which has no feeds here. Photos of ada and zoe are pushed
    /// to `max_pushed` followers.
    async fn new(max_pushed: u64) -> Self {
        let fixture = Fixture::new("process-changes").await;
        let feed = Self { fixture, max_pushed };
        let table = feed.table();
        for item in table.client.scan().table_name(&table.name).send().await.unwrap().items.unwrap() {
            let key = item.into_iter().filter(|(name, _)| ["pk", "sk"].contains(&name.as_str())).collect();
            table.client.delete_item().table_name(&table.name).set_key(Some(key)).send().await.unwrap();
        }
        feed.fixture.put(user("zoe")).await;
        feed.set_followers("ada", 1).await;
        feed
    }

    fn table(&self) -> Table {
        self.fixture.unrecorded_table(FEED)
    }

    async fn set_followers(&self, author: &str, followers: u64) {
        let mut author = user(author);
        author.insert("followers".to_owned(), N(followers.to_string()));
        self.fixture.put(author).await;
    }

    /// Lets readers follow an author, without the record of it.
    async fn follow(&self, readers: &[&str], author: &str) {
        for reader in readers {
            self.fixture.put(friendship(author, reader)).await;
        }
    }

    async fn deliver(&self, record: Record) -> Vec<String> {
        let context = Context { max_pushed: self.max_pushed, ..context(&self.fixture.table) };
        let handler = async |batch: Batch| Job::Feeds.process(&context, &batch.records, batch.deadline).await;
        self.fixture.deliver_batch(handler, batch(&[record])).await
    }

    /// Makes a photo ready, and delivers the record of it.
    async fn publish(&self, author: &str, id: &PhotoId) -> Vec<String> {
        let new = photo_with(author, id.as_ref(), ready(b"file"));
        self.fixture.put(new.clone()).await;
        self.deliver(published(author, id)).await
    }

    /// Puts a friendship, and delivers the record of it.
    async fn connect(&self, reader: &str, author: &str) {
        let friendship = friendship(author, reader);
        self.fixture.put(friendship.clone()).await;
        assert!(self.deliver(insert(&friendship)).await.is_empty());
    }

    /// Deletes a friendship, and delivers the record of it.
    async fn disconnect(&self, reader: &str, author: &str) {
        self.fixture.delete(Key::friendship(&name(author), &name(reader))).await;
        assert!(self.deliver(record(friendship(author, reader), Item::new())).await.is_empty());
    }

    /// Puts the newest photos of an author.
    async fn put_latest(&self, author: &str, photos: usize, delivery: Delivery) {
        let photos = (0..photos).map(minute).collect();
        let latest = Latest { author: name(author), photos, delivery, converted: None };
        self.put(entity::to_item(Key::latest(&latest.author), &latest).unwrap()).await;
    }

    async fn put(&self, item: Item) {
        let table = self.table();
        table.client.put_item().table_name(&table.name).set_item(Some(item)).send().await.unwrap();
    }

    async fn all_items(&self) -> BTreeMap<String, Value> {
        let mut items = self.fixture.all_items_of(FEED).await;
        for item in items.values_mut() {
            item.as_object_mut().unwrap().remove("ttl");
        }
        items
    }

    /// Returns the keys of all items but the newest photos of authors.
    async fn keys(&self) -> Vec<String> {
        self.all_items().await.into_keys().filter(|key| !key.starts_with("Latest#")).collect()
    }

    async fn latest(&self, author: &str) -> Value {
        self.all_items().await.remove(&format!("Latest#{author} Latest")).unwrap_or_default()
    }
}

fn published(author: &str, id: &PhotoId) -> Record {
    let old = photo_with(author, id.as_ref(), Picture::Pending);
    record(old, photo_with(author, id.as_ref(), ready(b"file")))
}

/// Returns the key of an entry among the keys of all items.
fn entry(reader: &str, id: &PhotoId, author: &str) -> String {
    format!("Feed#{reader} {id}#{author}")
}

#[tokio::test]
async fn pushes_a_photo_to_the_followers_of_its_author() {
    let feed = Feed::new(10).await;
    feed.follow(&["cara"], "ada").await;
    feed.follow(&["cara", "ada"], "zoe").await;
    let begin = EpochMillis::now().seconds();
    assert!(feed.publish("ada", &minute(1)).await.is_empty());
    assert_eq!(feed.fixture.operations(), ["GetItem", "TransactWriteItems", "GetItem", "Query", "BatchWriteItem"]);
    let expected = [entry("ben", &minute(1), "ada"), entry("cara", &minute(1), "ada")];
    assert_eq!(feed.keys().await, expected);
    assert_eq!(feed.latest("ada").await["photos"], json!([minute(1)]));
    let ttl = feed.fixture.all_items_of(FEED).await[&expected[0]]["ttl"].as_u64().unwrap() - ENTRY_LIFETIME_SECONDS;
    assert!((begin..=EpochMillis::now().seconds()).contains(&ttl), "{ttl}");
    let items = feed.all_items().await;
    assert!(feed.publish("ada", &minute(1)).await.is_empty());
    assert_eq!(feed.all_items().await, items, "the record comes again");
    assert!(feed.publish("zoe", &minute(1)).await.is_empty());
    let mut expected = [&expected[..], &[entry("ada", &minute(1), "zoe"), entry("cara", &minute(1), "zoe")]].concat();
    expected.sort();
    assert_eq!(feed.keys().await, expected);
}

#[tokio::test]
async fn pushes_photos_of_other_programs() {
    let feed = Feed::new(10).await;
    let photo = photo("ada", minute(1).as_ref());
    feed.fixture.put(photo.clone()).await;
    assert!(feed.deliver(insert(&photo)).await.is_empty());
    assert_eq!(feed.keys().await, [entry("ben", &minute(1), "ada")]);
}

#[tokio::test]
async fn pushes_nothing_that_is_not_ready_now() {
    let feed = Feed::new(10).await;
    let pending = photo_with("ada", minute(1).as_ref(), Picture::Pending);
    let rejected = photo_with("ada", minute(1).as_ref(), testing::rejected());
    assert!(feed.deliver(insert(&pending)).await.is_empty());
    assert!(feed.deliver(record(pending, rejected)).await.is_empty());
    let shown = photo_with("ada", minute(1).as_ref(), ready(b"file"));
    assert!(feed.deliver(record(shown.clone(), shown)).await.is_empty());
    assert_eq!(feed.fixture.operations(), [""; 0]);
    // It has been deleted since.
    assert!(feed.deliver(published("ada", &minute(1))).await.is_empty());
    feed.fixture.put(photo_deletion("ada", minute(1).as_ref(), 0)).await;
    assert!(feed.deliver(published("ada", &minute(1))).await.is_empty());
    feed.fixture.put(deletion("ada")).await;
    assert!(feed.publish("ada", &minute(2)).await.is_empty());
    assert_eq!(feed.all_items().await, BTreeMap::new());
}

/// A message of the queue stalls between any two of its requests, and the photo is restricted,
/// removed or deleted, whose record the stream delivers at once.
#[tokio::test]
async fn a_message_that_stalls_adds_no_photo_that_nobody_may_see() {
    let shown = photo_with("ada", minute(1).as_ref(), ready(b"file"));
    let removed =
        Picture::Removed { reason: shared::values::ReportReason::Spam, sizes: ready(b"file").sizes().cloned() };
    for hidden in [
        testing::with(shown.clone(), "audience", "me"),
        photo_with("ada", minute(1).as_ref(), removed),
        photo_deletion("ada", minute(1).as_ref(), 0),
    ] {
        for served in 0..6 {
            let feed = Feed::new(10).await;
            feed.publish("ada", &minute(2)).await;
            feed.fixture.put(shown.clone()).await;
            let (process, mut gate) = feed.fixture.gated_process();
            let context = context(&process.table("TABLE_NAME").unwrap());
            drop(process);
            let record = published("ada", &minute(1));
            let deadline = tokio::time::Instant::now() + std::time::Duration::from_mins(1);
            let stalled = Job::Feeds.process(&context, std::slice::from_ref(&record), deadline);
            let hide = async {
                for _ in 0..served {
                    gate.serve().await;
                }
                feed.fixture.put(hidden.clone()).await;
                assert!(feed.deliver(testing::record(shown.clone(), hidden.clone())).await.is_empty());
                gate.open();
            };
            let (failures, ()) = tokio::join!(stalled, hide);
            assert!(failures.is_empty());
            assert_eq!(feed.latest("ada").await["photos"], json!([minute(2)]), "after {served} requests");
        }
    }
}

#[tokio::test]
async fn takes_a_deleted_photo_out_of_the_newest_ones() {
    let feed = Feed::new(10).await;
    feed.publish("ada", &minute(1)).await;
    feed.publish("ada", &minute(2)).await;
    let old = photo_with("ada", minute(1).as_ref(), ready(b"file"));
    let tombstone = photo_deletion("ada", minute(1).as_ref(), 0);
    let deleted = record(old.clone(), tombstone.clone());
    assert!(feed.deliver(deleted.clone()).await.is_empty());
    let shown = json!([minute(1), minute(2)]);
    assert_eq!(feed.latest("ada").await["photos"], shown, "a photo that is shown again by now stays");
    feed.fixture.put(tombstone).await;
    for _ in 0..2 {
        assert!(feed.deliver(deleted.clone()).await.is_empty());
        assert_eq!(feed.latest("ada").await["photos"], json!([minute(2)]));
    }
    let old = photo_with("zoe", minute(1).as_ref(), ready(b"file"));
    let deleted = record(old.clone(), photo_deletion("zoe", minute(1).as_ref(), 0));
    assert!(feed.deliver(deleted).await.is_empty());
    assert_eq!(feed.latest("zoe").await, Value::Null);
}

#[tokio::test]
async fn keeps_the_newest_photos_of_an_author() {
    let feed = Feed::new(10).await;
    feed.put_latest("ada", MAX_LATEST, Delivery::Push).await;
    feed.publish("ada", &minute(MAX_LATEST)).await;
    let expected: Vec<PhotoId> = (1..=MAX_LATEST).map(minute).collect();
    let mut photos: Vec<PhotoId> = serde_json::from_value(feed.latest("ada").await["photos"].take()).unwrap();
    photos.sort();
    assert_eq!(photos, expected);
}

#[tokio::test]
async fn a_new_follower_gets_the_newest_photos() {
    let feed = Feed::new(10).await;
    feed.put_latest("ada", BACKFILL + 5, Delivery::Push).await;
    feed.connect("cara", "ada").await;
    let expected: Vec<String> = (5..BACKFILL + 5).map(|number| entry("cara", &minute(number), "ada")).collect();
    assert_eq!(feed.keys().await, expected);
    feed.connect("cara", "zoe").await;
    assert_eq!(feed.keys().await, expected, "zoe has no photos");
}

#[tokio::test]
async fn a_follower_who_has_unfollowed_since_gets_nothing() {
    for delivery in [Delivery::Push, Delivery::Converting, Delivery::Pull] {
        let feed = Feed::new(10).await;
        feed.put_latest("ada", 3, delivery).await;
        assert!(feed.deliver(insert(&friendship("ada", "cara"))).await.is_empty());
        assert_eq!(feed.keys().await, [""; 0], "{delivery:?}");
    }
}

#[tokio::test]
async fn no_newest_photos_are_made_for_an_author_who_was_deleted_meanwhile() {
    // The request before which finish-deletion deletes the newest photos: that which changes the
    // delivery, that which removes the oldest photo, and those that note the progress of a
    // conversion.
    for requests in 2..8 {
        let feed = Feed::new(0).await;
        feed.put_latest("ada", MAX_LATEST, Delivery::Push).await;
        feed.follow(&["cara"], "ada").await;
        feed.fixture.delete_concurrently(requests, FEED, Key::latest(&name("ada")));
        assert_eq!(feed.publish("ada", &minute(MAX_LATEST)).await, [""; 0], "{requests}");
        assert_eq!(feed.latest("ada").await, Value::Null, "{requests}");
    }
}

/// Each request fails once, before or after it has its effect, and Lambda sends the record again.
#[tokio::test]
async fn a_record_that_is_interrupted_anywhere_is_completed_by_the_next_attempt() {
    for (followers, max_pushed) in [(1, 10), (3, 2)] {
        let mut completed: Option<BTreeMap<String, Value>> = None;
        for requests in 0..12 {
            for (fault, repetitions) in [(Fault::Error("AccessDenied"), 1), (Fault::AnswerLost, 5)] {
                let feed = Feed::new(max_pushed).await;
                feed.follow(&["cara", "zoe"], "ada").await;
                feed.set_followers("ada", followers).await;
                let faults = std::iter::repeat_n(Fault::None, requests).chain(std::iter::repeat_n(fault, repetitions));
                feed.fixture.inject(if completed.is_some() { faults.collect() } else { vec![] });
                let failed = feed.publish("ada", &minute(1)).await;
                feed.fixture.clear_faults();
                if !failed.is_empty() {
                    assert!(feed.publish("ada", &minute(1)).await.is_empty());
                }
                let items = feed.all_items().await;
                assert_eq!(&items, completed.get_or_insert_with(|| items.clone()), "{requests} requests");
            }
        }
    }
}

#[tokio::test]
async fn an_entry_has_nothing_but_its_key_and_its_expiry() {
    let item = entry_item(&name("ben"), &Position { id: minute(1), author: name("ada") });
    let mut names: Vec<&String> = item.keys().collect();
    names.sort();
    assert_eq!(names, ["pk", "sk", "ttl"]);
}

/// It may have any time, also that of the import.
#[tokio::test]
async fn a_photo_of_an_import_is_in_no_feed_and_costs_no_request() {
    let feed = Feed::new(10).await;
    let imported = |photo: Item| {
        let imported = [("imported".to_owned(), Bool(true))];
        photo.into_iter().chain(imported).collect::<Item>()
    };
    let id = PhotoId::from(Timestamp::now());
    let pending = imported(photo_with("ada", id.as_ref(), Picture::Pending));
    let shown = imported(photo_with("ada", id.as_ref(), ready(b"file")));
    let restricted = testing::with(shown.clone(), "audience", "me");
    for (old, new) in [(pending, shown.clone()), (shown.clone(), restricted.clone()), (restricted, shown)] {
        feed.fixture.put(new.clone()).await;
        assert!(feed.deliver(record(old, new)).await.is_empty());
    }
    assert_eq!((feed.fixture.operations(), feed.all_items().await), (vec![], BTreeMap::new()));
}

#[tokio::test]
async fn a_photo_for_its_owner_alone_is_in_no_feed() {
    let feed = Feed::new(10).await;
    feed.follow(&["ben", "cara"], "ada").await;
    let photo = photo_with("ada", minute(1).as_ref(), ready(b"file"));
    let [private, restricted] = ["me", "followers"].map(|audience| testing::with(photo.clone(), "audience", audience));
    // It is ready, and for its owner alone.
    feed.fixture.put(private.clone()).await;
    let pending = photo_with("ada", minute(1).as_ref(), Picture::Pending);
    assert!(feed.deliver(record(testing::with(pending, "audience", "me"), private.clone())).await.is_empty());
    assert_eq!(feed.keys().await, Vec::<String>::new());
    // From now on it is for followers, and then for everyone.
    feed.fixture.put(restricted.clone()).await;
    assert!(feed.deliver(record(private.clone(), restricted.clone())).await.is_empty());
    let pushed = feed.keys().await;
    assert_eq!(pushed.len(), 2, "{pushed:?}");
    assert_eq!(feed.latest("ada").await["photos"], json!([minute(1).as_ref()]));
    feed.fixture.put(photo.clone()).await;
    assert!(feed.deliver(record(restricted.clone(), photo.clone())).await.is_empty());
    assert_eq!(feed.keys().await, pushed);
    // It is for its owner alone again.
    feed.fixture.put(private.clone()).await;
    assert!(feed.deliver(record(photo, private.clone())).await.is_empty());
    assert!(feed.latest("ada").await.get("photos").is_none());
    // The record of the step before comes again, late.
    assert!(feed.deliver(record(private, restricted)).await.is_empty());
    assert!(feed.latest("ada").await.get("photos").is_none());
}

#[tokio::test]
async fn a_removed_photo_is_no_newest_photo_until_it_is_shown_again() {
    let feed = Feed::new(10).await;
    feed.follow(&["ben", "cara"], "ada").await;
    let photo = photo_with("ada", minute(1).as_ref(), ready(b"file"));
    let sizes = ready(b"file").sizes().cloned();
    let removed =
        photo_with("ada", minute(1).as_ref(), Picture::Removed { reason: shared::values::ReportReason::Spam, sizes });
    feed.publish("ada", &minute(1)).await;
    for (before, after, newest) in [(&photo, &removed, None), (&removed, &photo, Some(json!([minute(1).as_ref()])))] {
        feed.fixture.put(after.clone()).await;
        assert!(feed.deliver(record(before.clone(), after.clone())).await.is_empty());
        assert_eq!(feed.latest("ada").await.get("photos"), newest.as_ref());
    }
}
