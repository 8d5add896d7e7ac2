//! Photos of several pictures.

use super::*;
use serde_json::Value;
use shared::values::ReportReason;
use testing::{numbered, several};

const ID: &str = "2026-01-01T00:00:00";

async fn photo_for(fixture: &Fixture, caller: &str) -> Value {
    let uri = format!("/users/ada/photos/{ID}");
    let mut answer = fixture.call(FetchPhotoAndReactions::start, request("GET", uri).by(caller)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body["photo"].take()
}

fn numbers(photo: &Value) -> Vec<u64> {
    photo["pictures"].as_array().unwrap().iter().map(|picture| picture["number"].as_u64().unwrap()).collect()
}

async fn put(fixture: &Fixture, pictures: [Picture; 3]) {
    for item in several("ada", ID, pictures) {
        fixture.put(item).await;
    }
}

#[tokio::test]
async fn returns_all_pictures_in_their_order_with_one_request_more() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    put(&fixture, [ready(b"one"), ready(b"two"), ready(b"three")]).await;
    let photo = photo_for(&fixture, "ben").await;
    assert_eq!(fixture.operations(), ["Query", "GetItem", "GetItem"]);
    assert_eq!((&photo["pictureCount"], &photo["altText"]), (&json!(3), &json!("Picture 1")));
    assert_eq!(numbers(&photo), [1, 2, 3]);
    for (index, picture) in photo["pictures"].as_array().unwrap().iter().enumerate() {
        let number = index + 1;
        assert_eq!((&picture["status"], &picture["altText"]), (&json!("ready"), &json!(format!("Picture {number}"))));
        assert_eq!(testing::widths(&picture["urls"]), [440, 800, 1600]);
        let url = picture["urls"][0]["url"].as_str().unwrap();
        assert!(url.contains(&format!("/{number}/")), "{url}");
        assert!(picture["blurhash"].is_string() && picture["width"] == 1600 && picture["height"] == 1200);
    }
    assert_eq!(photo["urls"], photo["pictures"][0]["urls"]);
    // A sensitive photo that is opened has its URLs too.
    let [item, _] = several("ada", ID, [ready(b"one"), ready(b"two"), ready(b"three")]);
    fixture.put(testing::with(item, "sensitive", "nudity")).await;
    assert_eq!(testing::widths(&photo_for(&fixture, "ben").await["pictures"][2]["urls"]), [440, 800, 1600]);
}

#[tokio::test]
async fn only_the_owner_sees_the_pictures_that_are_not_shown() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    let sizes = numbered(ready(b"two"), 2).sizes().cloned();
    let removed = Picture::Removed { reason: ReportReason::Spam, sizes };
    put(&fixture, [ready(b"one"), removed, ready(b"three")]).await;
    let photo = photo_for(&fixture, "ben").await;
    assert_eq!((numbers(&photo), &photo["pictureCount"]), (vec![1, 3], &json!(2)));
    let photo = photo_for(&fixture, "ada").await;
    assert_eq!(numbers(&photo), [1, 2, 3]);
    assert_eq!((&photo["pictures"][1]["status"], &photo["pictures"][1]["reason"]), (&json!("removed"), &json!("spam")));
    // A pending photo.
    put(&fixture, [ready(b"one"), testing::rejected(), Picture::Pending]).await;
    let photo = photo_for(&fixture, "ada").await;
    let states: Vec<&Value> = photo["pictures"].as_array().unwrap().iter().map(|picture| &picture["status"]).collect();
    assert_eq!((json!(states), &photo["status"]), (json!(["ready", "rejected", "pending"]), &json!("pending")));
    assert!(photo["pictures"][1]["problem"].is_string());
    let answer =
        fixture.call(FetchPhotoAndReactions::start, request("GET", format!("/users/ada/photos/{ID}")).by("ben")).await;
    assert_eq!(answer.status, 404);
}

#[tokio::test]
async fn a_process_remembers_the_pictures_that_many_look_at_for_a_second() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    put(&fixture, [ready(b"one"), ready(b"two"), ready(b"three")]).await;
    let service = fixture.service(FetchPhotoAndReactions::start);
    let uri = format!("/users/ada/photos/{ID}");
    for _ in 0..=OFTEN {
        assert_eq!(fixture.send(&service, request("GET", &uri).by("ben")).await.status, 200);
    }
    let _ = fixture.operations();
    let answer = fixture.send(&service, request("GET", &uri).by("ben")).await;
    assert_eq!((numbers(&answer.body["photo"]), fixture.operations()), (vec![1, 2, 3], vec!["GetItem".to_owned()]));
}
