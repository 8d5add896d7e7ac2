use super::*;
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::Value;
use shared::runtime::stream::INDEX_LAG;
use std::time::SystemTime;
use testing::FAVORITE;
use testing::{Fault, Fixture, deletion, friendship, photo, reaction, user};

/// A record of a change that the inverted index has caught up with.
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

fn removed(photo: Item) -> Record {
    record(Change::Remove, photo, Item::new())
}

fn marked(deletion: &Item) -> Record {
    record(Change::Modify, user("ada"), deletion.clone())
}

fn favorites(fixture: &Fixture) -> Table {
    Table { client: fixture.table.client.clone(), name: fixture.unrecorded_table(FAVORITE).name }
}

async fn finish(fixture: &Fixture, record: Record) {
    finish_deletion(fixture.table.clone(), favorites(fixture), record).await.expect("the record is through");
}

fn count(number: u32) -> AttributeValue {
    N(number.to_string())
}

/// Ada follows ben, reacted to one of his photos, and had her photos reacted to by others: all of it counted.
async fn ada_takes_part(fixture: &Fixture) -> Item {
    let mut ben = user("ben");
    ben.extend([("followers".into(), count(1)), ("following".into(), count(1))]);
    fixture.put(ben).await;
    fixture.put(friendship("ben", "ada")).await;
    let mut of_ben = photo("ben", "2024-06-26T03:59:33");
    of_ben.insert("reactions".into(), AttributeValue::M([("smiley".into(), count(2))].into()));
    fixture.put(of_ben).await;
    fixture.put(reaction("ada", "smiley", "ben", "2024-06-26T03:59:33")).await;
    fixture.put(reaction("cara", "smiley", "ben", "2024-06-26T03:59:33")).await;
    fixture.put(reaction("ada", "heart", "ada", "2024-05-30T15:42:38")).await;
    let deletion = deletion("ada");
    fixture.put(deletion.clone()).await;
    deletion
}

/// All that comes through the stream until nothing more does: what the function removed and touched.
async fn run_to_the_end(fixture: &Fixture, deletion: &Item) -> usize {
    let photos = ["2024-05-30T15:42:38", "2024-06-09T13:49:13"].map(|timestamp| photo("ada", timestamp));
    let mut passes = 0;
    while !fixture.item(Key::user(&"ada".parse().unwrap())).await.is_null() {
        finish(fixture, marked(deletion)).await;
        for photo in photos.clone() {
            finish(fixture, removed(photo)).await;
        }
        passes += 1;
        assert!(passes < 10, "it comes to no end");
    }
    passes
}

fn naming_ada(everything: &std::collections::BTreeMap<String, Value>) -> Vec<&String> {
    everything.keys().filter(|key| key.contains("#ada")).collect()
}

#[tokio::test]
async fn nothing_names_a_deleted_user_and_every_count_is_right() {
    let fixture = Fixture::new("finish-deletion").await;
    let deletion = ada_takes_part(&fixture).await;
    let passes = run_to_the_end(&fixture, &deletion).await;
    assert_eq!(passes, 2, "one that finds something, and one that finds nothing");

    let everything = fixture.all_items().await;
    assert_eq!(naming_ada(&everything), Vec::<&String>::new());
    let ben = fixture.item(Key::user(&"ben".parse().unwrap())).await;
    assert_eq!((&ben["followers"], &ben["following"]), (&Value::from(0), &Value::from(0)));
    let bens = fixture.item(Key::photo(&"ben".parse().unwrap(), &"2024-06-26T03:59:33".parse().unwrap())).await;
    assert_eq!(bens["reactions"]["smiley"], 1, "cara's is left");
    let left: Vec<_> = everything.values().map(|item| format!("{} {}", item[PK], item[SK])).collect();
    assert_eq!(left.len(), 5, "ben, cara, two photos and a reaction: {left:?}");
}

#[tokio::test]
async fn it_may_end_anywhere_and_begin_again() {
    // What a pass asks for one after the other; each time it loses its connection four requests later.
    for requests in (0..150).step_by(4) {
        let fixture = Fixture::new("finish-deletion").await;
        let deletion = ada_takes_part(&fixture).await;
        let cut = std::iter::repeat_n(Fault::None, requests).chain([Fault::ConnectionLost; 200]);
        fixture.inject(cut);
        let ended = finish_deletion(fixture.table.clone(), favorites(&fixture), marked(&deletion)).await;
        fixture.clear_faults();
        run_to_the_end(&fixture, &deletion).await;
        assert_eq!(naming_ada(&fixture.all_items().await), Vec::<&String>::new(), "after {requests} requests");
        let ben = fixture.item(Key::user(&"ben".parse().unwrap())).await;
        assert_eq!((&ben["followers"], &ben["following"]), (&Value::from(0), &Value::from(0)));
        let bens = fixture.item(Key::photo(&"ben".parse().unwrap(), &"2024-06-26T03:59:33".parse().unwrap())).await;
        assert_eq!(bens["reactions"]["smiley"], 1);
        if ended.is_ok() {
            assert!(requests > 10, "a pass asks for more than {requests} things");
            return;
        }
    }
    panic!("a pass never came to its end");
}

#[tokio::test]
async fn favorites_and_tags_go_and_those_of_others_stay() {
    let fixture = Fixture::new("finish-deletion").await;
    let deletion = ada_takes_part(&fixture).await;
    let others = async || {
        let items = fixture.all_items_of(FAVORITE).await;
        items.into_iter().filter(|(key, _)| !key.contains("#ada")).collect::<std::collections::BTreeMap<_, _>>()
    };
    let before = others().await;
    run_to_the_end(&fixture, &deletion).await;
    let left = fixture.all_items_of(FAVORITE).await;
    let of_ada: Vec<&String> = left.keys().filter(|key| key.contains("#ada")).collect();
    assert!(!before.is_empty() && of_ada.iter().all(|key| key.starts_with("FavoriteDataTerm#")), "{of_ada:?}");
    assert_eq!(others().await, before);
}

#[tokio::test]
async fn a_record_of_an_earlier_deletion_leaves_the_new_owner_of_the_name_alone() {
    let fixture = Fixture::new("finish-deletion").await;
    let before = fixture.all_items().await;
    finish(&fixture, marked(&deletion("ada"))).await;
    assert_eq!(fixture.operations(), ["GetItem"]);
    assert_eq!(fixture.all_items().await, before, "ada is there again");

    fixture.put(deletion("ada")).await;
    let mut earlier = deletion("ada");
    earlier.insert("since".into(), S("2020-01-01T00:00:00.000Z".into()));
    let before = fixture.all_items().await;
    finish(&fixture, marked(&earlier)).await;
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_removed_photo_takes_its_reactions_and_its_pin_along() {
    let fixture = Fixture::new("finish-deletion").await;
    let pinned = fixture.item(Key::user(&"ada".parse().unwrap())).await["pinnedImage"].take();
    let timestamp = pinned.as_str().unwrap().trim_start_matches("PHOTO#ada#");
    for number in 0..60 {
        fixture.put(reaction(&format!("u{number}"), "heart", "ada", timestamp)).await;
    }
    fixture.delete(Key::photo(&"ada".parse().unwrap(), &timestamp.parse().unwrap())).await;
    finish(&fixture, removed(photo("ada", timestamp))).await;
    assert_eq!(fixture.operations(), ["Query", "BatchWriteItem", "BatchWriteItem", "BatchWriteItem", "UpdateItem"]);
    let everything = fixture.all_items().await;
    assert!(everything.keys().all(|key| !key.contains(timestamp)), "{everything:?}");
    assert!(everything.values().all(|item| item["pinnedImage"] != pinned));

    finish(&fixture, removed(photo("ada", timestamp))).await;
    assert_eq!(fixture.all_items().await, everything);
}

#[tokio::test]
async fn the_sample_event_may_be_repeated() {
    let fixture = Fixture::new("finish-deletion").await;
    fixture.put(reaction("cara", "heart", "ada", "2024-06-09T13:49:13")).await;
    let before = fixture.all_items().await;
    let mut after = vec![];
    for _ in 0..2 {
        let handler = |table, record| finish_deletion(table, favorites(&fixture), record);
        let failures = fixture.deliver(handler, fixture.sample_event()).await;
        assert_eq!(failures, Vec::<String>::new());
        after.push(fixture.all_items().await);
    }
    assert_eq!(after[0].len(), before.len() - 1);
    assert_eq!(after[0], after[1]);
}

#[tokio::test]
async fn another_photos_reactions_and_pin_stay() {
    let fixture = Fixture::new("finish-deletion").await;
    fixture.put(reaction("cara", "heart", "ben", "2024-07-14T10:21:01")).await;
    let before = fixture.all_items().await;
    finish(&fixture, removed(photo("ben", "2024-07-14T10:21:02"))).await;
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn other_records_are_none_of_its_business() {
    let fixture = Fixture::new("finish-deletion").await;
    for record in [
        record(Change::Insert, Item::new(), photo("ada", "2024-05-30T15:42:38")),
        record(Change::Modify, user("ada"), user("ada")),
        record(Change::Remove, user("ada"), Item::new()),
        record(Change::Remove, deletion("ada"), Item::new()),
        record(Change::Remove, reaction("cara", "heart", "ada", "2024-05-30T15:42:38"), Item::new()),
    ] {
        finish(&fixture, record).await;
    }
    assert!(fixture.operations().is_empty());
}

#[tokio::test]
async fn unprocessed_deletes_are_sent_again() {
    let fixture = Fixture::new("finish-deletion").await;
    fixture.inject([Fault::None, Fault::Unprocessed]);
    finish(&fixture, removed(photo("ada", "2024-05-30T15:42:38"))).await;
    assert_eq!(fixture.operations(), ["Query", "BatchWriteItem", "BatchWriteItem", "UpdateItem"]);
    assert!(fixture.all_items().await.values().all(|item| !item[PK].as_str().unwrap().starts_with("REACTION#")));
}

#[tokio::test]
async fn two_who_follow_each_other_are_deleted_at_the_same_time() {
    let fixture = Fixture::new("finish-deletion").await;
    let ada = ada_takes_part(&fixture).await;
    let ben = deletion("ben");
    fixture.put(ben.clone()).await;
    for _ in 0..2 {
        finish(&fixture, marked(&ada)).await;
        finish(&fixture, record(Change::Modify, user("ben"), ben.clone())).await;
    }
    for photo in [photo("ada", "2024-05-30T15:42:38"), photo("ben", "2024-06-26T03:59:33")] {
        finish(&fixture, removed(photo)).await;
    }
    let everything = fixture.all_items().await;
    assert_eq!(everything.len(), 1, "cara is left: {everything:?}");
}

#[tokio::test]
async fn five_thousand_followers_take_five_thousand_and_thirty_eight_requests() {
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

    finish(&fixture, record(Change::Modify, user("zoe"), deletion.clone())).await;
    finish(&fixture, record(Change::Modify, deletion.clone(), deletion)).await;
    let asked = fixture.operations();
    let everything = fixture.all_items().await;
    assert!(everything.keys().all(|key| !key.contains("zoe")));
    assert!(everything.values().all(|item| item["PK"] == "USER#ben" || item["following"].as_u64().unwrap_or(0) == 0));
    let of = |operation: &str| asked.iter().filter(|asked| *asked == operation).count();
    assert_eq!((of("TransactWriteItems"), of("Query"), asked.len()), (5000, 34, 5038));
}
