use super::*;
use aws_sdk_dynamodb::types::AttributeValue::S;
use serde_json::json;
use testing::{Fault, Fixture, TestRequest, photo, request};

const BENS_PHOTO_SK: &str = "PHOTO#ben#2024-06-26T03:59:33";

fn delete(id: &str) -> TestRequest {
    request("DELETE", format!("/users/ben/photos/{id}")).by("ben")
}

#[tokio::test]
async fn replaces_only_the_photo_with_its_deletion() {
    let fixture = Fixture::new("delete-photo").await;
    let mut described = photo("ben", "2024-06-26T03:59:33");
    for name in ["caption", "altText", "edited"] {
        described.insert(name.to_owned(), S("2026-01-01T00:00:00.000Z".to_owned()));
    }
    fixture.put(described).await;
    let mut expected = fixture.all_items().await;
    let answer = fixture.call_with_sample_event(DeletePhoto::start).await;
    assert_eq!((answer.status, answer.body), (204, json!(null)));
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    let photo = expected.values_mut().find(|item| item["PK"] == "USER#ben" && item["SK"] == BENS_PHOTO_SK).unwrap();
    let after = fixture.all_items().await;
    let since =
        after.values().find(|item| item["SK"] == BENS_PHOTO_SK && item["erasing"] == "ben").unwrap()["since"].clone();
    assert!(since.is_string());
    *photo = json!({
        "PK": "USER#ben", "SK": BENS_PHOTO_SK, "erasing": "ben", "since": since, "timestamp": "2024-06-26T03:59:33",
        "reactions": photo["reactions"], "comments": photo["comments"],
    });
    assert_eq!(after, expected);
}

#[tokio::test]
async fn the_deletion_of_a_photo_of_several_pictures_keeps_their_number() {
    let fixture = Fixture::new("delete-photo").await;
    for item in testing::several("ben", "2024-06-26T03:59:33", vec![testing::ready(b"file"); 2]) {
        fixture.put(item).await;
    }
    assert_eq!(fixture.call(DeletePhoto::start, delete("2024-06-26T03:59:33")).await.status, 204);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    let items = fixture.all_items().await;
    let deletion = &items[&format!("USER#ben {BENS_PHOTO_SK}")];
    assert_eq!((&deletion["pictures"], deletion.get("picture")), (&json!(2), None));
    assert!(items.contains_key("USER#ben PICTURES#ben#2024-06-26T03:59:33"), "finish-deletion reads it");
}

#[tokio::test]
async fn a_repeated_request_succeeds() {
    let fixture = Fixture::new("delete-photo").await;
    fixture.inject([Fault::AnswerLost]);
    assert_eq!(fixture.call(DeletePhoto::start, delete("2024-06-26T03:59:33")).await.status, 204);
    let before = fixture.all_items().await;
    assert_eq!(fixture.call(DeletePhoto::start, delete("2024-06-26T03:59:33")).await.status, 204);
    assert_eq!(fixture.call(DeletePhoto::start, delete("2020-01-01T00:00:00")).await.status, 204);
    assert_eq!(fixture.all_items().await, before, "the first deletion is kept");
}

#[tokio::test]
async fn returns_403_for_a_photo_of_another_user() {
    let fixture = Fixture::new("delete-photo").await;
    fixture.needs_a_caller(DeletePhoto::start, delete("2024-06-26T03:59:33")).await;
    fixture.refuses(DeletePhoto::start, delete("2024-06-26T03:59:33").by("ada"), 403).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("delete-photo").await;
    fixture
        .refuses_bad_usernames(DeletePhoto::start, "username", |name| {
            request("DELETE", format!("/users/{name}/photos/2024-05-30T15:42:38"))
        })
        .await;
    fixture.refuses_bad_photo_ids(DeletePhoto::start, |id| request("DELETE", format!("/users/ada/photos/{id}"))).await;
}

#[tokio::test]
async fn retries_after_a_transaction_conflict() {
    let fixture = Fixture::new("delete-photo").await;
    fixture.inject([Fault::TransactionCanceled("TransactionConflict"); 3]);
    assert_eq!(fixture.call(DeletePhoto::start, delete("2024-06-26T03:59:33")).await.status, 204);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 4]);
}

#[tokio::test]
async fn refuses_other_accounts() {
    Fixture::new("delete-photo").await.refuses_other_accounts(DeletePhoto::start).await;
}
