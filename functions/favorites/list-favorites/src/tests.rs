use super::*;
use serde_json::{Value, json};
use shared::values::DataType;
use testing::{Collection, Fixture, request, saved_photo};

async fn list(table: Table, request: Request) -> Result<Response<Favorites>, Error> {
    let photos = table.other("quick-photos");
    list_favorites(table, photos, request, &testing::signer()).await
}

#[tokio::test]
async fn lists_the_newest_favorites_first() {
    let fixture = Fixture::new("list-favorites").await;
    let answer = fixture.call_with_sample_event(list).await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.body["favorites"][0],
        json!({
            "dataId": "starlings", "dataType": "video", "title": "Starlings at dusk", "creatorId": "ben",
            "thumbnailUrl": "https://photos.example.com/ben/starlings.thumbnail.webp",
            "contentUrl": "https://photos.example.com/ben/starlings", "clipTime": 1_717_230_600_000_u64,
        })
    );
    let ids: Vec<_> = answer.body["favorites"].as_array().unwrap().iter().map(|f| &f["dataId"]).collect();
    assert_eq!(ids, ["starlings", "tokyo"]);
    assert!(answer.body["nextCursor"].is_string());
}

#[tokio::test]
async fn returns_every_favorite_once_during_concurrent_writes() {
    let fixture = Fixture::new("list-favorites").await;
    let newer = async |fixture: &Fixture| {
        let mut ben = Collection::new("ben");
        ben.clip("newer", DataType::Note, "Newer than all", 1_800_000_000_000, &[]);
        fixture.put_all(ben.into_items());
    };
    let pages = fixture.pages(list, "/users/ben/favorites", "favorites", newer).await;
    let ids: Vec<&Value> = pages.iter().map(|favorite| &favorite["dataId"]).collect();
    assert_eq!(ids, ["starlings", "tokyo", "waders", "kestrel", "heron"]);
}

#[tokio::test]
async fn lists_favorites_of_the_same_millisecond_once_each() {
    let fixture = Fixture::new("list-favorites").await;
    let mut ben = Collection::new("ben");
    for number in 0..5 {
        ben.clip(&format!("same{number}"), DataType::Link, "At once", 1_800_000_000_000, &[]);
    }
    fixture.put_all(ben.into_items());
    let pages = fixture.pages(list, "/users/ben/favorites", "favorites", async |_| {}).await;
    let ids: Vec<&Value> = pages.iter().take(6).map(|favorite| &favorite["dataId"]).collect();
    assert_eq!(ids, ["same4", "same3", "same2", "same1", "same0", "starlings"]);
    assert_eq!(pages.len(), 10);
}

#[tokio::test]
async fn returns_an_empty_list_without_favorites() {
    let fixture = Fixture::new("list-favorites").await;
    let answer = fixture.call(list, request("GET", "/users/cara/favorites").by("cara")).await;
    assert_eq!((answer.status, answer.body), (200, json!({"favorites": [], "nextCursor": null})));
}

#[tokio::test]
async fn reads_favorites_that_another_program_wrote() {
    let fixture = Fixture::new("list-favorites").await;
    let mut cara = Collection::new("cara");
    cara.clip("7", DataType::Position, "Home", 1_600_000_000_000, &["x"]);
    fixture.put_all(cara.into_foreign_items());
    let answer = fixture.call(list, request("GET", "/users/cara/favorites").by("cara")).await;
    assert_eq!(answer.body["favorites"][0]["dataType"], "position");
    assert_eq!(answer.body["favorites"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("list-favorites").await;
    let own = request("GET", "/users/ben/favorites").by("ben");
    fixture.needs_a_caller(list, own.clone()).await;
    fixture.refuses_other_users(list, own).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("list-favorites").await;
    fixture.refuses_bad_usernames(list, "username", |name| request("GET", format!("/users/{name}/favorites"))).await;
    fixture.refuses_bad_pages(list, "/users/ben/favorites").await;
}

#[tokio::test]
async fn shows_photos_by_one_more_request_and_drops_none_that_is_gone() {
    let fixture = Fixture::new("list-favorites").await;
    for timestamp in ["2024-05-30T15:42:38", "2020-01-01T00:00:00", "2024-06-09T13:49:13"] {
        fixture.put(saved_photo("ben", "ada", timestamp)).await;
    }
    let answer = fixture.call(list, request("GET", "/users/ben/favorites").by("ben").query("limit", "3")).await;
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
    let mut photos: Vec<(String, bool)> = answer.body["favorites"]
        .as_array()
        .unwrap()
        .iter()
        .map(|favorite| (favorite["dataId"].as_str().unwrap().to_owned(), favorite.get("photo").unwrap().is_object()))
        .collect();
    photos.sort();
    let expected = [("2020-01-01T00:00:00", false), ("2024-05-30T15:42:38", true), ("2024-06-09T13:49:13", true)];
    assert_eq!(photos, expected.map(|(timestamp, is_there)| (format!("photo~ada~{timestamp}"), is_there)));
}
