use super::*;
use serde_json::json;
use testing::{FEED, Fixture, engagement, photo, photo_deletion, request};

#[tokio::test]
async fn returns_the_newest_photos_first() {
    let fixture = Fixture::new("list-recent-photos").await;
    let answer = fixture.call_with_sample_event(ListRecentPhotos::start).await;
    assert_eq!(answer.status, 200);
    let ids: Vec<_> = answer.body["photos"].as_array().unwrap().iter().map(|p| &p["id"]).collect();
    assert_eq!(ids, ["2024-06-09T13:49:13", "2024-05-30T15:42:38"]);
    assert_eq!(answer.body["photos"][1]["reactions"]["heart"], 1);
    assert!(answer.body.get("user").is_none());
}

#[tokio::test]
async fn returns_an_empty_list_for_a_user_without_photos() {
    let fixture = Fixture::new("list-recent-photos").await;
    for name in ["cara", "nobody"] {
        let answer =
            fixture.call(ListRecentPhotos::start, request("GET", format!("/users/{name}/photos")).by("ada")).await;
        assert_eq!((answer.status, answer.body), (200, json!({"photos": [], "nextCursor": null})));
    }
}

#[tokio::test]
async fn returns_every_photo_once_during_concurrent_writes() {
    let fixture = Fixture::new("list-recent-photos").await;
    fixture.put(photo("ada", "2024-06-09T13:49:13.500Z")).await;
    let photos = fixture
        .pages(ListRecentPhotos::start, "/users/ada/photos", "photos", async |fixture: &Fixture| {
            fixture.put(photo("ada", "2025-01-01T00:00:00")).await;
            fixture.put(photo("ada-b", "2024-06-01T00:00:00")).await;
            fixture.put(photo("ad", "2024-06-01T00:00:00")).await;
        })
        .await;
    let ids: Vec<_> = photos.iter().map(|photo| photo["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["2024-06-09T13:49:13.500Z", "2024-06-09T13:49:13", "2024-05-30T15:42:38"]);
}

#[tokio::test]
async fn leaves_out_photos_in_deletion_and_goes_on_with_the_next_photo() {
    let fixture = Fixture::new("list-recent-photos").await;
    fixture.put(photo_deletion("ada", "2024-06-09T13:49:13", 1)).await;
    let first = fixture.call(ListRecentPhotos::start, request("GET", "/users/ada/photos?limit=1").by("ada")).await.body;
    assert_eq!((&first["photos"][0]["id"], &first["nextCursor"]), (&json!("2024-05-30T15:42:38"), &json!(null)));
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("list-recent-photos").await;
    fixture.needs_a_caller(ListRecentPhotos::start, request("GET", "/users/ada/photos")).await;
    fixture
        .refuses_bad_usernames(ListRecentPhotos::start, "username", |name| {
            request("GET", format!("/users/{name}/photos"))
        })
        .await;
    fixture.refuses_bad_pages(ListRecentPhotos::start, "/users/ada/photos").await;
}

#[tokio::test]
async fn returns_50_photos_on_a_page_by_default() {
    let fixture = Fixture::new("list-recent-photos").await;
    for second in 0..51 {
        fixture.put(photo("cara", &format!("2024-01-01T00:00:{second:02}"))).await;
    }
    for (query, length) in [("", 50), ("?limit=100", 51), ("?limit=7", 7)] {
        let answer =
            fixture.call(ListRecentPhotos::start, request("GET", format!("/users/cara/photos{query}")).by("ada")).await;
        assert_eq!(answer.body["photos"].as_array().unwrap().len(), length);
        assert_eq!(answer.body["nextCursor"].is_null(), length == 51);
    }
}

#[tokio::test]
async fn only_the_owner_sees_photos_that_are_not_ready_until_they_expire() {
    let fixture = Fixture::new("list-recent-photos").await;
    fixture.shows_unfinished_photos_to_their_owner(ListRecentPhotos::start, "/users/ada/photos").await;
}

#[tokio::test]
async fn shows_the_engagement_of_the_caller_by_one_more_request() {
    let fixture = Fixture::new("list-recent-photos").await;
    fixture.put_in(FEED, engagement("ben", "ada", "2024-05-30T15:42:38", &["heart", "smiley"])).await;
    fixture.put_in(FEED, engagement("ben", "ada-b", "2024-06-09T13:49:13", &["heart"])).await;
    fixture.put_in(FEED, engagement("cara", "ada", "2024-06-09T13:49:13", &["heart"])).await;
    let answer =
        fixture.call(ListRecentPhotos::start, request("GET", "/users/ada/photos?include=viewer").by("ben")).await;
    let viewers: Vec<_> = answer.body["photos"].as_array().unwrap().iter().map(|photo| &photo["viewer"]).collect();
    let none = json!({"reactions": [], "saved": false});
    assert_eq!(viewers, [&none, &json!({"reactions": ["heart", "smiley"], "saved": false})]);
    assert_eq!(fixture.operations().len(), 3, "one of them reads whether the user blocks the caller");
    fixture
        .refuses_field(ListRecentPhotos::start, request("GET", "/users/ada/photos?include=people").by("ben"), "include")
        .await;
}

#[tokio::test]
async fn a_page_is_full_of_photos_that_the_caller_may_see() {
    let fixture = Fixture::new("list-recent-photos").await;
    let at = |minute: u32| format!("2024-01-01T00:{minute:02}:00");
    for minute in 0..30 {
        let audience = ["everyone", "me", "followers"][minute as usize % 3];
        let photo = photo("cara", &at(minute));
        fixture.put(if minute % 3 == 0 { photo } else { testing::with(photo, "audience", audience) }).await;
    }
    fixture.put(testing::friendship("cara", "ben")).await;
    for (caller, visible) in [("ada", vec![0]), ("ben", vec![0, 2]), ("cara", vec![0, 1, 2])] {
        let expected: Vec<String> = (0..30).rev().filter(|minute| visible.contains(&(minute % 3))).map(at).collect();
        let mut found = vec![];
        let mut path = "/users/cara/photos?limit=4".to_owned();
        loop {
            let page = fixture.call(ListRecentPhotos::start, request("GET", &path).by(caller)).await.body;
            let photos = page["photos"].as_array().unwrap();
            found.extend(photos.iter().map(|photo| photo["id"].as_str().unwrap().to_owned()));
            let Some(cursor) = page["nextCursor"].as_str() else { break };
            assert_eq!(photos.len(), 4, "{caller}");
            path = format!("/users/cara/photos?limit=4&cursor={cursor}");
        }
        assert_eq!(found, expected, "{caller}");
    }
}

#[tokio::test]
async fn the_list_of_a_user_who_blocks_the_caller_is_empty() {
    let fixture = Fixture::new("list-recent-photos").await;
    let list_of_ada = || request("GET", "/users/ada/photos").by("ben");
    fixture.put(testing::block("ada", "ben", shared::values::Level::Mute)).await;
    fixture.put(testing::block("ben", "ada", shared::values::Level::Block)).await;
    assert_eq!(fixture.call(ListRecentPhotos::start, list_of_ada()).await.body["photos"].as_array().unwrap().len(), 2);
    fixture.put(testing::block("ada", "ben", shared::values::Level::Block)).await;
    let answer = fixture.call(ListRecentPhotos::start, list_of_ada()).await;
    assert_eq!((answer.status, answer.body), (200, json!({"photos": [], "nextCursor": null})));
}

#[tokio::test]
async fn shows_sensitive_photos_without_their_pictures() {
    let fixture = Fixture::new("list-recent-photos").await;
    for query in ["", "?include=viewer"] {
        let get = |caller: &str| request("GET", format!("/users/ada/photos{query}")).by(caller);
        fixture.hides_sensitive_pictures(ListRecentPhotos::start, ("ada", "2024-05-30T15:42:38"), get).await;
    }
}
