mod concurrent;

use super::*;
use aws_sdk_dynamodb::types::AttributeValue::N;
use serde_json::{Value, json};
use shared::dynamodb::Item;
use shared::entities::{Engagement, FAVORITE_PK, restored_item};
use shared::values::DataType;
use shared::values::ReactionType;
use testing::{Collection, FEED, Fault, Fixture, TestRequest, request};

fn delete(username: &str, data_id: &str) -> TestRequest {
    request("DELETE", format!("/users/{username}/favorites/{data_id}")).by(username)
}

fn key(data_id: &str) -> Key {
    Key::favorite(&"ada".parse().unwrap(), &data_id.parse().unwrap())
}

async fn history(fixture: &Fixture, data_id: &str) -> Value {
    fixture.item(Key::history(&"ada".parse().unwrap(), &data_id.parse().unwrap())).await
}

/// Returns the items of ada's favorite `x` with these tags: the entries of the tags, then the
/// favorite.
fn items_of_favorite_x(tags: &[&str]) -> Vec<Item> {
    let mut ada = Collection::new("ada");
    ada.clip("x", DataType::Link, "X", 1_700_000_000_000, tags);
    let is_of_x =
        |item: &Item| !["FavoriteDataTerm#", "FavoriteCount#"].iter().any(|other| pk(item).starts_with(other));
    ada.into_items().into_iter().filter(is_of_x).collect()
}

fn pk(item: &Item) -> &str {
    item[FAVORITE_PK].as_s().unwrap()
}

/// Asserts that the only remaining item of `x` is its history, with these tags.
async fn assert_only_history_is_left(fixture: &Fixture, tags: &[&str]) {
    let left = fixture.all_items().await;
    let left: Vec<&String> = left.keys().filter(|key| key.ends_with(" x") || key.contains("#x ")).collect();
    assert_eq!(left, ["FavoriteDataHistory#ada x"]);
    assert_eq!(history(fixture, "x").await["tagIds"], json!(tags));
}

#[tokio::test]
async fn deletes_the_favorite_and_its_tag_entries_and_writes_the_history() {
    let fixture = Fixture::new("unclip-favorite").await;
    let mut expected = fixture.all_items().await;
    let begin = EpochMillis::now().seconds();
    let answer = fixture.call_with_sample_event(UnclipFavorite::start).await;
    let end = EpochMillis::now().seconds();
    assert_eq!((answer.status, answer.body), (204, json!(null)));

    let ttl = history(&fixture, "viewpoint").await["ttl"].clone();
    assert!((begin + 2_592_000..=end + 2_592_000).contains(&ttl.as_u64().unwrap()), "30 days from now: {ttl}");
    for deleted in
        ["FavoriteData#ada viewpoint", "FavoriteDataTag#ada#viewpoint travel", "FavoriteDataTag#ada#viewpoint family"]
    {
        assert!(expected.remove(deleted).is_some(), "{deleted}");
    }
    let item = json!({
        "pk": "FavoriteDataHistory#ada", "sk": "viewpoint", "lsiOneSk": "1717254000000#viewpoint",
        "gsiOnePk": "FavoriteDataHistory#ada#position", "gsiOneSk": "1717254000000#viewpoint",
        "dataType": "POSITION", "title": "Miradouro da Graça", "creatorId": "ada",
        "thumbnailUrl": "https://photos.example.com/ada/viewpoint.thumbnail.webp",
        "contentUrl": "https://photos.example.com/ada/viewpoint", "clipTime": "1717254000000",
        "tagIds": ["family", "travel"], "ttl": ttl,
    });
    expected.insert("FavoriteDataHistory#ada viewpoint".to_owned(), item);
    expected.get_mut("FavoriteCount#ada FavoriteCount").unwrap()["favorites"] = json!(8);
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn does_not_change_items_of_other_users() {
    let fixture = Fixture::new("unclip-favorite").await;
    let mut same = Collection::new("ben");
    same.clip("viewpoint", DataType::Position, "Ben's", 1_700_000_000_000, &["travel", "birds"]);
    fixture.put_all(same.into_items());
    let of_ben = |key: &String, _: &mut Value| key.contains("#ben");
    let mut expected = fixture.all_items().await;
    expected.retain(of_ben);
    assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", "viewpoint")).await.status, 204);
    assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", "heron")).await.status, 204);
    let mut left = fixture.all_items().await;
    left.retain(of_ben);
    assert_eq!(left, expected);
}

#[tokio::test]
async fn a_repeated_request_changes_nothing() {
    let fixture = Fixture::new("unclip-favorite").await;
    for data_id in ["dinner", "fado"] {
        assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", data_id)).await.status, 204);
        let before = fixture.all_items().await;
        let _ = fixture.operations();
        assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", data_id)).await.status, 204);
        assert!(!fixture.operations().contains(&"TransactWriteItems".to_owned()));
        assert_eq!(fixture.all_items().await, before);
    }
}

#[tokio::test]
async fn returns_204_for_an_unknown_favorite() {
    let fixture = Fixture::new("unclip-favorite").await;
    let before = fixture.all_items().await;
    for (username, data_id) in [("ada", "nothing"), ("ada", "heron"), ("ada", "old-map"), ("nobody", "dinner")] {
        assert_eq!(
            fixture.call(UnclipFavorite::start, delete(username, data_id)).await.status,
            204,
            "{username} {data_id}"
        );
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn replaces_an_older_history() {
    let fixture = Fixture::new("unclip-favorite").await;
    let mut ada = Collection::new("ada");
    ada.clip("old-map", DataType::File, "New map", 1_800_000_000_000, &[]);
    fixture.put_all(ada.into_items());
    assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", "old-map")).await.status, 204);
    let history = history(&fixture, "old-map").await;
    assert_eq!((&history["title"], &history["tagIds"]), (&json!("New map"), &json!(null)));
    assert_eq!(history["gsiOnePk"], "FavoriteDataHistory#ada#file");
}

#[tokio::test]
async fn deletes_tag_entries_that_another_program_did_not_count() {
    let fixture = Fixture::new("unclip-favorite").await;
    for counted in ["0", "1", "3"] {
        let mut items = items_of_favorite_x(&["a", "b"]);
        items.last_mut().unwrap().insert("tagCount".to_owned(), N(counted.to_owned()));
        fixture.put_all(items);
        assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", "x")).await.status, 204);
        assert_eq!(fixture.operations(), ["GetItem", "Query", "Query", "TransactWriteItems"]);
        assert_only_history_is_left(&fixture, &["a", "b"]).await;
    }
}

#[tokio::test]
async fn the_history_keeps_the_attributes_of_another_program() {
    let fixture = Fixture::new("unclip-favorite").await;
    let mut cara = Collection::new("cara");
    cara.clip("7", DataType::Position, "Home", 1_600_000_000_000, &["x", "y"]);
    let mut items = cara.into_foreign_items();
    let favorite = items.last_mut().unwrap();
    favorite.insert("clipTime".to_owned(), N("1600000000000".to_owned()));
    favorite.insert("distance".to_owned(), N("12.5".to_owned()));
    favorite.remove("title");
    fixture.put_all(items);
    let mut expected = fixture.item(Key::favorite(&"cara".parse().unwrap(), &"7".parse().unwrap())).await;
    assert_eq!(fixture.call(UnclipFavorite::start, delete("cara", "7")).await.status, 204);

    let of_cara: Vec<Value> =
        fixture.all_items().await.into_iter().filter(|(key, _)| key.contains("#cara")).map(|(_, item)| item).collect();
    expected["pk"] = json!("FavoriteDataHistory#cara");
    expected["gsiOnePk"] = json!("FavoriteDataHistory#cara#position");
    expected["tagIds"] = json!(["x", "y"]);
    expected["ttl"] = of_cara[0]["ttl"].clone();
    assert!(expected["ttl"].is_u64() && expected["clipTime"].is_u64());
    assert_eq!(of_cara, [expected]);
}

#[tokio::test]
async fn deletes_as_many_tags_as_fit_into_one_transaction() {
    let fixture = Fixture::new("unclip-favorite").await;
    let tags: Vec<String> = (0..96).map(|tag| format!("t{tag:02}")).collect();
    let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    fixture.put_all(items_of_favorite_x(&tags));
    let before = fixture.all_items().await;
    let answer = fixture.call(UnclipFavorite::start, delete("ada", "x")).await;
    assert_eq!((answer.status, answer.problem()), (409, "too-many-tags-to-delete"));
    assert_eq!(
        answer.body["detail"],
        "This favorite has 96 tags. It can be deleted with at most 95 tags: remove some of them first."
    );
    assert_eq!(fixture.all_items().await, before);

    let last = Key::favorite_tag(&"ada".parse().unwrap(), &"x".parse().unwrap(), &"t95".parse().unwrap());
    fixture.delete(last).await;
    assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", "x")).await.status, 204);
    assert_only_history_is_left(&fixture, &tags[..95]).await;
}

#[tokio::test]
async fn reads_all_pages_of_the_tag_entries() {
    let fixture = Fixture::new("unclip-favorite").await;
    let tags: Vec<String> = (0..20).map(|tag| format!("t{tag:02}")).collect();
    let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    let mut items = items_of_favorite_x(&tags);
    let favorite = items.len() - 1;
    for item in &mut items[..favorite] {
        item.insert("note".to_owned(), S("x".repeat(100_000)));
    }
    fixture.put_all(items);
    assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", "x")).await.status, 204);
    let operations = fixture.operations();
    assert!(
        operations.iter().filter(|operation| *operation == "Query").count() > 1,
        "two megabytes do not fit into one page: {operations:?}"
    );
    assert_only_history_is_left(&fixture, &tags).await;
}

#[tokio::test]
async fn decrements_no_count_that_is_missing_or_0() {
    for count in [None, Some(0)] {
        let fixture = Fixture::new("unclip-favorite").await;
        let mut item = Item::from(Key::favorite_count(&"ada".parse().unwrap()));
        fixture.delete(item.clone()).await;
        if let Some(count) = count {
            item.insert("favorites".to_owned(), N(count.to_string()));
            fixture.put(item).await;
        }
        assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", "dinner")).await.status, 204);
        let attempt = ["GetItem", "Query", "TransactWriteItems"];
        assert_eq!(fixture.operations(), [attempt, attempt].concat());
        assert_eq!(fixture.item(Key::favorite_count(&"ada".parse().unwrap())).await["favorites"], json!(count));
        assert!(fixture.item(key("dinner")).await.is_null());
    }
}

/// A count that appears after an attempt found none has to be decremented.
#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("unclip-favorite").await;
    fixture.needs_a_caller(UnclipFavorite::start, delete("ada", "sunset")).await;
    fixture.refuses_other_users(UnclipFavorite::start, delete("ada", "sunset")).await;
    fixture.refuses_other_accounts(UnclipFavorite::start).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("unclip-favorite").await;
    fixture
        .refuses_bad_usernames(UnclipFavorite::start, "username", |name| {
            request("DELETE", format!("/users/{name}/favorites/x"))
        })
        .await;
    fixture
        .refuses_bad_ids(UnclipFavorite::start, "dataId", |id| request("DELETE", format!("/users/ben/favorites/{id}")))
        .await;
}

#[tokio::test]
async fn a_photo_is_not_saved_any_more() {
    let fixture = Fixture::new("unclip-favorite").await;
    let id = "2024-05-30T15:42:38";
    let mut saved = items_of_favorite_x(&[]).remove(0);
    let data_id: DataId = format!("photo~ada~{id}").parse().unwrap();
    saved.extend(Item::from(Key::favorite(&"ada".parse().unwrap(), &data_id)));
    fixture.put(saved).await;
    let engagement = Engagement { reactions: [ReactionType::Heart].into(), saved: true };
    for caller in ["ada", "ben"] {
        let item = engagement.item(&caller.parse().unwrap(), &"ada".parse().unwrap(), &id.parse().unwrap());
        fixture.put_in(FEED, item).await;
    }
    for _ in 0..2 {
        assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", data_id.as_ref())).await.status, 204);
        let feeds = fixture.all_items_of(FEED).await;
        let of = |caller: &str| feeds[&format!("Engagement#{caller} ada#{id}")].clone();
        assert_eq!((&of("ada")["reactions"], of("ada").get("saved")), (&json!(["heart"]), None));
        assert_eq!(of("ben")["saved"], true);
    }
}
