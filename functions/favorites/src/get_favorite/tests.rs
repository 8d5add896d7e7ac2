use super::*;
use serde_json::json;
use shared::entities::{FAVORITE_PK, FAVORITE_SK};
use shared::values::DataType;
use testing::{Collection, Fixture, TestRequest, request, saved_photo};

fn get(username: &str, data_id: &str) -> TestRequest {
    request("GET", format!("/users/{username}/favorites/{data_id}")).by(username)
}

#[tokio::test]
async fn returns_all_fields_and_no_key() {
    let fixture = Fixture::new("get-favorite").await;
    let answer = fixture.call_with_sample_event(GetFavorite::start).await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.body,
        json!({
            "dataId": "sunset", "dataType": "image", "title": "Sunset over Lisbon", "creatorId": "ada",
            "thumbnailUrl": "https://photos.example.com/ada/sunset.thumbnail.webp",
            "contentUrl": "https://photos.example.com/ada/sunset", "clipTime": "2024-06-01T01:40:00.000Z",
            "tags": ["travel"],
        })
    );
}

#[tokio::test]
async fn returns_the_favorite_of_the_user_in_the_path() {
    let fixture = Fixture::new("get-favorite").await;
    let mut ben = Collection::new("ben");
    ben.clip("sunset", DataType::Link, "Ben's", 1_700_000_000_000, &[]);
    fixture.put_all(ben.into_items());
    let answer = fixture.call(GetFavorite::start, get("ben", "sunset")).await;
    assert_eq!((&answer.body["title"], &answer.body["dataType"]), (&json!("Ben's"), &json!("link")));
    let answer = fixture.call(GetFavorite::start, get("ada", "sunset")).await;
    assert_eq!(answer.body["title"], "Sunset over Lisbon");
}

#[tokio::test]
async fn returns_404_for_an_unknown_favorite() {
    let fixture = Fixture::new("get-favorite").await;
    for (username, data_id) in [("ada", "nothing"), ("ada", "heron"), ("ada", "old-map"), ("nobody", "sunset")] {
        let answer = fixture.call(GetFavorite::start, get(username, data_id)).await;
        assert_eq!(answer.status, 404, "{username} {data_id}");
        assert_eq!(answer.body["hint"], format!("There is no favorite {data_id}."));
    }
}

#[tokio::test]
async fn reads_a_favorite_that_another_program_wrote() {
    let fixture = Fixture::new("get-favorite").await;
    let mut cara = Collection::new("cara");
    cara.clip("7", DataType::Position, "Home", 1_600_000_000_000, &["x"]);
    let mut items = cara.into_foreign_items();
    for item in &mut items {
        item.retain(|name, _| [FAVORITE_PK, FAVORITE_SK, "dataType", "clipTime"].contains(&name.as_str()));
    }
    fixture.put_all(items);
    let answer = fixture.call(GetFavorite::start, get("cara", "7")).await;
    assert_eq!(
        answer.body,
        json!({"dataId": "7", "dataType": "position", "title": "", "clipTime": "2020-09-13T12:26:40.000Z", "tags": []})
    );
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("get-favorite").await;
    fixture.needs_a_caller(GetFavorite::start, get("ada", "sunset")).await;
    fixture.refuses_other_users(GetFavorite::start, get("ada", "sunset")).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("get-favorite").await;
    fixture
        .refuses_bad_usernames(GetFavorite::start, "username", |name| {
            request("GET", format!("/users/{name}/favorites/x"))
        })
        .await;
    fixture
        .refuses_bad_ids(GetFavorite::start, "dataId", |id| request("GET", format!("/users/ben/favorites/{id}")))
        .await;
    fixture.refuses_field(GetFavorite::start, get("ada", "types"), "dataId").await;
}

#[tokio::test]
async fn shows_the_photo_as_it_is_now_or_null() {
    let fixture = Fixture::new("get-favorite").await;
    for (id, is_there) in [("2024-05-30T15:42:38", true), ("2020-01-01T00:00:00", false)] {
        fixture.put(saved_photo("ben", "ada", id)).await;
        let answer = fixture.call(GetFavorite::start, get("ben", &format!("photo~ada~{id}"))).await;
        assert_eq!(fixture.operations(), ["GetItem", "BatchGetItem"]);
        let photo = answer.body.get("photo").unwrap();
        assert_eq!(photo.is_object(), is_there, "{}", answer.body);
        if is_there {
            assert!(photo["urls"][0]["url"].is_string());
            assert_eq!((&photo["username"], &photo["id"]), (&json!("ada"), &json!(id)));
        }
    }
}
