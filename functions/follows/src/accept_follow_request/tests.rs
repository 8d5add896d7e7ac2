use super::*;
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use shared::values::Level;
use testing::{
    Fault, Fixture, TestRequest, approving_user, block, deletion, follow_request, friendship, request, user,
};

fn accept(follower: &str) -> TestRequest {
    request("PUT", format!("/users/ben/requests/{follower}")).by("ben")
}

/// Returns a fixture in which dora has asked ben and cara to follow them.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("accept-follow-request").await;
    fixture.put_all(vec![approving_user("dora", 2), follow_request("ben", "dora"), follow_request("cara", "dora")]);
    let ben = testing::with_count(user("ben"), "following", 1);
    fixture.put(testing::with_count(ben, "requestsReceived", 2)).await;
    fixture
}

/// Returns the number of requests that a user has received.
async fn received(fixture: &Fixture, username: &str) -> Value {
    fixture.item(Key::user(&username.parse().unwrap())).await["requestsReceived"].take()
}

/// Returns a user's counts of followers, of followed users and of requests.
async fn counts(fixture: &Fixture, username: &str) -> [Value; 3] {
    let mut user = fixture.item(Key::user(&username.parse().unwrap())).await;
    ["followers", "following", "requestsSent"].map(|name| user[name].take())
}

#[tokio::test]
async fn replaces_the_request_with_a_friendship() {
    let fixture = fixture().await;
    let before = fixture.all_items().await;
    let first = fixture.call(AcceptFollowRequest::start, accept("dora")).await;
    let timestamp = first.body["timestamp"].clone();
    let expected = json!({"username": "dora", "timestamp": timestamp});
    assert_eq!((first.status, &first.body), (201, &expected));
    // A repeated request changes nothing.
    let second = fixture.call(AcceptFollowRequest::start, accept("dora")).await;
    assert_eq!((second.status, &second.body), (200, &expected));
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);

    let after = fixture.all_items().await;
    assert_eq!(after.len(), before.len());
    assert!(after.contains_key("USER#ben #FRIEND#dora") && after.contains_key("USER#cara #ASK#dora"));
    assert!(!after.contains_key("USER#ben #ASK#dora"));
    assert_eq!(counts(&fixture, "ben").await, [json!(1), json!(1), json!(null)]);
    assert_eq!(counts(&fixture, "dora").await, [json!(0), json!(1), json!(1)]);
    assert_eq!(received(&fixture, "ben").await, 1);
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = fixture().await;
    fixture.put_all(vec![approving_user("ada", 1), follow_request("ben", "ada")]);
    assert_eq!(fixture.call_with_sample_event(AcceptFollowRequest::start).await.status, 201);
    assert_eq!(counts(&fixture, "ada").await, [json!(0), json!(1), json!(0)]);
}

#[tokio::test]
async fn counts_once_after_a_conflict_and_a_lost_answer() {
    let fixture = fixture().await;
    fixture.inject([Fault::TransactionCanceled("TransactionConflict"), Fault::AnswerLost]);
    assert_eq!(fixture.call(AcceptFollowRequest::start, accept("dora")).await.status, 201);
    assert_eq!(counts(&fixture, "dora").await, [json!(0), json!(1), json!(1)]);
    assert_eq!(counts(&fixture, "ben").await, [json!(1), json!(1), json!(null)]);
}

#[tokio::test]
async fn accepts_nothing_that_was_not_asked() {
    let fixture = fixture().await;
    fixture.put_all(vec![user("eve"), friendship("cara", "eve"), deletion("gone")]);
    let before = fixture.all_items().await;
    for follower in ["eve", "gone", "nobody", "ben"] {
        let answer = fixture.call(AcceptFollowRequest::start, accept(follower)).await;
        assert_eq!((answer.status, answer.problem()), (404, "no-follow-request"), "{follower}");
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_follower_stays_within_the_maximum() {
    let fixture = fixture().await;
    let mut dora = approving_user("dora", 2);
    dora.insert("following".to_owned(), AttributeValue::N(MAX_FOLLOWING.to_string()));
    fixture.put(dora).await;
    let before = fixture.all_items().await;
    let answer = fixture.call(AcceptFollowRequest::start, accept("dora")).await;
    let detail = json!("dora follows 5000 users already, which is the maximum.");
    assert_eq!((answer.problem(), &answer.body["detail"]), ("follower-at-maximum", &detail));
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_user_who_is_being_deleted_follows_nobody() {
    let fixture = fixture().await;
    fixture.put(deletion("dora")).await;
    let before = fixture.all_items().await;
    assert_eq!(fixture.call(AcceptFollowRequest::start, accept("dora")).await.problem(), "no-user");
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = fixture().await;
    fixture.needs_a_caller(AcceptFollowRequest::start, accept("dora")).await;
    for caller in ["dora", "cara"] {
        fixture.refuses(AcceptFollowRequest::start, accept("dora").by(caller), 403).await;
    }
    fixture.refuses_bad_usernames(AcceptFollowRequest::start, "follower", accept).await;
    let of = |name: &str| request("PUT", format!("/users/{name}/requests/dora")).by("ben");
    fixture.refuses_bad_usernames(AcceptFollowRequest::start, "username", of).await;

    let mut ben = user("ben");
    ben.insert("subject".to_owned(), AttributeValue::S("another account".to_owned()));
    for (item, problem) in [(ben, "other-account"), (deletion("ben"), "no-profile")] {
        fixture.put(item).await;
        let before = fixture.all_items().await;
        assert_eq!(fixture.call(AcceptFollowRequest::start, accept("dora")).await.problem(), problem);
        assert_eq!(fixture.all_items().await, before);
    }
}

#[tokio::test]
async fn the_friendship_of_a_follower_who_has_muted_the_user_meanwhile_says_so() {
    for (mute, muted) in [(Some(block("dora", "ben", Level::Mute)), true), (None, false)] {
        let fixture = fixture().await;
        fixture.put(testing::with_count(approving_user("dora", 2), "mutes", 1)).await;
        if let Some(mute) = mute {
            fixture.put(mute).await;
        }
        let answer = fixture.call(AcceptFollowRequest::start, accept("dora")).await;
        assert_eq!((answer.status, answer.body.get("muted")), (201, None), "nobody is told");
        assert_eq!(fixture.operations(), ["TransactWriteItems", "GetItem", "TransactWriteItems"]);
        let key = Key::friendship(&"ben".parse().unwrap(), &"dora".parse().unwrap());
        assert_eq!(fixture.item(key).await["muted"] == true, muted);
    }
}
