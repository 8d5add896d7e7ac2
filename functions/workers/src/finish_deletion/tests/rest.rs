//! The rest of the name of a deleted user.

use super::*;
use shared::entities::Key;
use shared::values::{Timestamp, Username};
use testing::Object;

fn zoe() -> Username {
    "zoe".parse().unwrap()
}

/// Puts a favorite of zoe, as a request that came too late may leave it.
async fn put_favorite(fixture: &Fixture) -> Item {
    let favorites = fixture.unrecorded_table(FAVORITE);
    let favorite = Item::from(Key::favorite(&zoe(), &"late".parse().unwrap()));
    let put = favorites.client.put_item().table_name(&favorites.name).set_item(Some(favorite.clone()));
    put.send().await.unwrap();
    favorite
}

async fn has_favorite(fixture: &Fixture) -> bool {
    fixture.all_items_of(FAVORITE).await.keys().any(|key| key.contains("#zoe"))
}

/// Puts the `Deletion` of zoe, and handles its record. Returns it.
async fn delete_zoe(fixture: &Fixture) -> Item {
    let deletion = deletion("zoe");
    fixture.put(deletion.clone()).await;
    handle(fixture, record(Item::new(), deletion.clone())).await;
    deletion
}

/// Handles the record of the timer that DynamoDB deletes, and returns that of the `Deletion` which
/// this changes.
async fn end_rest(fixture: &Fixture, deletion: &Item) -> Record {
    let timer = stored(fixture, Key::rest(&zoe())).await;
    fixture.delete(Key::rest(&zoe())).await;
    handle(fixture, record(timer, Item::new())).await;
    record(deletion.clone(), stored(fixture, Key::user(&zoe())).await)
}

async fn stored(fixture: &Fixture, key: Key) -> Item {
    let get = fixture.unrecorded_table(testing::QUICK_PHOTOS);
    let get = get.client.get_item().table_name(get.name).set_key(Some(key.into()));
    get.send().await.unwrap().item.unwrap_or_default()
}

#[tokio::test]
async fn a_pass_keeps_the_name_and_puts_a_timer() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    put_favorite(&fixture).await;
    let deletion = delete_zoe(&fixture).await;
    assert!(!has_favorite(&fixture).await);
    assert_eq!(stored(&fixture, Key::user(&zoe())).await, deletion);
    let timer = fixture.item(Key::rest(&zoe())).await;
    let until: Timestamp = deletion["until"].as_s().unwrap().parse().unwrap();
    assert_eq!((&timer["resting"], &timer["ttl"]), (&Value::from("zoe"), &Value::from(until.seconds())));
}

#[tokio::test]
async fn the_last_sweep_deletes_what_came_late_and_lets_the_name_go() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = delete_zoe(&fixture).await;
    put_favorite(&fixture).await;
    fixture.put(photo("zoe", ADAS_PHOTO)).await;
    // No photo tells of these files.
    for key in [
        "incoming/zoe/2026-01-01T00:00:00.000Z",
        "imported/zoe/2026-01-01T00:00:00.000Z",
        "imports/zoe/1.zip",
        "photos/zoe/2026-01-01T00:00:00.000Z/0/large.jpg",
    ] {
        fixture.put_object(key, Object::default()).await;
    }
    fixture.put_object("photos/zoey/2026-01-01T00:00:00.000Z/0/large.jpg", Object::default()).await;

    let sweep = end_rest(&fixture, &deletion).await;
    assert!(has_favorite(&fixture).await, "the record of the changed Deletion starts the sweep");
    let now = Timestamp::now().seconds();
    handle(&fixture, sweep).await;
    assert!(!has_favorite(&fixture).await);
    assert_eq!(left_of(&fixture.all_items().await, "zoe"), Vec::<&String>::new());
    let objects: Vec<String> = fixture.objects().await.into_keys().collect();
    assert_eq!(objects, ["photos/zoey/2026-01-01T00:00:00.000Z/0/large.jpg"]);
    let swept = fixture.item(Key::user(&zoe())).await;
    let hours = (swept["ttl"].as_u64().unwrap() - now) / 3600;
    assert_eq!(hours, 1, "the name rests for a day, and for another hour after the sweep: {swept}");
    assert_eq!(fixture.item(Key::rest(&zoe())).await, Value::Null);
}

/// Once the `Deletion` has a `ttl`, DynamoDB may free the name at any moment. A record that is
/// delivered again deletes nothing then, and what a new account has written stays.
#[tokio::test]
async fn no_record_deletes_anything_after_the_last_sweep() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = delete_zoe(&fixture).await;
    let timer = stored(&fixture, Key::rest(&zoe())).await;
    let sweep = end_rest(&fixture, &deletion).await;
    handle(&fixture, sweep.clone()).await;
    put_favorite(&fixture).await;
    let records = [
        record(Item::new(), deletion.clone()),
        record(timer, Item::new()),
        sweep.clone(),
        record(deletion, stored(&fixture, Key::user(&zoe())).await),
    ];
    for record in records.clone() {
        handle(&fixture, record).await;
        assert!(has_favorite(&fixture).await);
    }
    fixture.put(user("zoe")).await;
    let before = fixture.all_items().await;
    for record in records {
        handle(&fixture, record).await;
        assert!(has_favorite(&fixture).await);
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn the_last_sweep_waits_for_the_index_too() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = delete_zoe(&fixture).await;
    let mut sweep = end_rest(&fixture, &deletion).await;
    sweep.new_image.insert("following".into(), count(1));
    fixture.put(sweep.new_image.clone()).await;
    handle_in_vain(&fixture, sweep.clone()).await;
    assert_eq!(fixture.item(Key::user(&zoe())).await["ttl"], Value::Null);

    fixture.put(friendship("ben", "zoe")).await;
    handle(&fixture, sweep).await;
    assert!(fixture.item(Key::user(&zoe())).await["ttl"].is_u64());
}
