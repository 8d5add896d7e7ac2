use super::*;
use serde_json::json;
use testing::{Fault, Fixture, TestRequest, request};

fn delete() -> TestRequest {
    request("DELETE", "/users/ada").by("ada")
}

#[tokio::test]
async fn replaces_the_user_with_a_deletion() {
    let fixture = Fixture::new("delete-user").await;
    let before = fixture.all_items().await;
    let answer = fixture.call(delete_user, delete()).await;
    assert_eq!((answer.status, answer.body), (204, json!(null)));
    assert_eq!(fixture.operations(), ["PutItem"]);
    let item = fixture.item(Key::user(&"ada".parse().unwrap())).await;
    assert_eq!(item, json!({"PK": "USER#ada", "SK": "#METADATA#ada", "erasing": "ada", "since": item["since"]}));
    assert!(item["since"].is_string());
    assert_eq!(fixture.all_items().await.len(), before.len());
}

#[tokio::test]
async fn a_repeated_request_keeps_the_first_deletion() {
    let fixture = Fixture::new("delete-user").await;
    fixture.inject([Fault::AnswerLost]);
    assert_eq!(fixture.call_with_sample_event(delete_user).await.status, 204);
    let before = fixture.all_items().await;
    assert_eq!(fixture.call_with_sample_event(delete_user).await.status, 204);
    assert_eq!(fixture.call(delete_user, request("DELETE", "/users/nobody").by("nobody")).await.status, 204);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn returns_403_for_another_user() {
    let fixture = Fixture::new("delete-user").await;
    fixture.needs_a_caller(delete_user, delete()).await;
    fixture.refuses(delete_user, delete().by("ben"), 403).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("delete-user").await;
    fixture.refuses_bad_usernames(delete_user, "username", |name| request("DELETE", format!("/users/{name}"))).await;
}

#[tokio::test]
async fn retries_after_a_transaction_conflict() {
    let fixture = Fixture::new("delete-user").await;
    fixture.inject([Fault::Error("TransactionConflictException"); 3]);
    assert_eq!(fixture.call(delete_user, delete()).await.status, 204);
    assert_eq!(fixture.operations(), ["PutItem"; 4]);
}
