//! Requests to follow dora, who approves followers.

use aws_sdk_dynamodb::types::AttributeValue::Bool;
use serde_json::Value;
use shared::entities::{MAX_REQUESTS_SENT, REQUESTS_RECEIVED, REQUESTS_SENT};
use testing::{approving_user, follow_request, friendship};

use super::*;

fn follow(name: &str) -> TestRequest {
    request("PUT", format!("/users/{name}/followers/cara")).by("cara")
}

/// Returns a fixture in which dora approves followers, and in which cara has asked others.
async fn fixture(requests_of_cara: u64) -> Fixture {
    let fixture = Fixture::new("follow-user").await;
    fixture.put(approving_user("dora", 0)).await;
    let mut cara = user("cara");
    cara.insert(REQUESTS_SENT.into(), N(requests_of_cara.to_string()));
    fixture.put(cara).await;
    fixture
}

/// Returns the users that cara follows, those whom cara has asked, and cara's two counts.
async fn of_cara(fixture: &Fixture) -> (Vec<String>, Vec<String>, [Value; 2]) {
    let items = fixture.all_items().await;
    let of = |suffix: &str| items.keys().filter_map(|key| key.strip_suffix(suffix).map(ToOwned::to_owned)).collect();
    let cara = &items["USER#cara #METADATA#cara"];
    (of(" #FRIEND#cara"), of(" #ASK#cara"), ["following", REQUESTS_SENT].map(|name| cara[name].clone()))
}

fn users(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| format!("USER#{name}")).collect()
}

#[tokio::test]
async fn asks_a_user_who_approves_followers() {
    let fixture = fixture(0).await;
    let first = fixture.call(FollowUser::start, follow("dora")).await;
    let timestamp = first.body["timestamp"].clone();
    let expected = json!({"username": "cara", "status": "requested", "timestamp": timestamp});
    assert_eq!((first.status, &first.body), (202, &expected));
    // A repeated request changes nothing.
    let second = fixture.call(FollowUser::start, follow("dora")).await;
    assert_eq!((second.status, &second.body), (202, &expected));
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 4]);
    assert_eq!(of_cara(&fixture).await, (users(&[]), users(&["dora"]), [json!(0), json!(1)]));
    assert_eq!(counts(&fixture, "dora").await, (0, 0));
    assert_eq!(fixture.item(Key::user(&"dora".parse().unwrap())).await[REQUESTS_RECEIVED], 1);

    let request = fixture.item(Key::follow_request(&"dora".parse().unwrap(), &"cara".parse().unwrap())).await;
    let expected = json!({"PK": "USER#dora", "SK": "#ASK#cara", "askedUser": "dora", "askingUser": "cara", "timestamp": timestamp});
    assert_eq!(request, expected);
}

#[tokio::test]
async fn asks_once_after_a_conflict_and_a_lost_answer() {
    let fixture = fixture(0).await;
    let conflict = Fault::TransactionCanceled("TransactionConflict");
    fixture.inject([Fault::None, conflict, Fault::AnswerLost]);
    assert_eq!(fixture.call(FollowUser::start, follow("dora")).await.status, 202);
    assert_eq!(of_cara(&fixture).await, (users(&[]), users(&["dora"]), [json!(0), json!(1)]));
}

#[tokio::test]
async fn follows_others_at_once_while_a_request_waits() {
    let fixture = fixture(1).await;
    fixture.put(follow_request("dora", "cara")).await;
    assert_eq!(fixture.call(FollowUser::start, follow("ada")).await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems", "BatchGetItem", "TransactWriteItems"]);
    assert_eq!(of_cara(&fixture).await, (users(&["ada"]), users(&["dora"]), [json!(1), json!(1)]));
    assert_eq!(fixture.call(FollowUser::start, follow("ada")).await.status, 200);
    assert_eq!(fixture.call(FollowUser::start, follow("nobody")).await.status, 404);

    // Also a user with too many writes.
    fixture.inject([vec![Fault::None; 2], vec![CONFLICT; 4]].concat());
    assert_eq!(fixture.call(FollowUser::start, follow("ben")).await.status, 201);
    assert_eq!(of_cara(&fixture).await, (users(&["ada", "ben"]), users(&["dora"]), [json!(2), json!(1)]));
    assert_eq!(counts(&fixture, "ben").await, (0, 1), "the friendship is uncounted");
}

#[tokio::test]
async fn the_friendship_replaces_the_request_once_the_user_does_not_approve_any_more() {
    for conflicts in [0, 4] {
        let fixture = fixture(2).await;
        let dora = testing::with_count(user("dora"), REQUESTS_RECEIVED, 1);
        fixture.put_all(vec![dora, follow_request("dora", "cara"), follow_request("ben", "cara")]);
        fixture.inject([vec![Fault::None; 2], vec![CONFLICT; conflicts]].concat());
        assert_eq!(fixture.call(FollowUser::start, follow("dora")).await.status, 201);
        assert_eq!(of_cara(&fixture).await, (users(&["dora"]), users(&["ben"]), [json!(1), json!(1)]));
        // Dora counts the request, so she counts the friendship too, also after conflicts.
        assert_eq!(counts(&fixture, "dora").await.0, 1);
        assert_eq!(fixture.item(Key::user(&"dora".parse().unwrap())).await[REQUESTS_RECEIVED], 0);
    }
}

#[tokio::test]
async fn a_follower_stays_one_when_the_user_begins_to_approve() {
    let fixture = fixture(0).await;
    fixture.put(friendship("dora", "cara")).await;
    let before = fixture.all_items().await;
    let answer = fixture.call(FollowUser::start, follow("dora")).await;
    assert_eq!((answer.status, &answer.body["status"]), (200, &json!(null)));
    assert_eq!(fixture.all_items().await, before);
}

/// The followed user changes between the two transactions of the function.
#[tokio::test]
async fn decides_again_if_the_user_changes_meanwhile() {
    let fixture = fixture(0).await;
    fixture.write_concurrently(1, vec![user("dora")], vec![]);
    assert_eq!(fixture.call(FollowUser::start, follow("dora")).await.status, 201);

    let mut ada = user("ada");
    ada.insert("approvesFollowers".into(), Bool(true));
    fixture.put(ada.clone()).await;
    fixture.write_concurrently(1, vec![friendship("ada", "cara")], vec![]);
    assert_eq!(fixture.call(FollowUser::start, follow("ada")).await.status, 200);
    fixture.write_concurrently(1, vec![deletion("ada")], vec![]);
    fixture.delete(Key::friendship(&"ada".parse().unwrap(), &"cara".parse().unwrap())).await;
    fixture.put(ada).await;
    assert_eq!(fixture.call(FollowUser::start, follow("ada")).await.status, 404);
}

#[tokio::test]
async fn refuses_one_request_more_than_the_maximum() {
    let fixture = fixture(MAX_REQUESTS_SENT - 1).await;
    fixture.put(approving_user("eve", 0)).await;
    assert_eq!(fixture.call(FollowUser::start, follow("dora")).await.status, 202);
    let before = fixture.all_items().await;
    let answer = fixture.call(FollowUser::start, follow("eve")).await;
    let detail = json!("You have reached the maximum of 1000 requests that wait for an answer. Withdraw one first.");
    assert_eq!((answer.problem(), &answer.body["detail"]), ("too-many-follow-requests", &detail));
    assert_eq!(fixture.call(FollowUser::start, follow("dora")).await.status, 202);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn returns_503_if_the_user_changes_before_each_attempt() {
    let fixture = fixture(1).await;
    fixture.inject(
        [Fault::None, Fault::None]
            .into_iter()
            .chain([Fault::ConditionFailed("USER#ada #ASK#cara"), Fault::None].repeat(4)),
    );
    let before = fixture.all_items().await;
    assert_eq!(fixture.call(FollowUser::start, follow("ada")).await.status, 503);
    assert_eq!(fixture.all_items().await, before);
}

/// The contended user cannot be read from the index that follows the table, so the function trusts
/// the copy of the setting there.
#[tokio::test]
async fn asks_a_user_with_too_many_writes_too() {
    let fixture = fixture(0).await;
    fixture.inject([CONFLICT; 4]);
    assert_eq!(fixture.call(FollowUser::start, follow("dora")).await.status, 202);
    assert_eq!(of_cara(&fixture).await, (users(&[]), users(&["dora"]), [json!(0), json!(1)]));
}
