use super::*;
use serde_json::{Value, json};
use shared::values::DataType;
use testing::{Collection, Fixture, request};

#[tokio::test]
async fn lists_the_newest_favorites_first() {
    let fixture = Fixture::new("list-favorites").await;
    let answer = fixture.call_with_sample_event(list_favorites).await;
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
    let pages = fixture.pages(list_favorites, "/users/ben/favorites", "favorites", newer).await;
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
    let pages = fixture.pages(list_favorites, "/users/ben/favorites", "favorites", async |_| {}).await;
    let ids: Vec<&Value> = pages.iter().take(6).map(|favorite| &favorite["dataId"]).collect();
    assert_eq!(ids, ["same4", "same3", "same2", "same1", "same0", "starlings"]);
    assert_eq!(pages.len(), 10);
}

#[tokio::test]
async fn returns_an_empty_list_without_favorites() {
    let fixture = Fixture::new("list-favorites").await;
    let answer = fixture.call(list_favorites, request("GET", "/users/cara/favorites").by("cara")).await;
    assert_eq!((answer.status, answer.body), (200, json!({"favorites": [], "nextCursor": null})));
}

#[tokio::test]
async fn reads_favorites_that_another_program_wrote() {
    let fixture = Fixture::new("list-favorites").await;
    let mut cara = Collection::new("cara");
    cara.clip("7", DataType::Position, "Home", 1_600_000_000_000, &["x"]);
    fixture.put_all(cara.into_foreign_items());
    let answer = fixture.call(list_favorites, request("GET", "/users/cara/favorites").by("cara")).await;
    assert_eq!(answer.body["favorites"][0]["dataType"], "position");
    assert_eq!(answer.body["favorites"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("list-favorites").await;
    let own = request("GET", "/users/ben/favorites").by("ben");
    fixture.needs_a_caller(list_favorites, own.clone()).await;
    fixture.refuses_other_users(list_favorites, own).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("list-favorites").await;
    fixture
        .refuses_bad_usernames(list_favorites, "username", |name| request("GET", format!("/users/{name}/favorites")))
        .await;
    fixture.refuses_bad_pages(list_favorites, "/users/ben/favorites").await;
}
