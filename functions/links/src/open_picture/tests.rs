use super::*;
use testing::{Fixture, TestRequest, link, photo_with, ready, request, with};

const PHOTO: &str = "2024-07-01T10:00:00";
const TOKEN: &str = "Zm9yLW9ubHktdGVzdGluZw";
const OF_PROFILE: &str = "cHJvZmlsZS1vZi1hZGEtMQ";

fn get(token: &str) -> TestRequest {
    request("GET", format!("/s/{token}/picture"))
}

#[tokio::test]
async fn leads_to_the_largest_picture_of_a_photo_of_any_audience() {
    let fixture = Fixture::new("open-picture").await;
    fixture.put(with(photo_with("ada", PHOTO, ready(b"file")), "audience", "me")).await;
    fixture.put_all(link("ada", Some(PHOTO), TOKEN));
    let answer = fixture.call(OpenPicture::start, get(TOKEN)).await;
    assert_eq!((answer.status, fixture.operations()), (302, vec!["GetItem".to_owned(), "BatchGetItem".to_owned()]));
    let location = answer.headers["location"].to_str().unwrap();
    assert!(location.starts_with("https://pictures.example/photos/ada/") && location.contains("large"), "{location}");
    assert_eq!(answer.headers["cache-control"], "public, max-age=0, s-maxage=60");
}

#[tokio::test]
async fn leads_to_the_pinned_picture_of_a_profile() {
    let fixture = Fixture::new("open-picture").await;
    fixture.put_all(link("ada", None, OF_PROFILE));
    let answer = fixture.call(OpenPicture::start, get(OF_PROFILE)).await;
    assert_eq!(answer.status, 302);
    assert!(answer.headers["location"].to_str().unwrap().contains("2024-06-09T13"), "{:?}", answer.headers);
}

#[tokio::test]
async fn answers_404_for_what_opens_nothing() {
    let fixture = Fixture::new("open-picture").await;
    fixture.put_all(link("ada", Some("2020-01-01T00:00:00"), TOKEN));
    for token in [TOKEN, OF_PROFILE, "guess"] {
        let answer = fixture.call(OpenPicture::start, get(token)).await;
        assert_eq!((answer.status, answer.problem()), (404, "no-link"), "{token}");
    }
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("open-picture").await;
    fixture.put_all(link("ada", Some("2024-06-09T13:49:13"), TOKEN));
    assert_eq!(fixture.call_with_sample_event(OpenPicture::start).await.status, 302);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("open-picture").await;
    fixture.refuses_field(OpenPicture::start, get(TOKEN).query("size", "large"), "size").await;
}

#[tokio::test]
async fn leads_to_a_sensitive_picture_only_after_a_click() {
    let fixture = Fixture::new("open-picture").await;
    fixture.put(with(photo_with("ada", PHOTO, ready(b"file")), "sensitive", "nudity")).await;
    fixture.put_all(link("ada", Some(PHOTO), TOKEN));
    let answer = fixture.call(OpenPicture::start, get(TOKEN)).await;
    assert_eq!((answer.status, answer.problem()), (404, "no-link"));
    let shown = fixture.call(OpenPicture::start, get(TOKEN).query("show", "sensitive")).await;
    assert_eq!(shown.status, 302);
    fixture.refuses_field(OpenPicture::start, get(TOKEN).query("show", "all"), "show").await;
}
