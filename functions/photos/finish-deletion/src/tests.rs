use super::*;
use crate::items::key_of;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use serde_json::Value;
use shared::dynamodb::Item;
use shared::model::photos::{Key, PK, SK};
use shared::runtime::stream::INDEX_LAG;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};
use testing::{FAVORITE, Fault, Fixture, deletion, friendship, photo, reaction, user};
use tokio::time::Instant;

/// Returns a record of a change that is old enough for the inverted index to contain it.
fn record(change: Change, old_image: Item, new_image: Item) -> Record {
    Record {
        change,
        keys: key_of(if new_image.is_empty() { old_image.clone() } else { new_image.clone() }),
        new_image,
        old_image,
        sequence_number: "1".to_owned(),
        at: SystemTime::now() - 2 * INDEX_LAG,
        deadline: Instant::now() + Duration::from_mins(5),
    }
}

/// Returns the record of a deleted photo.
fn photo_record(photo: Item) -> Record {
    record(Change::Remove, photo, Item::new())
}

/// Returns the record of the `Deletion` that replaces ada.
fn deletion_record(deletion: &Item) -> Record {
    record(Change::Modify, user("ada"), deletion.clone())
}

fn favorites_table(fixture: &Fixture) -> Table {
    Table { client: fixture.table.client.clone(), name: fixture.unrecorded_table(FAVORITE).name }
}

async fn handle(fixture: &Fixture, record: Record) {
    finish_deletion(fixture.table.clone(), favorites_table(fixture), record).await.expect("the handler succeeds");
}

fn count(number: u32) -> AttributeValue {
    N(number.to_string())
}

/// Puts a user to delete: ada follows ben, has reacted to his photo and to her own, and others have reacted to her
/// photos. Every count includes her. Returns the `Deletion` that replaces her.
async fn seed_ada(fixture: &Fixture) -> Item {
    let mut ben = user("ben");
    ben.extend([("followers".into(), count(1)), ("following".into(), count(1))]);
    fixture.put(ben).await;
    fixture.put(friendship("ben", "ada")).await;
    let mut photo_of_ben = photo("ben", "2024-06-26T03:59:33");
    photo_of_ben.insert("reactions".into(), AttributeValue::M([("smiley".into(), count(2))].into()));
    fixture.put(photo_of_ben).await;
    fixture.put(reaction("ada", "smiley", "ben", "2024-06-26T03:59:33")).await;
    fixture.put(reaction("cara", "smiley", "ben", "2024-06-26T03:59:33")).await;
    fixture.put(reaction("ada", "heart", "ada", "2024-05-30T15:42:38")).await;
    let deletion = deletion("ada");
    fixture.put(deletion.clone()).await;
    deletion
}

/// Handles the records of ada's `Deletion` and of her photos until her username is free. Returns the number of passes.
async fn run_all_passes(fixture: &Fixture, deletion: &Item) -> usize {
    let photos = ["2024-05-30T15:42:38", "2024-06-09T13:49:13"].map(|timestamp| photo("ada", timestamp));
    let mut passes = 0;
    while !fixture.item(Key::user(&"ada".parse().unwrap())).await.is_null() {
        handle(fixture, deletion_record(deletion)).await;
        for photo in photos.clone() {
            handle(fixture, photo_record(photo)).await;
        }
        passes += 1;
        assert!(passes < 10, "the passes do not come to an end");
    }
    passes
}

fn keys_naming_ada(everything: &BTreeMap<String, Value>) -> Vec<&String> {
    everything.keys().filter(|key| key.contains("#ada")).collect()
}

#[tokio::test]
async fn deletes_every_item_of_the_user_and_corrects_every_count() {
    let fixture = Fixture::new("finish-deletion").await;
    let deletion = seed_ada(&fixture).await;
    let passes = run_all_passes(&fixture, &deletion).await;
    assert_eq!(passes, 2, "one pass finds items, and one finds none");

    let everything = fixture.all_items().await;
    assert_eq!(keys_naming_ada(&everything), Vec::<&String>::new());
    let ben = fixture.item(Key::user(&"ben".parse().unwrap())).await;
    assert_eq!((&ben["followers"], &ben["following"]), (&Value::from(0), &Value::from(0)));
    let photo_of_ben = fixture.item(Key::photo(&"ben".parse().unwrap(), &"2024-06-26T03:59:33".parse().unwrap())).await;
    assert_eq!(photo_of_ben["reactions"]["smiley"], 1, "the reaction of cara is left");
    let left: Vec<_> = everything.values().map(|item| format!("{} {}", item[PK], item[SK])).collect();
    assert_eq!(left.len(), 5, "ben, cara, two photos and a reaction: {left:?}");
}

#[tokio::test]
async fn resumes_after_an_interruption_at_any_request() {
    // Each round loses the connection four requests later than the round before.
    for requests in (0..150).step_by(4) {
        let fixture = Fixture::new("finish-deletion").await;
        let deletion = seed_ada(&fixture).await;
        let faults = std::iter::repeat_n(Fault::None, requests).chain([Fault::ConnectionLost; 200]);
        fixture.inject(faults);
        let result =
            finish_deletion(fixture.table.clone(), favorites_table(&fixture), deletion_record(&deletion)).await;
        fixture.clear_faults();
        run_all_passes(&fixture, &deletion).await;
        assert_eq!(keys_naming_ada(&fixture.all_items().await), Vec::<&String>::new(), "after {requests} requests");
        let ben = fixture.item(Key::user(&"ben".parse().unwrap())).await;
        assert_eq!((&ben["followers"], &ben["following"]), (&Value::from(0), &Value::from(0)));
        let photo_of_ben =
            fixture.item(Key::photo(&"ben".parse().unwrap(), &"2024-06-26T03:59:33".parse().unwrap())).await;
        assert_eq!(photo_of_ben["reactions"]["smiley"], 1);
        if result.is_ok() {
            assert!(requests > 10, "a pass sends more than {requests} requests");
            return;
        }
    }
    panic!("no round lets a pass finish");
}

#[tokio::test]
async fn deletes_only_the_favorites_and_tags_of_the_user() {
    let fixture = Fixture::new("finish-deletion").await;
    let deletion = seed_ada(&fixture).await;
    let others = async || {
        let items = fixture.all_items_of(FAVORITE).await;
        items.into_iter().filter(|(key, _)| !key.contains("#ada")).collect::<BTreeMap<_, _>>()
    };
    let before = others().await;
    run_all_passes(&fixture, &deletion).await;
    let left = fixture.all_items_of(FAVORITE).await;
    let of_ada: Vec<&String> = left.keys().filter(|key| key.contains("#ada")).collect();
    assert!(!before.is_empty() && of_ada.iter().all(|key| key.starts_with("FavoriteDataTerm#")), "{of_ada:?}");
    assert_eq!(others().await, before);
}

/// A later pass finds the tags of a favorite only through the favorite.
#[tokio::test]
async fn keeps_a_favorite_when_no_time_is_left_for_its_tags() {
    let fixture = Fixture::new("finish-deletion").await;
    let before = fixture.all_items_of(FAVORITE).await;
    // The first attempt of the Query times out after one second, so the page of favorites arrives after the deadline.
    fixture.inject([Fault::NoAnswer]);
    let page_deadline = Instant::now() + Duration::from_millis(500);
    let needs_another_pass =
        favorites::delete_all(&favorites_table(&fixture), &"ada".parse().unwrap(), page_deadline).await;
    assert!(needs_another_pass.unwrap());
    assert_eq!(fixture.operations(), ["Query", "Query"]);
    assert_eq!(fixture.all_items_of(FAVORITE).await, before);
}

#[tokio::test]
async fn a_record_of_an_earlier_deletion_changes_nothing() {
    let fixture = Fixture::new("finish-deletion").await;
    let before = fixture.all_items().await;
    handle(&fixture, deletion_record(&deletion("ada"))).await;
    assert_eq!(fixture.operations(), ["GetItem"]);
    assert_eq!(fixture.all_items().await, before, "ada is a user again");

    fixture.put(deletion("ada")).await;
    let mut earlier = deletion("ada");
    earlier.insert("since".into(), S("2020-01-01T00:00:00.000Z".into()));
    let before = fixture.all_items().await;
    handle(&fixture, deletion_record(&earlier)).await;
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn deletes_the_reactions_and_the_pin_of_a_deleted_photo() {
    let fixture = Fixture::new("finish-deletion").await;
    let pinned = fixture.item(Key::user(&"ada".parse().unwrap())).await["pinnedImage"].take();
    let timestamp = pinned.as_str().unwrap().trim_start_matches("PHOTO#ada#");
    for number in 0..60 {
        fixture.put(reaction(&format!("u{number}"), "heart", "ada", timestamp)).await;
    }
    fixture.delete(Key::photo(&"ada".parse().unwrap(), &timestamp.parse().unwrap())).await;
    handle(&fixture, photo_record(photo("ada", timestamp))).await;
    assert_eq!(fixture.operations(), ["Query", "BatchWriteItem", "BatchWriteItem", "BatchWriteItem", "UpdateItem"]);
    let everything = fixture.all_items().await;
    assert!(everything.keys().all(|key| !key.contains(timestamp)), "{everything:?}");
    assert!(everything.values().all(|item| item["pinnedImage"] != pinned));

    handle(&fixture, photo_record(photo("ada", timestamp))).await;
    assert_eq!(fixture.all_items().await, everything);
}

#[tokio::test]
async fn repeating_the_sample_event_changes_nothing() {
    let fixture = Fixture::new("finish-deletion").await;
    fixture.put(reaction("cara", "heart", "ada", "2024-06-09T13:49:13")).await;
    let before = fixture.all_items().await;
    let mut after = vec![];
    for _ in 0..2 {
        let handler = |table, record| finish_deletion(table, favorites_table(&fixture), record);
        let failures = fixture.deliver(handler, fixture.sample_event()).await;
        assert_eq!(failures, Vec::<String>::new());
        after.push(fixture.all_items().await);
    }
    assert_eq!(after[0].len(), before.len() - 1);
    assert_eq!(after[0], after[1]);
}

#[tokio::test]
async fn keeps_the_reactions_and_the_pin_of_other_photos() {
    let fixture = Fixture::new("finish-deletion").await;
    fixture.put(reaction("cara", "heart", "ben", "2024-07-14T10:21:01")).await;
    let before = fixture.all_items().await;
    handle(&fixture, photo_record(photo("ben", "2024-07-14T10:21:02"))).await;
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn ignores_other_records() {
    let fixture = Fixture::new("finish-deletion").await;
    for record in [
        record(Change::Insert, Item::new(), photo("ada", "2024-05-30T15:42:38")),
        record(Change::Modify, user("ada"), user("ada")),
        record(Change::Remove, user("ada"), Item::new()),
        record(Change::Remove, deletion("ada"), Item::new()),
        record(Change::Remove, reaction("cara", "heart", "ada", "2024-05-30T15:42:38"), Item::new()),
    ] {
        handle(&fixture, record).await;
    }
    assert!(fixture.operations().is_empty());
}

#[tokio::test]
async fn sends_unprocessed_deletes_again() {
    let fixture = Fixture::new("finish-deletion").await;
    fixture.inject([Fault::None, Fault::Unprocessed]);
    handle(&fixture, photo_record(photo("ada", "2024-05-30T15:42:38"))).await;
    assert_eq!(fixture.operations(), ["Query", "BatchWriteItem", "BatchWriteItem", "UpdateItem"]);
    assert!(fixture.all_items().await.values().all(|item| !item[PK].as_str().unwrap().starts_with("REACTION#")));
}

#[tokio::test]
async fn deletes_two_users_who_follow_each_other_concurrently() {
    let fixture = Fixture::new("finish-deletion").await;
    let ada = seed_ada(&fixture).await;
    let ben = deletion("ben");
    fixture.put(ben.clone()).await;
    for _ in 0..2 {
        handle(&fixture, deletion_record(&ada)).await;
        handle(&fixture, record(Change::Modify, user("ben"), ben.clone())).await;
    }
    for photo in [photo("ada", "2024-05-30T15:42:38"), photo("ben", "2024-06-26T03:59:33")] {
        handle(&fixture, photo_record(photo)).await;
    }
    let everything = fixture.all_items().await;
    assert_eq!(everything.len(), 1, "only cara is left: {everything:?}");
}

#[tokio::test]
async fn five_thousand_followers_take_5038_requests() {
    let fixture = Fixture::new("finish-deletion").await;
    let mut items = vec![];
    for number in 0..5000 {
        let name = format!("u{number}");
        let mut follower = user(&name);
        follower.insert("following".into(), count(1));
        items.extend([follower, friendship("zoe", &name)]);
    }
    fixture.put_all(items);
    let deletion = deletion("zoe");
    fixture.put(deletion.clone()).await;

    handle(&fixture, record(Change::Modify, user("zoe"), deletion.clone())).await;
    handle(&fixture, record(Change::Modify, deletion.clone(), deletion)).await;
    let operations = fixture.operations();
    let everything = fixture.all_items().await;
    assert!(everything.keys().all(|key| !key.contains("zoe")));
    assert!(everything.values().all(|item| item["PK"] == "USER#ben" || item["following"].as_u64().unwrap_or(0) == 0));
    let number_of = |name: &str| operations.iter().filter(|operation| *operation == name).count();
    assert_eq!((number_of("TransactWriteItems"), number_of("Query"), operations.len()), (5000, 34, 5038));
}
