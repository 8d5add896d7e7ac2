use super::*;
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;
use testing::{Fault, Fixture, TestRequest, approving_user, deletion, follow_request, request, user};

fn decline(follower: &str) -> TestRequest {
    request("DELETE", format!("/users/ben/requests/{follower}")).by("ben")
}

/// Returns a fixture in which dora has asked ben and cara to follow them.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("decline-follow-request").await;
    fixture.put_all(vec![approving_user("dora", 2), follow_request("ben", "dora"), follow_request("cara", "dora")]);
    fixture.put(testing::with_count(user("ben"), REQUESTS_RECEIVED, 2)).await;
    fixture
}

async fn requests_received(fixture: &Fixture, username: &str) -> serde_json::Value {
    fixture.item(Key::user(&username.parse().unwrap())).await[REQUESTS_RECEIVED].take()
}

async fn requests_sent(fixture: &Fixture, username: &str) -> serde_json::Value {
    fixture.item(Key::user(&username.parse().unwrap())).await["requestsSent"].take()
}

#[tokio::test]
async fn deletes_the_request_and_decrements_the_count() {
    let fixture = fixture().await;
    let before = fixture.all_items().await;
    for _ in 0..2 {
        let answer = fixture.call(DeclineFollowRequest::start, decline("dora")).await;
        assert_eq!((answer.status, answer.body), (204, json!(null)));
        assert_eq!(requests_sent(&fixture, "dora").await, json!(1));
        assert_eq!(requests_received(&fixture, "ben").await, json!(1));
        let after = fixture.all_items().await;
        assert_eq!(after.len(), before.len() - 1);
        assert!(after.contains_key("USER#cara #ASK#dora"));
    }
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = fixture().await;
    fixture.put_all(vec![approving_user("ada", 1), follow_request("ben", "ada")]);
    assert_eq!(fixture.call_with_sample_event(DeclineFollowRequest::start).await.status, 204);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    assert_eq!(requests_sent(&fixture, "ada").await, json!(0));
}

#[tokio::test]
async fn changes_nothing_if_the_caller_declines_a_request_of_their_own() {
    let fixture = fixture().await;
    let before = fixture.all_items().await;
    assert_eq!(fixture.call(DeclineFollowRequest::start, decline("ben")).await.status, 204);
    assert_eq!(fixture.all_items().await, before);
    assert_eq!(fixture.operations(), [""; 0]);
}

#[tokio::test]
async fn deletes_a_request_that_no_count_includes() {
    let fixture = fixture().await;
    fixture.put_all(vec![user("eve"), follow_request("ben", "eve")]);
    assert_eq!(fixture.call(DeclineFollowRequest::start, decline("eve")).await.status, 204);
    assert!(!fixture.all_items().await.contains_key("USER#ben #ASK#eve"));
    assert_eq!(requests_sent(&fixture, "eve").await, json!(null));
    assert_eq!(requests_received(&fixture, "ben").await, json!(1));
}

#[tokio::test]
async fn decrements_once_after_a_conflict_and_a_lost_answer() {
    let fixture = fixture().await;
    fixture.inject([Fault::TransactionCanceled("TransactionConflict"), Fault::AnswerLost]);
    assert_eq!(fixture.call(DeclineFollowRequest::start, decline("dora")).await.status, 204);
    assert_eq!(requests_sent(&fixture, "dora").await, json!(1));
    assert_eq!(requests_received(&fixture, "ben").await, json!(1));
}

#[tokio::test]
async fn declines_the_request_of_a_user_who_is_being_deleted() {
    let fixture = fixture().await;
    let mut deletion = deletion("dora");
    deletion.insert(REQUESTS_SENT.to_owned(), AttributeValue::N("2".to_owned()));
    fixture.put(deletion).await;
    assert_eq!(fixture.call(DeclineFollowRequest::start, decline("dora")).await.status, 204);
    assert_eq!(requests_sent(&fixture, "dora").await, json!(1));
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = fixture().await;
    fixture.needs_a_caller(DeclineFollowRequest::start, decline("dora")).await;
    // The user who asks withdraws a request with DELETE …/followers/{follower}.
    for caller in ["dora", "cara"] {
        fixture.refuses(DeclineFollowRequest::start, decline("dora").by(caller), 403).await;
    }
    fixture.refuses_bad_usernames(DeclineFollowRequest::start, "follower", decline).await;
    let of = |name: &str| request("DELETE", format!("/users/{name}/requests/dora")).by("ben");
    fixture.refuses_bad_usernames(DeclineFollowRequest::start, "username", of).await;
}

#[tokio::test]
async fn refuses_other_accounts() {
    let fixture = fixture().await;
    let mut of_another_account = user("ben");
    of_another_account.insert("subject".to_owned(), AttributeValue::S("another account".to_owned()));
    for (ben, status) in [(of_another_account, 403), (deletion("ben"), 404)] {
        fixture.put(ben).await;
        let before = fixture.all_items().await;
        let answer = fixture.call(DeclineFollowRequest::start, decline("dora")).await;
        assert_eq!(answer.status, status, "{}", answer.body);
        assert_eq!(fixture.all_items().await, before);
    }
}
