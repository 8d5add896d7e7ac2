use super::*;
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;
use testing::{Fault, Fixture, TestRequest, request, user};

fn delete() -> TestRequest {
    request("DELETE", "/users/ada").by("ada")
}

#[tokio::test]
async fn replaces_the_user_with_a_deletion() {
    let fixture = Fixture::new("delete-user").await;
    let mut full = user("ada");
    let texts = ["email", "birthdate", "address", "status", "pinnedImage", "welcome", "creationId", "subject"];
    full.extend(texts.map(|attribute| (attribute.to_owned(), S("x".to_owned()))));
    full.insert("created".to_owned(), S("2020-01-01T00:00:00.000Z".to_owned()));
    full.insert("attributes".to_owned(), AttributeValue::M([("theme".to_owned(), S("dark".to_owned()))].into()));
    full.insert("following".to_owned(), AttributeValue::N("2".to_owned()));
    fixture.put(full).await;
    let before = fixture.all_items().await;
    let answer = fixture.call(delete_user, delete()).await;
    assert_eq!((answer.status, answer.body), (204, json!(null)));
    assert_eq!(fixture.operations(), ["UpdateItem"]);
    let item = fixture.item(Key::user(&"ada".parse().unwrap())).await;
    assert_eq!(
        item,
        json!({
            "PK": "USER#ada", "SK": "#METADATA#ada", "erasing": "ada", "since": item["since"], "following": 2,
        })
    );
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

/// The user is created after the request is received, as when a network delivers a request twice and one copy late.
#[tokio::test]
async fn a_delayed_request_keeps_a_younger_account() {
    let fixture = Fixture::new("delete-user").await;
    let received = fixture.sample_event()["requestContext"]["timeEpoch"].as_i64().unwrap();
    let cara_created_at = |milliseconds: i64| {
        let created = Timestamp::from_epoch_millis(milliseconds).unwrap();
        let mut cara = user("cara");
        cara.insert("created".to_owned(), S(created.to_string()));
        cara
    };
    fixture.put(cara_created_at(received + 1)).await;
    let before = fixture.all_items().await;
    let answer = fixture.call_with_sample_event(delete_user).await;
    assert_eq!(
        (answer.status, &answer.body["detail"]),
        (409, &json!("The account cara was created after this request. Send it again to delete the account."))
    );
    assert_eq!(fixture.all_items().await, before);

    fixture.put(cara_created_at(received)).await;
    assert_eq!(fixture.call_with_sample_event(delete_user).await.status, 204);
    assert_eq!(fixture.item(Key::user(&"cara".parse().unwrap())).await["erasing"], "cara");
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
    assert_eq!(fixture.operations(), ["UpdateItem"; 4]);
}
