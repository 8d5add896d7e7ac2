use super::*;
use serde_json::{Value, json};
use testing::{Fault, Fixture, TestRequest, deletion, request};

async fn upload(table: Table, request: Request) -> Result<Response, Error> {
    upload_photo(table, request, "a-bucket").await
}

fn post(body: &Value) -> TestRequest {
    request("POST", "/users/ada/photos").by("ada").json(body)
}

fn key(photo: &Value) -> Key {
    Key::photo(&"ada".parse().unwrap(), &photo["timestamp"].as_str().unwrap().parse().unwrap())
}

#[tokio::test]
async fn creates_a_photo_with_the_current_timestamp() {
    let fixture = Fixture::new("upload-photo").await;
    let before = Timestamp::now();
    let answer = fixture.call(upload, post(&json!({"format": "webp"}))).await;
    assert_eq!(answer.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    let timestamp = answer.body["timestamp"].as_str().unwrap();
    assert!(before.as_ref() <= timestamp && timestamp <= Timestamp::now().as_ref());
    assert_eq!(answer.headers["location"], format!("/users/ada/photos/{timestamp}").as_str());
    let photo = json!({
        "username": "ada", "timestamp": timestamp,
        "location": format!("s3://a-bucket/photos/ada/{timestamp}.webp"),
        "reactions": {"+1": 0, "heart": 0, "smiley": 0, "sunglasses": 0},
    });
    assert_eq!(answer.body, photo);

    let mut item = fixture.item(key(&photo)).await;
    assert_eq!(item["SK"], format!("PHOTO#ada#{timestamp}"));
    item.as_object_mut().unwrap().retain(|attribute, _| attribute != "PK" && attribute != "SK");
    assert_eq!(item, photo);
}

#[tokio::test]
async fn the_format_and_the_body_are_optional() {
    let fixture = Fixture::new("upload-photo").await;
    for request in [post(&json!({})), post(&json!({"format": null})), request("POST", "/users/ada/photos").by("ada")] {
        let answer = fixture.call(upload, request).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        let timestamp = answer.body["timestamp"].as_str().unwrap();
        assert_eq!(answer.body["location"], format!("s3://a-bucket/photos/ada/{timestamp}.png"));
    }
}

#[tokio::test]
async fn the_sample_event_creates_another_photo_each_time() {
    let fixture = Fixture::new("upload-photo").await;
    let first = fixture.call_with_sample_event(upload).await;
    let second = fixture.call_with_sample_event(upload).await;
    assert_eq!((first.status, second.status), (201, 201));
    assert_ne!(first.body["timestamp"], second.body["timestamp"]);
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_creates_one_photo() {
    let fixture = Fixture::new("upload-photo").await;
    let before = fixture.all_items().await.len();
    fixture.inject([Fault::AnswerLost]);
    let answer = fixture.call(upload, post(&json!({}))).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);
    assert_eq!(fixture.all_items().await.len(), before + 1);
    assert!(!fixture.item(key(&answer.body)).await.is_null());
}

#[tokio::test]
async fn uploads_in_the_same_millisecond_create_separate_photos() {
    let fixture = std::sync::Arc::new(Fixture::new("upload-photo").await);
    let before = fixture.all_items().await.len();
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..40 {
        let fixture = fixture.clone();
        calls.spawn(async move { fixture.call(upload, post(&json!({}))).await.status });
    }
    assert_eq!(calls.join_all().await, [201; 40]);
    assert_eq!(fixture.all_items().await.len(), before + 40);
}

#[tokio::test]
async fn returns_503_when_the_retry_budget_is_used_up() {
    let fixture = Fixture::new("upload-photo").await;
    let before = fixture.all_items().await;
    let taken = Fault::TransactionCanceled(&["ConditionalCheckFailed", "None"]);
    fixture.inject([taken; MAX_ATTEMPTS]);
    let answer = fixture.call(upload, post(&json!({}))).await;
    assert_eq!(answer.status, 503, "{}", answer.body);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; MAX_ATTEMPTS]);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn returns_404_for_an_unknown_user() {
    let fixture = Fixture::new("upload-photo").await;
    let before = fixture.all_items().await;
    let answer = fixture.call(upload, request("POST", "/users/nobody/photos").by("nobody")).await;
    assert_eq!(answer.status, 404);
    assert_eq!(answer.body["detail"], "There is no user nobody.");
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn returns_403_for_another_user() {
    let fixture = Fixture::new("upload-photo").await;
    fixture.needs_a_caller(upload, post(&json!({}))).await;
    fixture.refuses(upload, post(&json!({})).by("ben"), 403).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("upload-photo").await;
    fixture.refuses_bad_bodies(upload, request("POST", "/users/ada/photos").by("ada")).await;
    fixture.refuses_bad_usernames(upload, "username", |name| request("POST", format!("/users/{name}/photos"))).await;
    for format in [json!("gif"), json!("PNG"), json!(""), json!(1), json!(["png"]), json!({"png": null})] {
        fixture.refuses_field(upload, post(&json!({ "format": format })), "format").await;
    }
    fixture.refuses_field(upload, post(&json!({"timestamp": "2024-05-30T15:42:38"})), "timestamp").await;
}

#[tokio::test]
async fn returns_404_for_a_user_who_is_being_deleted() {
    let fixture = Fixture::new("upload-photo").await;
    fixture.put(deletion("ada")).await;
    let before = fixture.all_items().await;
    let answer = fixture.call(upload, post(&json!({}))).await;
    assert_eq!((answer.status, &answer.body["detail"]), (404, &json!("There is no user ada.")));
    assert_eq!(fixture.all_items().await, before);
}
