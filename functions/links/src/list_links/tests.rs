use super::*;
use serde_json::{Value, json};
use shared::entities::Picture;
use testing::{Fixture, TestRequest, expired_photo, link, link_until, photo_with, ready, request, with};

const PHOTOS: [&str; 3] = ["2024-05-30T15:42:38", "2024-06-09T13:49:13", "2024-07-01T10:00:00"];
const TOKENS: [&str; 4] =
    ["Zm9yLW9ubHktdGVzdGluZw", "YW5vdGhlci10b2tlbi4uLg", "cmVuZXdlZC10b2tlbi4uLg", "cHJvZmlsZS1vZi1hZGEtMQ"];

fn list() -> TestRequest {
    request("GET", "/users/ben/links").by("ben")
}

/// Returns a fixture in which ben shares three photos, the last one of which he alone sees, and his
/// profile.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("list-links").await;
    for (photo, token) in PHOTOS.iter().zip(TOKENS) {
        fixture.put_all(link("ben", Some(photo), token));
    }
    fixture.put_all(link("ben", None, TOKENS[3]));
    fixture.put_all(link("ada", Some(PHOTOS[0]), "dGhlLXBob3RvLW9mLWFkYQ"));
    fixture.put(with(photo_with("ben", PHOTOS[2], ready(b"file")), "audience", "me")).await;
    fixture
}

fn tokens(links: &[Value]) -> Vec<&str> {
    links.iter().map(|link| link["token"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn lists_the_links_with_their_photos() {
    let fixture = fixture().await;
    let answer = fixture.call(ListLinks::start, list()).await;
    assert_eq!((answer.status, fixture.operations()), (200, vec!["Query".to_owned(), "BatchGetItem".to_owned()]));
    let links = answer.body["links"].as_array().unwrap();
    assert_eq!(tokens(links), [TOKENS[2], TOKENS[1], TOKENS[0], TOKENS[3]]);
    assert_eq!((&links[0]["sharedPhoto"]["audience"], &links[0]["opensTo"]), (&json!("me"), &json!("anyone")));
    assert!(links[0]["sharedPhoto"]["urls"][0]["url"].is_string());
    assert!(links[1].get("sharedPhoto").is_none(), "the photo was deleted a moment ago");
    assert!(links[3].get("photo").is_none() && links[3].get("sharedPhoto").is_none());
}

#[tokio::test]
async fn returns_every_link_once_during_concurrent_writes() {
    let fixture = fixture().await;
    let links = fixture
        .pages(ListLinks::start, "/users/ben/links", "links", async |fixture| {
            fixture.put_all(link("ben", Some("2024-08-01T10:00:00"), "bmV3ZXItdGhhbi1hbGwtLQ"));
        })
        .await;
    assert_eq!(tokens(&links), [TOKENS[2], TOKENS[1], TOKENS[0], TOKENS[3]]);
}

#[tokio::test]
async fn leaves_out_links_whose_time_is_over() {
    let fixture = fixture().await;
    fixture.put_all(link_until("ben", Some(PHOTOS[1]), TOKENS[1], Some("2024-06-01T00:00:00.000Z".parse().unwrap())));
    let links = fixture.pages(ListLinks::start, "/users/ben/links", "links", async |_| {}).await;
    assert_eq!(tokens(&links), [TOKENS[2], TOKENS[0], TOKENS[3]]);
}

#[tokio::test]
async fn shows_no_pending_photo_that_has_expired() {
    let fixture = fixture().await;
    for (item, is_shown) in
        [(photo_with("ben", PHOTOS[1], Picture::Pending), true), (expired_photo("ben", PHOTOS[1]), false)]
    {
        fixture.put(item).await;
        let links = &fixture.call(ListLinks::start, list()).await.body["links"];
        assert_eq!((links[1]["token"].as_str(), links[1]["sharedPhoto"].is_object()), (Some(TOKENS[1]), is_shown));
    }
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = fixture().await;
    let answer = fixture.call_with_sample_event(ListLinks::start).await;
    assert_eq!(tokens(answer.body["links"].as_array().unwrap()), ["dGhlLXBob3RvLW9mLWFkYQ"]);
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = fixture().await;
    fixture.needs_a_caller(ListLinks::start, list()).await;
    fixture.refuses_other_users(ListLinks::start, list()).await;
    fixture.refuses_bad_pages(ListLinks::start, "/users/ben/links").await;
}
