use super::*;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use serde_json::Value;
use shared::dynamodb::Item;
use shared::entities::{Key, PK, REQUESTS_SENT, SK};
use shared::erasure::key_of;
use shared::values::Level;
use std::collections::BTreeMap;
use std::time::Duration;
use testing::{
    FAVORITE, FEED, Fault, Fixture, approving_user, block, deletion, engagement, follow_request, friendship, in_shard,
    photo, photo_deletion, reaction, record, user,
};
use tokio::time::Instant;

mod alerts;
mod comments;
mod costs;
mod favorites;
mod feeds;
mod lag;
mod links;
mod numbered;
mod photos;
mod pictures;
mod reports;
mod rest;
mod screens;
mod stalled;
mod uncounted;

const ADAS_PHOTO: &str = "2024-05-30T15:42:38";

/// Returns the record of a `PhotoDeletion` that replaces its photo.
fn photo_record(deletion: Item) -> Record {
    let (owner, id) = (deletion["erasing"].as_s().unwrap(), deletion["timestamp"].as_s().unwrap());
    record(photo(owner, id), deletion)
}

/// Returns the record of the `Deletion` that replaces ada.
fn deletion_record(deletion: &Item) -> Record {
    record(user("ada"), deletion.clone())
}

fn favorites_table(fixture: &Fixture) -> Table {
    Table { client: fixture.table.client.clone(), name: fixture.unrecorded_table(FAVORITE).name }
}

async fn try_to_handle(fixture: &Fixture, record: Record) -> Result<(), Error> {
    fixture.handler(FinishDeletion::start).handle(record).await
}

async fn handle(fixture: &Fixture, record: Record) {
    try_to_handle(fixture, record).await.expect("the handler succeeds");
}

/// Asserts that the record fails with a transient error, so that Lambda sends it again.
async fn handle_in_vain(fixture: &Fixture, record: Record) {
    let outcome = try_to_handle(fixture, record).await;
    assert!(matches!(outcome, Err(Error::Busy(_))), "{outcome:?}");
}

fn count(number: u32) -> AttributeValue {
    N(number.to_string())
}

/// Puts a user to delete: ada follows ben, has reacted to his photo and to her own, and others have
/// reacted to her photos. Every count includes her. Returns the `Deletion` that replaces her.
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
    let mut photo_of_ada = photo("ada", ADAS_PHOTO);
    photo_of_ada.insert("reactions".into(), AttributeValue::M([("heart".into(), count(2))].into()));
    fixture.put(photo_of_ada).await;
    fixture.put(reaction("ada", "heart", "ada", ADAS_PHOTO)).await;
    let mut deletion = deletion("ada");
    deletion.insert("following".into(), count(1));
    fixture.put(deletion.clone()).await;
    deletion
}

/// Returns the keys of the items that name a user, besides the `Deletion` and the timer of the
/// rest.
fn left_of<'a>(everything: &'a BTreeMap<String, Value>, username: &str) -> Vec<&'a String> {
    let rests = [format!("USER#{username} #METADATA#{username}"), format!("REST#{username} #REST#{username}")];
    everything.keys().filter(|key| key.contains(&format!("#{username}")) && !rests.contains(key)).collect()
}

/// Returns the keys of the items that name a photo of ada, besides its trace.
fn left_of_photo<'a>(everything: &'a BTreeMap<String, Value>, id: &str) -> Vec<&'a String> {
    let is_left = |(key, item): &(&String, &Value)| key.contains(id) && item.get("ttl").is_none();
    let trace = &everything[&format!("USER#ada PHOTO#ada#{id}")];
    assert_eq!((&trace["erasing"], &trace["username"]), (&Value::from("ada"), &Value::Null));
    everything.iter().filter(is_left).map(|(key, _)| key).collect()
}

#[tokio::test]
async fn deletes_every_item_of_the_user_and_corrects_every_count() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = seed_ada(&fixture).await;
    handle(&fixture, deletion_record(&deletion)).await;
    let everything = fixture.all_items().await;
    assert_eq!(left_of(&everything, "ada"), Vec::<&String>::new());
    let ben = fixture.item(Key::user(&"ben".parse().unwrap())).await;
    assert_eq!((&ben["followers"], &ben["following"]), (&Value::from(0), &Value::from(0)));
    let photo_of_ben = fixture.item(Key::photo(&"ben".parse().unwrap(), &"2024-06-26T03:59:33".parse().unwrap())).await;
    assert_eq!(photo_of_ben["reactions"]["smiley"], 1, "the reaction of cara is left");
    let left: Vec<_> = everything.values().map(|item| format!("{} {}", item[PK], item[SK])).collect();
    assert_eq!(left.len(), 7, "ben, cara, two photos, a reaction, and the Deletion with its timer: {left:?}");
}

#[tokio::test]
async fn resumes_after_an_interruption_at_any_request() {
    // Each round loses the connection four requests later than the round before.
    for requests in (0..150).step_by(4) {
        let fixture = Fixture::with_s3("finish-deletion").await;
        let deletion = seed_ada(&fixture).await;
        let faults = std::iter::repeat_n(Fault::None, requests).chain([Fault::ConnectionLost; 200]);
        fixture.inject(faults);
        let result = try_to_handle(&fixture, deletion_record(&deletion)).await;
        fixture.clear_faults();
        handle(&fixture, deletion_record(&deletion)).await;
        assert_eq!(left_of(&fixture.all_items().await, "ada"), Vec::<&String>::new(), "after {requests} requests");
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
async fn a_record_of_an_earlier_deletion_changes_nothing() {
    let fixture = Fixture::with_s3("finish-deletion").await;
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

/// Zoe has asked ben and cara, dora has asked zoe, and follows her.
#[tokio::test]
async fn deletes_the_requests_of_the_user_and_those_of_others() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let mut deletion = deletion("zoe");
    deletion.insert(REQUESTS_SENT.into(), count(2));
    let mut dora = approving_user("dora", 3);
    dora.insert("following".into(), count(1));
    let requests = [("ben", "zoe"), ("cara", "zoe"), ("zoe", "dora"), ("ben", "dora")];
    let requests = requests.map(|(asked, asking)| follow_request(asked, asking));
    let ben = testing::with_count(user("ben"), "requestsReceived", 2);
    fixture.put_all([vec![deletion.clone(), dora, ben, friendship("zoe", "dora")], requests.to_vec()].concat());
    handle(&fixture, record(user("zoe"), deletion)).await;
    let everything = fixture.all_items().await;
    assert_eq!(left_of(&everything, "zoe"), Vec::<&String>::new());
    assert!(everything.contains_key("USER#ben #ASK#dora"));
    let dora = &everything["USER#dora #METADATA#dora"];
    assert_eq!((&dora[REQUESTS_SENT], &dora["following"]), (&Value::from(2), &Value::from(0)));
    assert_eq!(everything["USER#zoe #METADATA#zoe"][REQUESTS_SENT], 0);
    assert_eq!(everything["USER#ben #METADATA#ben"]["requestsReceived"], 1);
}

/// The record of a `PhotoDeletion` may come after that of the user, which would wait for it for
/// ever.
#[tokio::test]
async fn deletes_photos_in_deletion_without_waiting_for_their_records() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    fixture.put(photo_deletion("zoe", ADAS_PHOTO, 1)).await;
    fixture.put(reaction("cara", "heart", "zoe", ADAS_PHOTO)).await;
    let deletion = deletion("zoe");
    fixture.put(deletion.clone()).await;
    handle(&fixture, record(user("zoe"), deletion)).await;
    assert_eq!(left_of(&fixture.all_items().await, "zoe"), Vec::<&String>::new());
}

/// A photo whose reactions did not all fit into its partition of the index.
#[tokio::test]
async fn deletes_the_reactions_in_shards() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let names: Vec<String> = (10..30).map(|number| format!("fan{number}")).collect();
    for name in &names {
        fixture.put(user(name)).await;
    }
    let others = fixture.all_items().await;
    for is_of_user in [false, true] {
        for name in &names {
            fixture.put(in_shard(reaction(name, "heart", "zoe", ADAS_PHOTO))).await;
            fixture.put_in(FEED, engagement(name, "zoe", ADAS_PHOTO, &["heart"])).await;
        }
        fixture.put(reaction("ben", "heart", "zoe", ADAS_PHOTO)).await;
        let mut photo = photo_deletion("zoe", ADAS_PHOTO, 0);
        photo.insert("reactions".into(), AttributeValue::M([("heart".into(), count(21))].into()));
        fixture.put(photo.clone()).await;
        if is_of_user {
            let deletion = deletion("zoe");
            fixture.put(deletion.clone()).await;
            handle(&fixture, record(user("zoe"), deletion)).await;
            assert_eq!(left_of(&fixture.all_items().await, "zoe"), Vec::<&String>::new());
        } else {
            handle(&fixture, photo_record(photo)).await;
            let mut left = fixture.all_items().await;
            assert!(left.remove(&format!("USER#zoe PHOTO#zoe#{ADAS_PHOTO}")).is_some(), "the trace");
            assert_eq!(left, others);
        }
        assert!(fixture.all_items_of(FEED).await.keys().all(|key| !key.contains("fan")));
    }
}

#[tokio::test]
async fn starts_the_next_pass_when_a_photo_is_deleted_concurrently_or_no_time_is_left() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    fixture.put(photo("zoe", ADAS_PHOTO)).await;
    let deletion = deletion("zoe");
    fixture.put(deletion.clone()).await;
    let of_zoe = record(user("zoe"), deletion);
    // delete-photo replaces the photo after the Query has found it.
    fixture.write_concurrently(3, vec![photo_deletion("zoe", ADAS_PHOTO, 0)], vec![]);
    handle(&fixture, of_zoe.clone()).await;
    assert_eq!(fixture.item(Key::user(&"zoe".parse().unwrap())).await["passes"], 1);

    let late = Record { deadline: Instant::now() + Duration::from_secs(59), ..of_zoe.clone() };
    let _ = fixture.operations();
    handle(&fixture, late).await;
    assert_eq!(fixture.operations(), ["GetItem", "GetItem", "UpdateItem"]);
    assert_eq!(fixture.item(Key::user(&"zoe".parse().unwrap())).await["passes"], 2);

    handle(&fixture, of_zoe).await;
    assert_eq!(left_of(&fixture.all_items().await, "zoe"), Vec::<&String>::new());
}

#[tokio::test]
async fn a_reaction_of_a_deleted_user_to_a_photo_in_deletion_is_counted_once() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    fixture.put(photo_deletion("ada", ADAS_PHOTO, 2)).await;
    fixture.put(reaction("zoe", "heart", "ada", ADAS_PHOTO)).await;
    let deletion = deletion("zoe");
    fixture.put(deletion.clone()).await;
    handle(&fixture, record(user("zoe"), deletion)).await;
    let photo = fixture.item(Key::photo(&"ada".parse().unwrap(), &ADAS_PHOTO.parse().unwrap())).await;
    assert_eq!(photo["reactions"]["heart"], 1, "the reaction of cara is left");
}

/// Other programs may have written a reaction without a photo's sort key, a photo without
/// attributes, or a friendship of a user with themself.
#[tokio::test]
async fn deletes_items_of_other_programs() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let mut odd = reaction("zoe", "heart", "ada", ADAS_PHOTO);
    odd.extend([("photo".to_owned(), S("elsewhere".into())), (SK.to_owned(), S("elsewhere".into()))]);
    fixture.put(odd).await;
    fixture.put(friendship("zoe", "zoe")).await;
    fixture.put(key_of(photo("zoe", ADAS_PHOTO))).await;
    let mut unnamed = photo("zoe", ADAS_PHOTO);
    unnamed.insert(SK.to_owned(), S("PHOTO#zoe#unnamed".into()));
    fixture.put(unnamed).await;
    let mut deletion = deletion("zoe");
    deletion.insert("following".into(), count(1));
    fixture.put(deletion.clone()).await;
    handle(&fixture, record(user("zoe"), deletion)).await;
    assert_eq!(left_of(&fixture.all_items().await, "zoe"), Vec::<&String>::new());
}

/// The index still shows the friendship after it is deleted as one of a follower. A transaction
/// that names the `Deletion` twice would be rejected.
#[tokio::test]
async fn deletes_an_old_friendship_of_a_user_with_themself() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let mut deletion = deletion("zoe");
    deletion.insert("following".into(), count(1));
    fixture.put(deletion.clone()).await;
    // GetItem, and the Queries of photos and followers.
    fixture.write_concurrently(3, vec![friendship("zoe", "zoe")], vec![]);
    handle(&fixture, record(user("zoe"), deletion)).await;
    assert_eq!(left_of(&fixture.all_items().await, "zoe"), Vec::<&String>::new());
}

#[tokio::test]
async fn repeating_the_sample_event_changes_nothing() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let event = fixture.sample_event();
    let change = &event["Records"][0]["dynamodb"]["NewImage"];
    let text = |name: &str| (name.to_owned(), S(change[name]["S"].as_str().unwrap().to_owned()));
    let new_image: Item = [PK, SK, "erasing", "timestamp", "since"].map(text).into();
    fixture.put(new_image).await;
    fixture.put(reaction("cara", "heart", "ada", "2024-06-09T13:49:13")).await;
    let before = fixture.all_items().await;
    let mut after = vec![];
    for _ in 0..2 {
        let failures = fixture.deliver(FinishDeletion::start, event.clone()).await;
        assert_eq!(failures, Vec::<String>::new());
        after.push(fixture.all_items().await);
    }
    assert_eq!(after[0].len(), before.len() - 1, "the trace stays");
    assert_eq!(after[0], after[1]);
}

#[tokio::test]
async fn ignores_other_records() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let mut counted = deletion("ada");
    counted.insert("following".into(), count(1));
    for record in [
        record(Item::new(), photo("ada", ADAS_PHOTO)),
        record(user("ada"), user("ada")),
        record(user("ada"), Item::new()),
        record(photo("ada", ADAS_PHOTO), Item::new()),
        record(deletion("ada"), Item::new()),
        record(reaction("cara", "heart", "ada", ADAS_PHOTO), Item::new()),
        // The trace of an expired photo.
        record(Item::new(), photo_deletion("ada", ADAS_PHOTO, 0)),
        // Counts of deletions.
        record(counted, deletion("ada")),
        record(photo_deletion("ada", ADAS_PHOTO, 2), photo_deletion("ada", ADAS_PHOTO, 1)),
    ] {
        handle(&fixture, record).await;
    }
    assert!(fixture.operations().is_empty());
}

#[tokio::test]
async fn deletes_two_users_who_follow_each_other() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let ada = seed_ada(&fixture).await;
    let mut ben = deletion("ben");
    ben.insert("following".into(), count(1));
    fixture.put(ben.clone()).await;
    let ben = record(user("ben"), ben);
    handle(&fixture, deletion_record(&ada)).await;
    handle(&fixture, ben).await;
    let everything = fixture.all_items().await;
    assert_eq!(everything.len(), 5, "only cara is left, and two Deletions with their timers: {everything:?}");
}

#[tokio::test]
async fn deletes_the_blocks_of_the_user_and_those_of_others() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let counted = |name, count, number| testing::with_count(user(name), count, number);
    let deletion = testing::with_count(deletion("ada"), "blockedBy", 1);
    fixture.put_all(vec![
        deletion.clone(),
        counted("ben", "blockedBy", 2),
        testing::with_count(counted("cara", "blocks", 2), "mutes", 1),
        counted("dora", "mutes", 2),
        block("ada", "ben", Level::Block),
        block("ada", "dora", Level::Mute),
        block("cara", "ada", Level::Block),
        block("cara", "ben", Level::Block),
        block("cara", "dora", Level::Mute),
        block("dora", "ada", Level::Mute),
        block("dora", "ben", Level::Mute),
    ]);
    handle(&fixture, deletion_record(&deletion)).await;
    let items = fixture.all_items().await;
    assert_eq!(left_of(&items, "ada"), Vec::<&String>::new());
    let left: Vec<&String> = items.keys().filter(|key| key.contains("#BLOCK#")).collect();
    assert_eq!(left, ["USER#cara #BLOCK#ben", "USER#cara #BLOCK#dora", "USER#dora #BLOCK#ben"]);
    for (name, count, expected) in [
        ("ben", "blockedBy", 1),
        ("cara", "blocks", 1),
        ("cara", "mutes", 1),
        ("dora", "mutes", 1),
        ("ada", "blockedBy", 0),
    ] {
        assert_eq!(items[&format!("USER#{name} #METADATA#{name}")][count], expected, "{count} of {name}");
    }
}
