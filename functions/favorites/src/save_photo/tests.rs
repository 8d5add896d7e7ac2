use super::*;
use serde_json::{Value, json};
use shared::dynamodb::Item;
use shared::entities::{MAX_FAVORITES, Picture};
use shared::values::{EpochMillis, Level};
use testing::{FEED, Fault, Fixture, QUICK_PHOTOS, TestRequest, photo_deletion, photo_with, request};

/// Two photos of ada.
const PIER: &str = "2024-05-30T15:42:38";
const PORTRAIT: &str = "2024-06-09T13:49:13";

fn save(username: &str, id: &str) -> TestRequest {
    request("PUT", format!("/users/{username}/saved/ada/{id}")).by(username)
}

/// Returns whether the engagement of a user says that the photo of ada is saved.
async fn is_saved(fixture: &Fixture, username: &str, id: &str) -> bool {
    let feeds = fixture.all_items_of(FEED).await;
    feeds.get(&format!("Engagement#{username} ada#{id}")).is_some_and(|item| item["saved"] == true)
}

/// Puts a count of favorites of ben.
async fn put_count(fixture: &Fixture, favorites: u64) {
    let mut count = Item::from(Key::favorite_count(&"ben".parse().unwrap()));
    count.insert("favorites".to_owned(), aws_sdk_dynamodb::types::AttributeValue::N(favorites.to_string()));
    fixture.put(count).await;
}

#[tokio::test]
async fn puts_the_favorite_and_returns_it_as_lists_show_it() {
    let fixture = Fixture::new("save-photo").await;
    let mut expected = fixture.all_items().await;
    let answer = fixture.call_with_sample_event(SavePhoto::start).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(fixture.operations(), ["TransactWriteItems", "BatchGetItem"]);
    let id = format!("photo~ada~{PIER}");
    assert_eq!(answer.headers["location"], format!("/users/ben/favorites/{id}").as_str());
    let mut body = answer.body;
    let photo = body["photo"].take();
    assert_eq!((&photo["username"], &photo["id"]), (&json!("ada"), &json!(PIER)));
    assert_eq!(photo["status"], "ready");
    let clip_time: EpochMillis = serde_json::from_value(body["clipTime"].clone()).unwrap();
    assert_eq!(
        body,
        json!({
            "dataId": id, "dataType": "photo", "title": "ada", "creatorId": "ada", "clipTime": clip_time, "tags": [],
            "photo": null,
        })
    );
    let item = json!({
        "pk": "FavoriteData#ben", "sk": id, "lsiOneSk": format!("{clip_time}#{id}"),
        "gsiOnePk": "FavoriteData#ben#photo", "gsiOneSk": format!("{clip_time}#{id}"), "dataType": "PHOTO",
        "title": "ada", "creatorId": "ada", "clipTime": clip_time.to_string(), "tagCount": 0,
    });
    assert!(expected.insert(format!("FavoriteData#ben {id}"), item).is_none());
    expected.get_mut("FavoriteCount#ben FavoriteCount").unwrap()["favorites"] = json!(6);
    assert_eq!(fixture.all_items().await, expected);
    assert!(is_saved(&fixture, "ben", PIER).await);
    assert!(!is_saved(&fixture, "ben", PORTRAIT).await && !is_saved(&fixture, "cara", PIER).await);
}

#[tokio::test]
async fn a_repeated_request_changes_nothing_and_returns_the_favorite() {
    let fixture = Fixture::new("save-photo").await;
    for (username, id) in [("ben", PIER), ("ben", PORTRAIT), ("ada", PIER)] {
        let first = fixture.call(SavePhoto::start, save(username, id)).await;
        let before = (fixture.all_items().await, fixture.all_items_of(FEED).await);
        let again = fixture.call(SavePhoto::start, save(username, id)).await;
        assert_eq!((first.status, again.status, &again.body), (201, 200, &first.body));
        assert_eq!((fixture.all_items().await, fixture.all_items_of(FEED).await), before);
    }
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_saves_once() {
    let fixture = Fixture::new("save-photo").await;
    fixture.inject([Fault::AnswerLost]);
    assert_eq!(fixture.call(SavePhoto::start, save("ben", PIER)).await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems", "TransactWriteItems", "BatchGetItem"]);
    assert_eq!(fixture.item(Key::favorite_count(&"ben".parse().unwrap())).await["favorites"], 6);
}

#[tokio::test]
async fn refuses_one_favorite_more_than_the_maximum() {
    let fixture = Fixture::new("save-photo").await;
    put_count(&fixture, MAX_FAVORITES - 1).await;
    assert_eq!(fixture.call(SavePhoto::start, save("ben", PIER)).await.status, 201);
    let before = fixture.all_items().await;
    let answer = fixture.call(SavePhoto::start, save("ben", PORTRAIT)).await;
    let detail = json!("You have reached the maximum of 100000 favorites. Delete a favorite first.");
    assert_eq!((answer.status, &answer.body["detail"]), (409, &detail));
    assert!(!is_saved(&fixture, "ben", PORTRAIT).await);
    assert_eq!(fixture.call(SavePhoto::start, save("ben", PIER)).await.status, 200, "a repetition");
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn returns_404_for_a_photo_that_is_not_ready() {
    let fixture = Fixture::new("save-photo").await;
    let (pending, deleted, unknown) = ("2026-01-01T00:00:00", "2026-01-02T00:00:00", "2020-01-01T00:00:00");
    for photo in [photo_with("ada", pending, Picture::Pending), photo_deletion("ada", deleted, 0)] {
        fixture.put_in(QUICK_PHOTOS, photo).await;
    }
    let before = (fixture.all_items().await, fixture.all_items_of(FEED).await);
    for id in [pending, deleted, unknown] {
        let answer = fixture.call(SavePhoto::start, save("ben", id)).await;
        let hint = json!(format!("There is no photo {id} of ada."));
        assert_eq!((answer.status, &answer.body["hint"]), (404, &hint));
    }
    assert_eq!((fixture.all_items().await, fixture.all_items_of(FEED).await), before);
}

#[tokio::test]
async fn only_those_who_may_see_a_photo_can_save_it() {
    let fixture = Fixture::new("save-photo").await;
    // Somebody else blocks cara.
    for blocked_by in [1, 0] {
        fixture.put_in(QUICK_PHOTOS, testing::with_count(testing::user("cara"), "blockedBy", blocked_by)).await;
        for audience in ["me", "followers"] {
            let photo = testing::photo("ada", PIER);
            fixture.put_in(QUICK_PHOTOS, testing::with(photo, "audience", audience)).await;
            assert_eq!(fixture.call(SavePhoto::start, save("cara", PIER)).await.status, 404, "{audience}");
        }
    }
    fixture.put_in(QUICK_PHOTOS, testing::friendship("ada", "cara")).await;
    let answer = fixture.call(SavePhoto::start, save("cara", PIER)).await;
    assert_eq!((answer.status, &answer.body["photo"]["id"]), (201, &json!(PIER)));

    let fixture = Fixture::new("save-photo").await;
    fixture.put_in(QUICK_PHOTOS, testing::with_count(testing::user("cara"), "blockedBy", 1)).await;
    fixture.put_in(QUICK_PHOTOS, testing::block("ada", "cara", Level::Block)).await;
    assert_eq!(fixture.call(SavePhoto::start, save("cara", PIER)).await.status, 404);
    fixture.put_in(QUICK_PHOTOS, testing::block("ada", "cara", Level::Mute)).await;
    assert_eq!(fixture.call(SavePhoto::start, save("cara", PIER)).await.status, 201);
}

#[tokio::test]
async fn a_saved_photo_that_the_caller_may_not_see_any_more_is_null() {
    let fixture = Fixture::new("save-photo").await;
    assert_eq!(fixture.call(SavePhoto::start, save("cara", PIER)).await.status, 201);
    let photo = testing::photo("ada", PIER);
    fixture.put_in(QUICK_PHOTOS, testing::with(photo, "audience", "me")).await;
    let again = fixture.call(SavePhoto::start, save("cara", PIER)).await;
    assert_eq!((again.status, &again.body["photo"]), (200, &Value::Null));
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("save-photo").await;
    fixture.needs_a_caller(SavePhoto::start, save("ada", PIER)).await;
    fixture.refuses_other_users(SavePhoto::start, save("ada", PIER)).await;
    fixture.refuses_other_accounts(SavePhoto::start).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("save-photo").await;
    fixture
        .refuses_bad_usernames(SavePhoto::start, "username", |name| {
            request("PUT", format!("/users/{name}/saved/ada/{PIER}"))
        })
        .await;
    fixture
        .refuses_bad_usernames(SavePhoto::start, "author", |name| {
            request("PUT", format!("/users/ada/saved/{name}/{PIER}"))
        })
        .await;
    for bad in ["yesterday", "2024-13-01T00:00:00"] {
        fixture.refuses_field(SavePhoto::start, save("ben", bad), "photo").await;
    }
}
