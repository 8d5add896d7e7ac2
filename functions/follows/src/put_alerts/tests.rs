use super::*;
use serde_json::json;
use shared::dynamodb::Item;
use shared::entities::{mark_muted, query_alerted};
use testing::{Fault, Fixture, TestRequest, friendship, request, user};

/// A table in which ben follows ada, and cara follows ada and ben.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("put-alerts").await;
    fixture.put_all(vec![friendship("ada", "ben"), friendship("ada", "cara"), friendship("ben", "cara"), user("cara")]);
    fixture
}

fn put(username: &str, follower: &str) -> TestRequest {
    request("PUT", format!("/users/{username}/followers/{follower}/alerts")).by(follower)
}

/// Returns the followers whom new photos of a user alert, as the index has them.
async fn alerted(fixture: &Fixture, username: &str) -> Vec<String> {
    let table = fixture.unrecorded_table("QuickPhotosTable");
    let items = query_alerted(&table, &username.parse().unwrap()).send().await.unwrap().items.unwrap();
    items.iter().map(|item: &Item| item["followingUser"].as_s().unwrap().clone()).collect()
}

#[tokio::test]
async fn marks_one_friendship_however_often() {
    let fixture = fixture().await;
    let before = fixture.all_items().await;
    for _ in 0..2 {
        let answer = fixture.call(PutAlerts::start, put("ada", "cara")).await;
        assert_eq!((answer.status, answer.body), (200, json!({"username": "ada", "alerts": true})));
        assert_eq!(fixture.operations(), ["TransactWriteItems"]);
        assert_eq!(alerted(&fixture, "ada").await, ["cara"]);
    }
    fixture.inject([Fault::AnswerLost]);
    assert_eq!(fixture.call(PutAlerts::start, put("ben", "cara")).await.status, 200);
    assert_eq!(
        (alerted(&fixture, "ada").await, alerted(&fixture, "ben").await),
        (vec!["cara".into()], vec!["cara".into()])
    );
    let mut after = fixture.all_items().await;
    for followed in ["ada", "ben"] {
        after.get_mut(&format!("USER#{followed} #FRIEND#cara")).unwrap().as_object_mut().unwrap().remove("alertsOf");
    }
    assert_eq!(after, before, "nothing else has changed");
}

#[tokio::test]
async fn keeps_a_mute() {
    let fixture = fixture().await;
    fixture.put(mark_muted(friendship("ada", "cara"))).await;
    assert_eq!(fixture.call(PutAlerts::start, put("ada", "cara")).await.status, 200);
    let friendship = fixture.item(Key::friendship(&"ada".parse().unwrap(), &"cara".parse().unwrap())).await;
    assert_eq!((&friendship["muted"], &friendship["alertsOf"]), (&json!(true), &json!("ada")));
}

#[tokio::test]
async fn refuses_a_user_whom_the_caller_does_not_follow_whether_or_not_the_user_exists() {
    let fixture = fixture().await;
    fixture.put_all(vec![user("dora"), user("emil"), testing::block("dora", "cara", shared::values::Level::Block)]);
    let before = fixture.all_items().await;
    for username in ["dora", "emil", "nobody", "cara"] {
        let answer = fixture.call(PutAlerts::start, put(username, "cara")).await;
        assert_eq!((answer.status, answer.problem()), (409, "not-following"), "{username}");
        assert_eq!(answer.body["detail"], "You do not follow this user. Follow the user first.");
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn answers_the_sample_event_and_refuses_other_accounts() {
    let fixture = Fixture::new("put-alerts").await;
    assert_eq!(fixture.call_with_sample_event(PutAlerts::start).await.status, 200);
    fixture.refuses_other_accounts(PutAlerts::start).await;
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = fixture().await;
    fixture.needs_a_caller(PutAlerts::start, put("ada", "ben")).await;
    fixture.refuses_other_users(PutAlerts::start, put("ada", "ben")).await;
    fixture.refuses_bad_usernames(PutAlerts::start, "username", |username| put(username, "ben")).await;
    let of_follower = |follower: &str| request("PUT", format!("/users/ada/followers/{follower}/alerts")).by("ben");
    fixture.refuses_bad_usernames(PutAlerts::start, "follower", of_follower).await;
    assert!(alerted(&fixture, "ada").await.is_empty());
}
