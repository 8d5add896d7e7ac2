use super::*;
use serde_json::json;
use testing::{Fault, Fixture, TestRequest, deletion, request, user};

mod blocks;
mod requests;

const CONFLICT: Fault = Fault::TransactionCanceled("TransactionConflict");

fn put_cara_follows_ada() -> TestRequest {
    request("PUT", "/users/ada/followers/cara").by("cara")
}

/// Returns a user's `followers` and `following`.
async fn counts(fixture: &Fixture, username: &str) -> (u64, u64) {
    let user = fixture.item(Key::user(&username.parse().unwrap())).await;
    (user["followers"].as_u64().unwrap(), user["following"].as_u64().unwrap())
}

#[tokio::test]
async fn puts_the_friendship_and_increments_both_counts() {
    let fixture = Fixture::new("follow-user").await;
    let begin = Timestamp::now();
    let answer = fixture.call_with_sample_event(FollowUser::start).await;
    assert_eq!(answer.status, 201);
    let timestamp = answer.body["timestamp"].as_str().unwrap();
    assert!(begin.as_ref() <= timestamp && timestamp <= Timestamp::now().as_ref());
    assert!(!answer.headers.contains_key("location"), "no GET returns it");
    assert_eq!(counts(&fixture, "ada").await, (2, 0));
    assert_eq!(counts(&fixture, "cara").await, (0, 1));
    assert_eq!(counts(&fixture, "ben").await, (0, 1));
    assert_eq!(answer.body, json!({"username": "cara", "timestamp": answer.body["timestamp"]}));
    let item = fixture.item(Key::friendship(&"ada".parse().unwrap(), &"cara".parse().unwrap())).await;
    assert_eq!(
        item,
        json!({
            "PK": "USER#ada", "SK": "#FRIEND#cara", "followedUser": "ada", "followingUser": "cara",
            "timestamp": answer.body["timestamp"],
        })
    );
}

#[tokio::test]
async fn following_back_is_a_second_friendship() {
    let fixture = Fixture::new("follow-user").await;
    let answer = fixture.call(FollowUser::start, request("PUT", "/users/ben/followers/ada").by("ada")).await;
    assert_eq!(answer.status, 201);
    assert_eq!(counts(&fixture, "ada").await, (1, 1));
    assert_eq!(counts(&fixture, "ben").await, (1, 1));
}

#[tokio::test]
async fn a_repeated_request_counts_once() {
    let fixture = Fixture::new("follow-user").await;
    let first = fixture.call(FollowUser::start, put_cara_follows_ada()).await;
    let before = fixture.all_items().await;
    let second = fixture.call(FollowUser::start, put_cara_follows_ada()).await;
    assert_eq!((first.status, second.status), (201, 200));
    assert_eq!(first.body, second.body);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_counts_once() {
    let fixture = Fixture::new("follow-user").await;
    fixture.inject([Fault::AnswerLost, Fault::AnswerLost]);
    let answer = fixture.call(FollowUser::start, put_cara_follows_ada()).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 3]);
    assert_eq!(counts(&fixture, "ada").await, (2, 0));
}

#[tokio::test]
async fn retries_after_an_error_that_cannot_be_parsed() {
    let fixture = Fixture::new("follow-user").await;
    let existing = request("PUT", "/users/ada/followers/ben").by("ben");
    fixture.inject([Fault::Unparsable]);
    let answer = fixture.call(FollowUser::start, existing.clone()).await;
    assert_eq!((answer.status, fixture.operations()), (200, vec!["TransactWriteItems".to_owned(); 2]));
    fixture.inject([Fault::Unparsable; 5]);
    assert_eq!(fixture.call(FollowUser::start, existing).await.status, 503);
}

#[tokio::test]
async fn retries_after_a_transaction_conflict() {
    let fixture = Fixture::new("follow-user").await;
    fixture.inject([CONFLICT; 3]);
    assert_eq!(fixture.call(FollowUser::start, put_cara_follows_ada()).await.status, 201);
    assert_eq!(counts(&fixture, "ada").await, (2, 0));
}

#[tokio::test]
async fn returns_503_when_the_retry_budget_is_used_up() {
    let fixture = Fixture::new("follow-user").await;
    // The transaction with both counts, the Query, and the transaction without the count of the
    // followed user.
    fixture.inject([vec![CONFLICT; 4], vec![Fault::None], vec![CONFLICT; 12]].concat());
    let answer = fixture.call(FollowUser::start, request("PUT", "/users/cara/followers/ada").by("ada")).await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.headers["retry-after"], "1");
    assert_eq!(counts(&fixture, "cara").await, (0, 0));
}

#[tokio::test]
async fn counts_50_concurrent_followers() {
    let fixture = Fixture::new("follow-user").await;
    let names: Vec<String> = (0..50).map(|number| format!("u{number}")).collect();
    for name in &names {
        fixture.put(user(name)).await;
    }
    let mut calls = tokio::task::JoinSet::new();
    let fixture = std::sync::Arc::new(fixture);
    for name in names {
        let fixture = fixture.clone();
        calls.spawn(async move {
            fixture
                .call(FollowUser::start, request("PUT", format!("/users/ben/followers/{name}")).by(&name))
                .await
                .status
        });
    }
    assert_eq!(calls.join_all().await, [201; 50]);
    assert_eq!(counts(&fixture, "ben").await, (50, 1));
}

#[tokio::test]
async fn refuses_one_followed_user_more_than_the_maximum() {
    let fixture = Fixture::new("follow-user").await;
    let follow = |name: &str| request("PUT", format!("/users/{name}/followers/cara")).by("cara");
    let mut cara = user("cara");
    cara.insert("following".into(), N((MAX_FOLLOWING - 1).to_string()));
    fixture.put(cara).await;
    assert_eq!(fixture.call(FollowUser::start, follow("ada")).await.status, 201);
    let before = fixture.all_items().await;
    let answer = fixture.call(FollowUser::start, follow("ben")).await;
    let detail = json!("You have reached the maximum of 5000 followed users. Unfollow a user first.");
    assert_eq!((answer.problem(), &answer.body["detail"]), ("too-many-followed", &detail));
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);
    // A repetition and an unknown user have the same answers as below the maximum.
    assert_eq!(fixture.call(FollowUser::start, follow("ada")).await.status, 200);
    assert_eq!(fixture.call(FollowUser::start, follow("nobody")).await.status, 404);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn counts_for_a_user_without_a_count() {
    let fixture = Fixture::new("follow-user").await;
    let mut old = user("old");
    old.remove("following");
    fixture.put(old).await;
    let follow = request("PUT", "/users/ada/followers/old").by("old");
    assert_eq!(fixture.call(FollowUser::start, follow).await.status, 201);
    assert_eq!(counts(&fixture, "old").await, (0, 1));
}

#[tokio::test]
async fn returns_404_for_an_unknown_or_deleted_user() {
    let fixture = Fixture::new("follow-user").await;
    fixture.put(deletion("ada")).await;
    let before = fixture.all_items().await;
    for name in ["nobody", "ada"] {
        for (followed, follower) in [(name, "cara"), ("cara", name)] {
            let uri = format!("/users/{followed}/followers/{follower}");
            let answer = fixture.call(FollowUser::start, request("PUT", uri).by(follower)).await;
            let problem = if followed == name { "no-user" } else { "no-profile" };
            assert_eq!((answer.status, answer.problem()), (404, problem));
        }
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("follow-user").await;
    fixture.needs_a_caller(FollowUser::start, put_cara_follows_ada()).await;
    for stranger in ["ada", "ben"] {
        fixture.refuses(FollowUser::start, put_cara_follows_ada().by(stranger), 403).await;
    }
    fixture.refuses_other_accounts(FollowUser::start).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("follow-user").await;
    fixture
        .refuses_bad_usernames(FollowUser::start, "username", |name| {
            request("PUT", format!("/users/{name}/followers/ada"))
        })
        .await;
    fixture
        .refuses_bad_usernames(FollowUser::start, "follower", |name| {
            request("PUT", format!("/users/ada/followers/{name}"))
        })
        .await;
    fixture.refuses_field(FollowUser::start, request("PUT", "/users/ada/followers/ada").by("ada"), "follower").await;
}

#[tokio::test]
async fn does_not_return_404_for_a_conflict_on_a_user() {
    let fixture = Fixture::new("follow-user").await;
    fixture.inject([Fault::ConditionFailed("Put USER#ada #FRIEND#ben")]);
    let answer = fixture.call(FollowUser::start, request("PUT", "/users/ada/followers/ben").by("ben")).await;
    assert_ne!(answer.status, 404, "{}", answer.body);
}

/// Returns the friendship in which cara follows ada.
async fn friendship(fixture: &Fixture) -> serde_json::Value {
    fixture.item(Key::friendship(&"ada".parse().unwrap(), &"cara".parse().unwrap())).await
}

#[tokio::test]
async fn a_friendship_with_a_user_with_too_many_writes_is_put_uncounted() {
    let fixture = Fixture::new("follow-user").await;
    fixture.inject([CONFLICT; 4]);
    let first = fixture.call(FollowUser::start, put_cara_follows_ada()).await;
    assert_eq!(first.status, 201, "{}", first.body);
    let operations = [vec!["TransactWriteItems"; 4], vec!["Query", "TransactWriteItems"]].concat().join(" ");
    assert_eq!(fixture.operations().join(" "), operations);
    assert_eq!((counts(&fixture, "ada").await, counts(&fixture, "cara").await), ((1, 0), (0, 1)));
    let expected = json!({
        "PK": "USER#ada", "SK": "#FRIEND#cara", "followedUser": "ada", "followingUser": "cara",
        "timestamp": first.body["timestamp"], "uncounted": true,
    });
    assert_eq!(friendship(&fixture).await, expected);

    // A repetition changes nothing, whether the user still takes too many writes or not.
    for conflicts in [4, 0] {
        fixture.inject(std::iter::repeat_n(CONFLICT, conflicts));
        let second = fixture.call(FollowUser::start, put_cara_follows_ada()).await;
        assert_eq!((second.status, &second.body), (200, &first.body));
        assert_eq!((counts(&fixture, "ada").await, counts(&fixture, "cara").await), ((1, 0), (0, 1)));
        assert_eq!(friendship(&fixture).await, expected);
    }
}

#[tokio::test]
async fn a_process_that_has_met_a_hot_user_goes_the_other_way_at_once() {
    let fixture = Fixture::new("follow-user").await;
    let process = fixture.service(FollowUser::start);
    fixture.put(user("dora")).await;
    fixture.inject([CONFLICT; 4]);
    assert_eq!(fixture.send(&process, put_cara_follows_ada()).await.status, 201);
    assert_eq!(fixture.operations().len(), 6);
    let dora = request("PUT", "/users/ada/followers/dora").by("dora");
    assert_eq!(fixture.send(&process, dora).await.status, 201);
    assert_eq!(fixture.operations(), ["Query", "TransactWriteItems"]);
    let other = request("PUT", "/users/cara/followers/dora").by("dora");
    assert_eq!(fixture.send(&process, other).await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
}

#[tokio::test]
async fn an_uncounted_friendship_needs_both_users() {
    let fixture = Fixture::new("follow-user").await;
    fixture.put(deletion("dora")).await;
    let before = fixture.all_items().await;
    for (followed, follower, problem) in [
        ("nobody", "cara", "no-user"),
        ("dora", "cara", "no-user"),
        ("ada", "nobody", "no-profile"),
        ("ada", "dora", "no-profile"),
    ] {
        fixture.inject([CONFLICT; 4]);
        let put = request("PUT", format!("/users/{followed}/followers/{follower}")).by(follower);
        let answer = fixture.call(FollowUser::start, put).await;
        assert_eq!((answer.status, answer.problem()), (404, problem));
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn an_uncounted_friendship_counts_against_the_maximum() {
    let fixture = Fixture::new("follow-user").await;
    let mut cara = user("cara");
    cara.insert("following".into(), N(MAX_FOLLOWING.to_string()));
    fixture.put(cara).await;
    let before = fixture.all_items().await;
    fixture.inject([CONFLICT; 4]);
    assert_eq!(fixture.call(FollowUser::start, put_cara_follows_ada()).await.status, 409);
    assert_eq!(fixture.all_items().await, before);
}
