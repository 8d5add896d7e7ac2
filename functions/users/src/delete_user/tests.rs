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
    let texts = [
        "email",
        "birthdate",
        "address",
        "status",
        "pushOff",
        "quietHours",
        "lockScreen",
        "sensitivePhotos",
        "pinnedImage",
        "pinnedPicture",
        "_version",
        "welcome",
        "creationId",
    ];
    full.extend(texts.map(|attribute| (attribute.to_owned(), S("x".to_owned()))));
    full.insert("created".to_owned(), S("2020-01-01T00:00:00.000Z".to_owned()));
    full.insert("attributes".to_owned(), AttributeValue::M([("theme".to_owned(), S("dark".to_owned()))].into()));
    full.insert("following".to_owned(), AttributeValue::N("2".to_owned()));
    fixture.put(full).await;
    let before = fixture.all_items().await;
    let answer = fixture.call(DeleteUser::start, delete()).await;
    assert_eq!((answer.status, answer.body), (204, json!(null)));
    assert_eq!(fixture.operations(), ["UpdateItem"]);
    let item = fixture.item(Key::user(&"ada".parse().unwrap())).await;
    assert_eq!(
        item,
        json!({
            "PK": "USER#ada", "SK": "#METADATA#ada", "erasing": "ada", "since": item["since"], "until": item["until"],
            "following": 2,
        })
    );
    let seconds = |name: &str| item[name].as_str().unwrap().parse::<Timestamp>().unwrap().seconds();
    assert_eq!(seconds("until") - seconds("since"), 7 * 24 * 60 * 60);
    assert_eq!(fixture.all_items().await.len(), before.len());
}

#[tokio::test]
async fn a_repeated_request_keeps_the_first_deletion() {
    let fixture = Fixture::new("delete-user").await;
    fixture.inject([Fault::AnswerLost]);
    assert_eq!(fixture.call_with_sample_event(DeleteUser::start).await.status, 204);
    let before = fixture.all_items().await;
    assert_eq!(fixture.call_with_sample_event(DeleteUser::start).await.status, 204);
    assert_eq!(fixture.all_items().await, before);
}

/// Favorites and tags need no profile.
#[tokio::test]
async fn puts_a_deletion_for_a_caller_without_a_profile() {
    let fixture = Fixture::new("delete-user").await;
    assert_eq!(fixture.call(DeleteUser::start, request("DELETE", "/users/nobody").by("nobody")).await.status, 204);
    let item = fixture.item(Key::user(&"nobody".parse().unwrap())).await;
    assert_eq!((&item["erasing"], item.get("username")), (&json!("nobody"), None));
}

#[tokio::test]
async fn another_account_with_the_name_deletes_nothing() {
    let fixture = Fixture::new("delete-user").await;
    let mut ada = user("ada");
    ada.insert("subject".to_owned(), S("890a72e1-6fa7-4644-ab1b-aaaa7249c448".to_owned()));
    fixture.put(ada).await;
    let answer = fixture.call(DeleteUser::start, delete()).await;
    assert_eq!((answer.status, answer.problem()), (403, "other-account"));
    assert_eq!(
        fixture.call(DeleteUser::start, delete().of_account("890a72e1-6fa7-4644-ab1b-aaaa7249c448")).await.status,
        204
    );
}

#[tokio::test]
async fn returns_403_for_another_user() {
    let fixture = Fixture::new("delete-user").await;
    fixture.needs_a_caller(DeleteUser::start, delete()).await;
    fixture.refuses(DeleteUser::start, delete().by("ben"), 403).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("delete-user").await;
    fixture
        .refuses_bad_usernames(DeleteUser::start, "username", |name| request("DELETE", format!("/users/{name}")))
        .await;
}

#[tokio::test]
async fn retries_after_a_transaction_conflict() {
    let fixture = Fixture::new("delete-user").await;
    fixture.inject([Fault::Error("TransactionConflictException"); 3]);
    assert_eq!(fixture.call(DeleteUser::start, delete()).await.status, 204);
    assert_eq!(fixture.operations(), ["UpdateItem"; 4]);
}
