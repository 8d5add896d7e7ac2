use super::*;
use serde_json::json;
use testing::{Fault, Fixture, TestRequest, request};

fn delete(timestamp: &str) -> TestRequest {
    request("DELETE", format!("/users/ben/photos/{timestamp}")).by("ben")
}

#[tokio::test]
async fn deletes_only_the_photo() {
    let fixture = Fixture::new("delete-photo").await;
    let mut expected = fixture.all_items().await;
    let answer = fixture.call_with_sample_event(delete_photo).await;
    assert_eq!((answer.status, answer.body), (204, json!(null)));
    expected.retain(|_, item| item["SK"] != "PHOTO#ben#2024-06-26T03:59:33");
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn a_repeated_request_succeeds() {
    let fixture = Fixture::new("delete-photo").await;
    fixture.inject([Fault::AnswerLost]);
    for _ in 0..2 {
        assert_eq!(fixture.call(delete_photo, delete("2024-06-26T03:59:33")).await.status, 204);
    }
    assert_eq!(fixture.call(delete_photo, delete("2020-01-01T00:00:00")).await.status, 204);
}

#[tokio::test]
async fn returns_403_for_a_photo_of_another_user() {
    let fixture = Fixture::new("delete-photo").await;
    fixture.needs_a_caller(delete_photo, delete("2024-06-26T03:59:33")).await;
    fixture.refuses(delete_photo, delete("2024-06-26T03:59:33").by("ada"), 403).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("delete-photo").await;
    fixture
        .refuses_bad_usernames(delete_photo, "username", |name| {
            request("DELETE", format!("/users/{name}/photos/2024-05-30T15:42:38"))
        })
        .await;
    fixture
        .refuses_bad_timestamps(delete_photo, |timestamp| request("DELETE", format!("/users/ada/photos/{timestamp}")))
        .await;
}

#[tokio::test]
async fn retries_after_a_transaction_conflict() {
    let fixture = Fixture::new("delete-photo").await;
    fixture.inject([Fault::Error("TransactionConflictException"); 3]);
    assert_eq!(fixture.call(delete_photo, delete("2024-06-26T03:59:33")).await.status, 204);
    assert_eq!(fixture.operations(), ["DeleteItem"; 4]);
}
