use super::*;
use serde_json::{Value, json};
use shared::values::{DataType, Level};
use testing::{
    Collection, FEED, Fixture, QUICK_PHOTOS, block, engagement, photo_with, ready, request, saved_photo, user,
    with_count,
};

#[tokio::test]
async fn lists_the_newest_favorites_first() {
    let fixture = Fixture::new("list-favorites").await;
    let answer = fixture.call_with_sample_event(ListFavorites::start).await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.body["favorites"][0],
        json!({
            "dataId": "starlings", "dataType": "video", "title": "Starlings at dusk", "creatorId": "ben",
            "thumbnailUrl": "https://photos.example.com/ben/starlings.thumbnail.webp",
            "contentUrl": "https://photos.example.com/ben/starlings", "clipTime": "2024-06-01T08:30:00.000Z",
            "tags": [],
        })
    );
    let ids: Vec<_> = answer.body["favorites"].as_array().unwrap().iter().map(|f| &f["dataId"]).collect();
    assert_eq!(ids, ["starlings", "tokyo"]);
    assert!(answer.body["nextCursor"].is_string());
}

#[tokio::test]
async fn shows_the_ids_of_the_tags_of_each_favorite() {
    let fixture = Fixture::new("list-favorites").await;
    for (username, expected) in [
        ("ben", json!([[], ["later"], ["birds", "work"], ["birds", "later"], ["birds"]])),
        ("ada", json!([["family", "travel"], ["reading"], ["family"], []])),
    ] {
        let path = format!("/users/{username}/favorites?limit={}", expected.as_array().unwrap().len());
        let answer = fixture.call(ListFavorites::start, request("GET", path).by(username)).await;
        let tags: Vec<&Value> = answer.body["favorites"].as_array().unwrap().iter().map(|f| &f["tags"]).collect();
        assert_eq!(json!(tags), expected, "{username}");
        assert_eq!(fixture.operations(), ["Query"]);
    }
}

#[tokio::test]
async fn returns_every_favorite_once_during_concurrent_writes() {
    let fixture = Fixture::new("list-favorites").await;
    let newer = async |fixture: &Fixture| {
        let mut ben = Collection::new("ben");
        ben.clip("newer", DataType::Note, "Newer than all", 1_800_000_000_000, &[]);
        fixture.put_all(ben.into_items());
    };
    let pages = fixture.pages(ListFavorites::start, "/users/ben/favorites", "favorites", newer).await;
    let ids: Vec<&Value> = pages.iter().map(|favorite| &favorite["dataId"]).collect();
    assert_eq!(ids, ["starlings", "tokyo", "waders", "kestrel", "heron"]);
}

/// An answer shows the last millisecond of the year 9999 in place of such a time.
#[tokio::test]
async fn lists_favorites_after_the_year_9999_once_each() {
    let fixture = Fixture::new("list-favorites").await;
    let mut ben = Collection::new("ben");
    let times = [253_402_300_800_000, 253_402_300_800_001, 253_402_300_800_002, 1_000_000_000_000_000];
    for time in times {
        ben.clip(&time.to_string(), DataType::Note, "Later", time, &[]);
    }
    fixture.put_all(ben.into_items());
    let pages = fixture.pages(ListFavorites::start, "/users/ben/favorites", "favorites", async |_: &Fixture| {}).await;
    let mut ids: Vec<String> = pages.iter().filter_map(|one| one["dataId"].as_str().map(str::to_owned)).collect();
    ids.retain(|id| id.parse::<u64>().is_ok());
    assert_eq!(ids, [times[2], times[1], times[0], times[3]].map(|time| time.to_string()));
    assert_eq!(pages.len(), 9);
}

#[tokio::test]
async fn lists_favorites_of_the_same_millisecond_once_each() {
    let fixture = Fixture::new("list-favorites").await;
    let mut ben = Collection::new("ben");
    for number in 0..5 {
        ben.clip(&format!("same{number}"), DataType::Link, "At once", 1_800_000_000_000, &[]);
    }
    fixture.put_all(ben.into_items());
    let pages = fixture.pages(ListFavorites::start, "/users/ben/favorites", "favorites", async |_| {}).await;
    let ids: Vec<&Value> = pages.iter().take(6).map(|favorite| &favorite["dataId"]).collect();
    assert_eq!(ids, ["same4", "same3", "same2", "same1", "same0", "starlings"]);
    assert_eq!(pages.len(), 10);
}

#[tokio::test]
async fn returns_an_empty_list_without_favorites() {
    let fixture = Fixture::new("list-favorites").await;
    let answer = fixture.call(ListFavorites::start, request("GET", "/users/cara/favorites").by("cara")).await;
    assert_eq!((answer.status, answer.body), (200, json!({"favorites": [], "people": {}, "nextCursor": null})));
}

#[tokio::test]
async fn reads_favorites_that_another_program_wrote() {
    let fixture = Fixture::new("list-favorites").await;
    let mut cara = Collection::new("cara");
    cara.clip("7", DataType::Position, "Home", 1_600_000_000_000, &["x"]);
    fixture.put_all(cara.into_foreign_items());
    let answer = fixture.call(ListFavorites::start, request("GET", "/users/cara/favorites").by("cara")).await;
    assert_eq!(answer.body["favorites"][0]["dataType"], "position");
    assert_eq!(answer.body["favorites"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("list-favorites").await;
    let own = request("GET", "/users/ben/favorites").by("ben");
    fixture.needs_a_caller(ListFavorites::start, own.clone()).await;
    fixture.refuses_other_users(ListFavorites::start, own).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("list-favorites").await;
    fixture
        .refuses_bad_usernames(ListFavorites::start, "username", |name| {
            request("GET", format!("/users/{name}/favorites"))
        })
        .await;
    fixture.refuses_bad_pages(ListFavorites::start, "/users/ben/favorites").await;
}

#[tokio::test]
async fn shows_photos_by_one_more_request_and_drops_none_that_is_gone() {
    let fixture = Fixture::new("list-favorites").await;
    for id in ["2024-05-30T15:42:38", "2020-01-01T00:00:00", "2024-06-09T13:49:13"] {
        fixture.put(saved_photo("ben", "ada", id)).await;
    }
    let answer =
        fixture.call(ListFavorites::start, request("GET", "/users/ben/favorites").by("ben").query("limit", "3")).await;
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
    let mut photos: Vec<(String, bool)> = answer.body["favorites"]
        .as_array()
        .unwrap()
        .iter()
        .map(|favorite| (favorite["dataId"].as_str().unwrap().to_owned(), favorite.get("photo").unwrap().is_object()))
        .collect();
    photos.sort();
    let expected = [("2020-01-01T00:00:00", false), ("2024-05-30T15:42:38", true), ("2024-06-09T13:49:13", true)];
    assert_eq!(photos, expected.map(|(id, is_there)| (format!("photo~ada~{id}"), is_there)));
}

#[tokio::test]
async fn includes_what_the_caller_did_to_photos_and_their_owners_by_the_same_request() {
    let fixture = Fixture::new("list-favorites").await;
    let photos = [("ada", "2024-05-30T15:42:38"), ("ada", "2024-06-09T13:49:13"), ("cara", "2024-05-30T15:42:38")];
    for (owner, id) in photos {
        fixture.put_all(vec![saved_photo("ben", owner, id)]);
    }
    fixture.put_in(FEED, engagement("ben", "ada", photos[0].1, &["heart"])).await;
    let list = |include: &str| {
        fixture.call(
            ListFavorites::start,
            request("GET", "/users/ben/favorites").by("ben").query("limit", "3").query("include", include),
        )
    };
    let shown = |body: &Value, owner: &str, id: &str| {
        let mut favorites = body["favorites"].as_array().unwrap().iter();
        favorites.find(|one| one["dataId"] == format!("photo~{owner}~{id}")).unwrap()["photo"].clone()
    };

    let both = list("people,viewer").await.body;
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
    assert_eq!(shown(&both, "ada", photos[0].1)["viewer"], json!({"reactions": ["heart"], "saved": false}));
    assert_eq!(shown(&both, "ada", photos[1].1)["viewer"], json!({"reactions": [], "saved": false}));
    assert_eq!(both["people"].as_object().unwrap().keys().collect::<Vec<_>>(), ["ada"], "{both}");
    assert!(both["people"]["ada"]["name"].is_string());
    let people = list("people").await.body;
    assert!(shown(&people, "ada", photos[0].1).get("viewer").is_none() && people["people"].is_object());
    let viewer = list("viewer").await.body;
    assert!(shown(&viewer, "ada", photos[0].1)["viewer"].is_object() && viewer["people"] == json!({}));
    assert_eq!(list("comments").await.status, 400);
}

/// A `BatchGetItem` has 100 keys at most, and each of these photos needs three.
#[tokio::test]
async fn reads_a_page_with_more_keys_than_one_request_has_by_several() {
    let fixture = Fixture::new("list-favorites").await;
    let ids: Vec<String> =
        (0..100).map(|number| format!("2025-01-01T00:{:02}:{:02}", number / 60, number % 60)).collect();
    for id in &ids {
        fixture.put_in(QUICK_PHOTOS, photo_with("ada", id, ready(b"file"))).await;
        fixture.put(saved_photo("ben", "ada", id)).await;
        fixture.put_in(FEED, engagement("ben", "ada", id, &["smiley"])).await;
    }
    let all = request("GET", "/users/ben/favorites").by("ben").query("limit", "100").query("include", "people,viewer");
    let body = fixture.call(ListFavorites::start, all).await.body;
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem", "BatchGetItem", "BatchGetItem", "BatchGetItem"]);
    let favorites = body["favorites"].as_array().unwrap();
    assert_eq!(favorites.len(), 100);
    assert!(favorites.iter().all(|one| one["photo"]["viewer"]["reactions"] == json!(["smiley"])), "{body}");
    assert_eq!(body["people"].as_object().unwrap().len(), 1);
}

#[tokio::test]
async fn shows_nobody_who_blocks_the_caller() {
    let fixture = Fixture::new("list-favorites").await;
    fixture.put(saved_photo("ben", "ada", "2024-05-30T15:42:38")).await;
    fixture.put_in(QUICK_PHOTOS, block("ada", "ben", Level::Block)).await;
    fixture.put_in(QUICK_PHOTOS, with_count(user("ben"), "blockedBy", 1)).await;
    let own = request("GET", "/users/ben/favorites").by("ben").query("limit", "1").query("include", "people");
    let body = fixture.call(ListFavorites::start, own).await.body;
    assert_eq!((&body["favorites"][0]["photo"], &body["people"]), (&Value::Null, &json!({})));
}

#[tokio::test]
async fn somebody_whom_the_caller_blocks_has_no_card() {
    let fixture = Fixture::new("list-favorites").await;
    fixture.put(saved_photo("ben", "ada", "2024-05-30T15:42:38")).await;
    let own = || request("GET", "/users/ben/favorites").by("ben").query("limit", "1").query("include", "people");
    assert!(fixture.call(ListFavorites::start, own()).await.body["people"]["ada"].is_object());
    fixture.put_in(QUICK_PHOTOS, block("ben", "ada", Level::Block)).await;
    fixture.put_in(QUICK_PHOTOS, with_count(user("ben"), "blocks", 1)).await;
    let body = fixture.call(ListFavorites::start, own()).await.body;
    assert_eq!((&body["favorites"][0]["photo"]["username"], &body["people"]), (&json!("ada"), &json!({})));
}

#[tokio::test]
async fn the_owner_decides_whether_sensitive_photos_have_their_pictures() {
    let fixture = Fixture::new("list-favorites").await;
    for id in ["2024-05-30T15:42:38", "2024-06-09T13:49:13"] {
        fixture.put(saved_photo("ben", "ada", id)).await;
    }
    for query in ["", "&include=people,viewer"] {
        let get = |caller: &str| request("GET", format!("/users/{caller}/favorites?limit=9{query}")).by(caller);
        fixture.hides_sensitive_pictures(ListFavorites::start, ("ada", "2024-05-30T15:42:38"), get).await;
    }
}
