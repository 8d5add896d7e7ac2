use super::*;
use serde_json::json;
use testing::{Fixture, TestRequest, link, link_until, request};

const PHOTO: &str = "2024-05-30T15:42:38";
const OTHER_PHOTO: &str = "2024-06-09T13:49:13";
const TOKEN: &str = "Zm9yLW9ubHktdGVzdGluZw";

fn get(photo: &str) -> TestRequest {
    request("GET", format!("/users/ada/photos/{photo}/link")).by("ada")
}

#[tokio::test]
async fn returns_the_link_of_the_photo_to_its_owner_alone() {
    let fixture = Fixture::new("get-link").await;
    fixture.put_all(link("ada", Some(PHOTO), TOKEN));
    let answer = fixture.call(GetLink::start, get(PHOTO)).await;
    assert_eq!((answer.status, fixture.operations()), (200, vec!["GetItem".to_owned()]));
    assert_eq!(answer.body["url"], json!(format!("https://links.example/s/{TOKEN}")));
    assert_eq!(answer.headers["cache-control"], "no-store");
    let other = fixture.call(GetLink::start, get(OTHER_PHOTO)).await;
    assert_eq!((other.status, other.problem()), (404, "no-link"));
    let _ = fixture.operations();
    fixture.needs_a_caller(GetLink::start, get(PHOTO)).await;
    fixture.refuses_other_users(GetLink::start, get(PHOTO)).await;
}

#[tokio::test]
async fn a_link_is_gone_when_its_time_is_over() {
    let fixture = Fixture::new("get-link").await;
    let link = link_until("ada", Some(PHOTO), TOKEN, Some("2024-06-01T00:00:00.000Z".parse().unwrap()));
    fixture.put_all(link);
    assert_eq!(fixture.call(GetLink::start, get(PHOTO)).await.problem(), "no-link");
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("get-link").await;
    fixture.put_all(link("ada", Some(OTHER_PHOTO), TOKEN));
    assert_eq!(fixture.call_with_sample_event(GetLink::start).await.body["token"], TOKEN);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("get-link").await;
    fixture.refuses_bad_photo_ids(GetLink::start, get).await;
}
