use super::*;
use serde_json::{Value, json};
use shared::values::ClipType;
use testing::{Collection, Fixture, TestRequest, request};

fn request_of(username: &str, data_type: &str) -> TestRequest {
    request("GET", format!("/users/{username}/favorites/types/{data_type}")).by(username)
}

fn ids(favorites: &[Value]) -> Vec<&str> {
    favorites.iter().map(|favorite| favorite["dataId"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn lists_the_newest_favorites_of_a_type_first() {
    let fixture = Fixture::new("list-favorites-by-type").await;
    let answer = fixture.call_with_sample_event(ListFavoritesByType::start).await;
    assert_eq!(answer.status, 200);
    assert!(answer.body["nextCursor"].is_string());
    assert_eq!(
        answer.body["favorites"],
        json!([{
            "dataId": "kestrel", "dataType": "image", "title": "Kestrel over Station Road", "creatorId": "ben",
            "thumbnailUrl": "https://photos.example.com/ben/kestrel.thumbnail.webp",
            "contentUrl": "https://photos.example.com/ben/kestrel", "clipTime": "2024-06-01T03:30:00.000Z",
            "tags": ["birds", "later"],
        }])
    );
}

#[tokio::test]
async fn lists_each_favorite_under_its_type_only() {
    let fixture = Fixture::new("list-favorites-by-type").await;
    let of_ada =
        ["sunset", "tram", "onion-tart", "packing-list", "fado", "dinner", "grandmother", "books", "viewpoint"];
    assert_eq!(of_ada.len(), ClipType::ALL.len());
    for (data_type, data_id) in ClipType::ALL.iter().zip(of_ada) {
        let answer = fixture.call(ListFavoritesByType::start, request_of("ada", data_type.as_ref())).await;
        assert_eq!(ids(answer.body["favorites"].as_array().unwrap()), [data_id], "and no history");
        assert_eq!(answer.body["nextCursor"], Value::Null);
    }
}

#[tokio::test]
async fn returns_every_favorite_once_during_concurrent_writes() {
    let fixture = Fixture::new("list-favorites-by-type").await;
    let mut ben = Collection::new("ben");
    // Three favorites of one millisecond must each be listed once.
    for data_id in ["same0", "same1", "same2"] {
        ben.clip(data_id, DataType::Image, "At once", 1_700_000_000_000, &[]);
    }
    fixture.put_all(ben.into_items());
    let newer = async |fixture: &Fixture| {
        let mut ben = Collection::new("ben");
        ben.clip("newer", DataType::Image, "Newer than all", 1_800_000_000_000, &[]);
        ben.clip("other", DataType::Link, "Of another type", 1_600_000_000_000, &[]);
        fixture.put_all(ben.into_items());
    };
    let pages = fixture.pages(ListFavoritesByType::start, "/users/ben/favorites/types/image", "favorites", newer).await;
    assert_eq!(ids(&pages), ["kestrel", "heron", "same2", "same1", "same0"]);
}

#[tokio::test]
async fn continues_after_a_cursor_whose_favorite_is_deleted() {
    let fixture = Fixture::new("list-favorites-by-type").await;
    let delete_both = async |fixture: &Fixture| {
        for data_id in ["kestrel", "image0"] {
            fixture.delete(Key::favorite(&"ben".parse().unwrap(), &data_id.parse().unwrap())).await;
        }
    };
    let mut ben = Collection::new("ben");
    ben.clip("image0", DataType::Image, "Before", 1_717_210_000_000, &[]);
    ben.clip("image1", DataType::Image, "Between", 1_717_209_000_000, &[]);
    fixture.put_all(ben.into_items());
    let pages =
        fixture.pages(ListFavoritesByType::start, "/users/ben/favorites/types/image", "favorites", delete_both).await;
    assert_eq!(ids(&pages), ["kestrel", "image0", "image1", "heron"]);
}

#[tokio::test]
async fn refuses_a_cursor_of_another_type() {
    let fixture = Fixture::new("list-favorites-by-type").await;
    let first = request("GET", "/users/ben/favorites/types/image?limit=1").by("ben");
    let answer = fixture.call(ListFavoritesByType::start, first).await;
    let cursor = answer.body["nextCursor"].as_str().unwrap();
    let uri = |data_type: &str| format!("/users/ben/favorites/types/{data_type}?cursor={cursor}");
    let next = fixture.call(ListFavoritesByType::start, request("GET", uri("image")).by("ben")).await;
    assert_eq!(ids(next.body["favorites"].as_array().unwrap()), ["heron"]);
    fixture.refuses_field(ListFavoritesByType::start, request("GET", uri("video")).by("ben"), "cursor").await;
}

#[tokio::test]
async fn returns_an_empty_list_without_favorites_of_the_type() {
    let fixture = Fixture::new("list-favorites-by-type").await;
    let answer = fixture.call(ListFavoritesByType::start, request_of("ben", "music")).await;
    assert_eq!((answer.status, answer.body), (200, json!({"favorites": [], "people": {}, "nextCursor": null})));
}

#[tokio::test]
async fn reads_favorites_that_another_program_wrote() {
    let fixture = Fixture::new("list-favorites-by-type").await;
    let mut cara = Collection::new("cara");
    cara.clip("7", DataType::Position, "Home", 1_600_000_000_000, &["x"]);
    cara.clip("8", DataType::Position, "Work", 1_600_000_000_001, &[]);
    cara.unclip("9", DataType::Position, "Elsewhere", 1_600_000_000_002, &["x"]);
    fixture.put_all(cara.into_foreign_items());
    let answer = fixture.call(ListFavoritesByType::start, request_of("cara", "position")).await;
    assert_eq!(ids(answer.body["favorites"].as_array().unwrap()), ["8", "7"]);
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("list-favorites-by-type").await;
    fixture.needs_a_caller(ListFavoritesByType::start, request_of("ben", "image")).await;
    fixture.refuses_other_users(ListFavoritesByType::start, request_of("ben", "image")).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("list-favorites-by-type").await;
    fixture
        .refuses_bad_usernames(ListFavoritesByType::start, "username", |name| {
            request("GET", format!("/users/{name}/favorites/types/image"))
        })
        .await;
    for data_type in ["IMAGE", "photos", "image%23", "%20", "image%00", "images"] {
        fixture.refuses_field(ListFavoritesByType::start, request_of("ben", data_type), "type").await;
    }
    fixture.refuses_bad_pages(ListFavoritesByType::start, "/users/ben/favorites/types/image").await;
}
