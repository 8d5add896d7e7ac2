use super::*;
use local::testing::{Ask, Fault, Fixture, ask};
use serde_json::json;

fn delete() -> Ask {
    ask("DELETE", "/users/ada").by("ada")
}

#[tokio::test]
async fn a_deletion_takes_the_place_of_all_that_was_the_users() {
    let fixture = Fixture::new("delete-user").await;
    let before = fixture.everything().await;
    let answer = fixture.call(delete_user, delete()).await;
    assert_eq!((answer.status, answer.body), (204, json!(null)));
    assert_eq!(fixture.asked(), ["PutItem"]);
    let item = fixture.item(Key::user(&"ada".parse().unwrap())).await;
    assert_eq!(item, json!({"PK": "USER#ada", "SK": "#METADATA#ada", "erasing": "ada", "since": item["since"]}));
    assert!(item["since"].is_string());
    assert_eq!(fixture.everything().await.len(), before.len());
}

#[tokio::test]
async fn may_be_repeated_and_the_first_deletion_stays() {
    let fixture = Fixture::new("delete-user").await;
    fixture.befall([Fault::LostAnswer]);
    assert_eq!(fixture.call_with_sample_event(delete_user).await.status, 204);
    let before = fixture.everything().await;
    assert_eq!(fixture.call_with_sample_event(delete_user).await.status, 204);
    assert_eq!(fixture.call(delete_user, ask("DELETE", "/users/nobody").by("nobody")).await.status, 204);
    assert_eq!(fixture.everything().await, before);
}

#[tokio::test]
async fn nobody_deletes_another() {
    let fixture = Fixture::new("delete-user").await;
    fixture.needs_a_caller(delete_user, delete()).await;
    fixture.refuses(delete_user, delete().by("ben"), 403).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("delete-user").await;
    fixture.refuses_bad_usernames(delete_user, "username", |name| ask("DELETE", format!("/users/{name}"))).await;
}

#[tokio::test]
async fn meets_a_transaction_and_waits_for_its_end() {
    let fixture = Fixture::new("delete-user").await;
    fixture.befall([Fault::Refused("TransactionConflictException"); 3]);
    assert_eq!(fixture.call(delete_user, delete()).await.status, 204);
    assert_eq!(fixture.asked(), ["PutItem"; 4]);
}
