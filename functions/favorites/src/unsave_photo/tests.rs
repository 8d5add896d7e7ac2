use super::*;
use serde_json::{Value, json};
use shared::entities::{Engagement, Key};
use shared::values::{DataType, ReactionType};
use testing::{Collection, FEED, Fault, Fixture, TestRequest, request, saved_photo};

/// Two photos of ada.
const PIER: &str = "2024-05-30T15:42:38";
const PORTRAIT: &str = "2024-06-09T13:49:13";

fn unsave(username: &str, photo: &str) -> TestRequest {
    request("DELETE", format!("/users/{username}/saved/ada/{photo}")).by(username)
}

/// Returns a fixture in which ben and cara have saved both photos and reacted to them.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("unsave-photo").await;
    let engagement = Engagement { reactions: [ReactionType::Heart].into(), saved: true };
    for (username, photo) in [("ben", PIER), ("ben", PORTRAIT), ("cara", PIER), ("cara", PORTRAIT)] {
        fixture.put(saved_photo(username, "ada", photo)).await;
        let (user, ada) = (username.parse().unwrap(), "ada".parse().unwrap());
        fixture.put_in(FEED, engagement.item(&user, &ada, &photo.parse().unwrap())).await;
    }
    fixture
}

/// Returns the saved photos by the engagements.
async fn saved(fixture: &Fixture) -> Vec<String> {
    let feeds = fixture.all_items_of(FEED).await.into_iter();
    feeds.filter(|(_, item)| item["saved"] == true).map(|(key, _)| key).collect()
}

#[tokio::test]
async fn deletes_the_favorite_and_writes_the_history() {
    let fixture = fixture().await;
    let mut expected = fixture.all_items().await;
    assert_eq!(fixture.call_with_sample_event(UnsavePhoto::start).await.status, 204);
    assert_eq!(
        fixture.operations(),
        ["GetItem", "Query", "TransactWriteItems", "GetItem", "Query", "TransactWriteItems"]
    );

    let id = format!("photo~ada~{PIER}");
    assert!(expected.remove(&format!("FavoriteData#cara {id}")).is_some());
    let history = fixture.item(Key::history(&"cara".parse().unwrap(), &id.parse().unwrap())).await;
    assert_eq!((&history["dataType"], &history["title"]), (&json!("PHOTO"), &json!("ada")));
    expected.insert(format!("FavoriteDataHistory#cara {id}"), history);
    assert_eq!(fixture.all_items().await, expected);
    let engagement = |username: &str, photo: &str| format!("Engagement#{username} ada#{photo}");
    let left = [engagement("ben", PIER), engagement("ben", PORTRAIT), engagement("cara", PORTRAIT)];
    assert_eq!(saved(&fixture).await, left);
    let feeds = fixture.all_items_of(FEED).await;
    assert_eq!(feeds[&engagement("cara", PIER)]["reactions"], json!(["heart"]));
}

#[tokio::test]
async fn refuses_to_delete_more_tags_than_fit_into_one_transaction() {
    let fixture = Fixture::new("unsave-photo").await;
    let tags: Vec<String> = (0..96).map(|tag| format!("t{tag:02}")).collect();
    let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    let mut ben = Collection::new("ben");
    ben.clip(&format!("photo~ada~{PIER}"), DataType::Photo, "ada", 1_700_000_000_000, &tags);
    fixture.put_all(ben.into_items());
    let before = fixture.all_items().await;
    let answer = fixture.call(UnsavePhoto::start, unsave("ben", PIER)).await;
    assert_eq!((answer.status, answer.problem()), (409, "too-many-tags-to-delete"));
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_repeated_request_changes_nothing() {
    let fixture = fixture().await;
    for (username, photo) in [("ben", PIER), ("cara", PORTRAIT), ("ada", PIER), ("ben", "2020-01-01T00:00:00")] {
        assert_eq!(fixture.call(UnsavePhoto::start, unsave(username, photo)).await.status, 204);
        let before = (fixture.all_items().await, fixture.all_items_of(FEED).await);
        assert_eq!(fixture.call(UnsavePhoto::start, unsave(username, photo)).await.status, 204);
        assert_eq!((fixture.all_items().await, fixture.all_items_of(FEED).await), before);
    }
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_decrements_the_count_once() {
    let fixture = fixture().await;
    fixture.inject([Fault::None, Fault::None, Fault::AnswerLost]);
    let count = Key::favorite_count(&"ben".parse().unwrap());
    let before = fixture.item(count.clone()).await["favorites"].as_u64().unwrap();
    assert_eq!(fixture.call(UnsavePhoto::start, unsave("ben", PIER)).await.status, 204);
    assert_eq!(fixture.operations(), ["GetItem", "Query", "TransactWriteItems", "TransactWriteItems"]);
    assert_eq!(fixture.item(count).await["favorites"], before - 1);
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = fixture().await;
    fixture.needs_a_caller(UnsavePhoto::start, unsave("ben", PIER)).await;
    fixture.refuses_other_users(UnsavePhoto::start, unsave("ben", PIER)).await;
    fixture.refuses_other_accounts(UnsavePhoto::start).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("unsave-photo").await;
    let before: Value = json!(fixture.all_items().await);
    fixture
        .refuses_bad_usernames(UnsavePhoto::start, "username", |name| {
            request("DELETE", format!("/users/{name}/saved/ada/{PIER}"))
        })
        .await;
    fixture
        .refuses_bad_usernames(UnsavePhoto::start, "author", |name| {
            request("DELETE", format!("/users/ada/saved/{name}/{PIER}"))
        })
        .await;
    fixture.refuses_field(UnsavePhoto::start, unsave("ben", "yesterday"), "photo").await;
    assert_eq!(json!(fixture.all_items().await), before);
}
