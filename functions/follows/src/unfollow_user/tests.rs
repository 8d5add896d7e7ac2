use super::*;
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;
use shared::entities::mark_uncounted;
use testing::{Fault, Fixture, TestRequest, approving_user, deletion, follow_request, friendship, request, user};

fn delete_ben_follows_ada() -> TestRequest {
    request("DELETE", "/users/ada/followers/ben").by("ben")
}

/// Returns a user's `followers` and `following`.
async fn counts(fixture: &Fixture, username: &str) -> (u64, u64) {
    let user = fixture.item(Key::user(&username.parse().unwrap())).await;
    (user["followers"].as_u64().unwrap(), user["following"].as_u64().unwrap())
}

#[tokio::test]
async fn deletes_the_friendship_and_decrements_both_counts() {
    let fixture = Fixture::new("unfollow-user").await;
    let before = fixture.all_items().await.len();
    let answer = fixture.call_with_sample_event(UnfollowUser::start).await;
    assert_eq!((answer.status, answer.body), (204, json!(null)));
    assert_eq!(counts(&fixture, "ada").await, (0, 0));
    assert_eq!(counts(&fixture, "ben").await, (0, 0));
    assert_eq!(fixture.all_items().await.len(), before - 1);
}

#[tokio::test]
async fn the_followed_user_removes_a_follower() {
    let fixture = Fixture::new("unfollow-user").await;
    let before = fixture.all_items().await.len();
    for _ in 0..2 {
        assert_eq!(fixture.call(UnfollowUser::start, delete_ben_follows_ada().by("ada")).await.status, 204);
        assert_eq!((counts(&fixture, "ada").await, counts(&fixture, "ben").await), ((0, 0), (0, 0)));
        assert_eq!(fixture.all_items().await.len(), before - 1);
    }
}

#[tokio::test]
async fn another_account_with_the_name_of_the_followed_user_removes_nobody() {
    let fixture = Fixture::new("unfollow-user").await;
    let mut ada = user("ada");
    ada.insert("subject".to_owned(), AttributeValue::S("another account".to_owned()));
    fixture.put(ada).await;
    for friendship in [friendship("ada", "ben"), mark_uncounted(friendship("ada", "ben"))] {
        fixture.put(friendship).await;
        let before = fixture.all_items().await;
        assert_eq!(fixture.call(UnfollowUser::start, delete_ben_follows_ada().by("ada")).await.status, 403);
        assert_eq!(fixture.all_items().await, before);
    }
}

#[tokio::test]
async fn changes_nothing_without_a_friendship() {
    let fixture = Fixture::new("unfollow-user").await;
    assert_eq!(fixture.call(UnfollowUser::start, delete_ben_follows_ada()).await.status, 204);
    let before = fixture.all_items().await;
    for (uri, caller) in [
        ("/users/ada/followers/ben", "ben"),
        ("/users/ben/followers/ada", "ada"),
        ("/users/nobody/followers/ada", "ada"),
        ("/users/ada/followers/nobody", "nobody"),
    ] {
        assert_eq!(fixture.call(UnfollowUser::start, request("DELETE", uri).by(caller)).await.status, 204, "{uri}");
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn decrements_once_after_a_conflict_and_a_lost_answer() {
    let fixture = Fixture::new("unfollow-user").await;
    let mut ada = user("ada");
    ada.insert("followers".into(), AttributeValue::N("2".into()));
    fixture.put(ada).await;
    fixture.inject([Fault::TransactionCanceled("TransactionConflict"), Fault::AnswerLost]);
    assert_eq!(fixture.call(UnfollowUser::start, delete_ben_follows_ada()).await.status, 204);
    assert_eq!(counts(&fixture, "ada").await, (1, 0));
    assert_eq!(counts(&fixture, "ben").await, (0, 0));
}

#[tokio::test]
async fn deletes_a_friendship_with_a_deleted_user() {
    let fixture = Fixture::new("unfollow-user").await;
    fixture.put(deletion("ada")).await;
    assert_eq!(fixture.call(UnfollowUser::start, delete_ben_follows_ada()).await.status, 204);
    assert_eq!(counts(&fixture, "ben").await, (0, 0));
    assert!(fixture.item(Key::user(&"ada".parse().unwrap())).await.get("followers").is_none());

    fixture.put(friendship("ghost", "cara")).await;
    let before = fixture.all_items().await.len();
    assert_eq!(
        fixture.call(UnfollowUser::start, request("DELETE", "/users/ghost/followers/cara").by("cara")).await.status,
        204
    );
    assert_eq!(fixture.all_items().await.len(), before - 1);
    assert_eq!(counts(&fixture, "cara").await, (0, 0), "the count does not fall below zero");
}

#[tokio::test]
async fn decrements_the_count_of_an_account_that_appears_between_two_attempts() {
    let fixture = Fixture::new("unfollow-user").await;
    fixture.put(deletion("ada")).await;
    let mut new_ada = user("ada");
    new_ada.insert("followers".into(), AttributeValue::N("1".into()));
    // The first attempt finds nothing to decrement. Before the second one, ada is a new account
    // that ben follows.
    fixture.write_concurrently(1, vec![new_ada], vec![]);
    assert_eq!(fixture.call(UnfollowUser::start, delete_ben_follows_ada()).await.status, 204);
    assert_eq!(counts(&fixture, "ada").await, (0, 0));
    assert_eq!(counts(&fixture, "ben").await, (0, 0));
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 3]);
}

#[tokio::test]
async fn deletes_the_friendship_alone_while_the_count_is_zero() {
    let fixture = Fixture::new("unfollow-user").await;
    let mut ada = user("ada");
    ada.insert("followers".into(), AttributeValue::N("1".into()));
    fixture.put(ada).await;
    // The count falls to 0 before the first attempt. The second one checks that it is still 0.
    fixture.write_concurrently(0, vec![user("ada")], vec![]);
    assert_eq!(fixture.call(UnfollowUser::start, delete_ben_follows_ada()).await.status, 204);
    assert_eq!(counts(&fixture, "ada").await, (0, 0));
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);
}

#[tokio::test]
async fn returns_503_if_the_count_changes_before_each_attempt() {
    let fixture = Fixture::new("unfollow-user").await;
    let before = fixture.all_items().await;
    fixture.inject([Fault::ConditionFailed("USER#ada #METADATA#ada"); 10]);
    assert_eq!(fixture.call(UnfollowUser::start, delete_ben_follows_ada()).await.status, 503);
    assert_eq!(fixture.all_items().await, before);
    assert_eq!(fixture.call(UnfollowUser::start, delete_ben_follows_ada()).await.status, 204);
}

#[tokio::test]
async fn leaves_the_friendships_of_a_deleted_follower_to_finish_deletion() {
    let fixture = Fixture::new("unfollow-user").await;
    let mut ben = deletion("ben");
    ben.insert("following".into(), AttributeValue::N("2".into()));
    fixture.put(ben).await;
    let before = fixture.all_items().await;
    assert_eq!(fixture.call(UnfollowUser::start, delete_ben_follows_ada()).await.status, 404);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn deletes_an_old_friendship_with_oneself() {
    let fixture = Fixture::new("unfollow-user").await;
    let mut zoe = user("zoe");
    zoe.extend([
        ("followers".into(), AttributeValue::N("3".into())),
        ("following".into(), AttributeValue::N("2".into())),
    ]);
    fixture.put(zoe).await;
    fixture.put(friendship("zoe", "zoe")).await;
    for _ in 0..2 {
        let answer = fixture.call(UnfollowUser::start, request("DELETE", "/users/zoe/followers/zoe").by("zoe")).await;
        assert_eq!(answer.status, 204);
        assert_eq!(counts(&fixture, "zoe").await, (2, 1));
    }
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("unfollow-user").await;
    fixture.needs_a_caller(UnfollowUser::start, delete_ben_follows_ada()).await;
    for stranger in ["cara", "nobody"] {
        fixture.refuses(UnfollowUser::start, delete_ben_follows_ada().by(stranger), 403).await;
    }
    fixture.refuses_other_accounts(UnfollowUser::start).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("unfollow-user").await;
    fixture
        .refuses_bad_usernames(UnfollowUser::start, "username", |name| {
            request("DELETE", format!("/users/{name}/followers/ada"))
        })
        .await;
    fixture
        .refuses_bad_usernames(UnfollowUser::start, "follower", |name| {
            request("DELETE", format!("/users/ada/followers/{name}"))
        })
        .await;
}

/// The count of the follower includes an uncounted friendship, and the count of the followed user
/// does not.
#[tokio::test]
async fn deletes_an_uncounted_friendship_and_decrements_the_count_of_the_follower() {
    let fixture = Fixture::new("unfollow-user").await;
    let mut cara = user("cara");
    cara.insert("following".into(), AttributeValue::N("1".into()));
    fixture.put(cara).await;
    fixture.put(mark_uncounted(friendship("ada", "cara"))).await;
    let before = fixture.all_items().await.len();
    let delete = request("DELETE", "/users/ada/followers/cara").by("cara");
    for _ in 0..2 {
        assert_eq!(fixture.call(UnfollowUser::start, delete.clone()).await.status, 204);
        assert_eq!((counts(&fixture, "ada").await, counts(&fixture, "cara").await), ((1, 0), (0, 0)));
        assert_eq!(fixture.all_items().await.len(), before - 1);
    }
}

/// process-changes counts the friendship between the two transactions.
#[tokio::test]
async fn decrements_both_counts_of_a_friendship_that_was_counted_meanwhile() {
    let fixture = Fixture::new("unfollow-user").await;
    fixture.put(mark_uncounted(friendship("ada", "ben"))).await;
    fixture.write_concurrently(1, vec![friendship("ada", "ben")], vec![]);
    assert_eq!(fixture.call(UnfollowUser::start, delete_ben_follows_ada()).await.status, 204);
    assert_eq!((counts(&fixture, "ada").await, counts(&fixture, "ben").await), ((0, 0), (0, 0)));
}

/// Returns a fixture in which cara has asked dora and ben to follow them.
async fn with_requests() -> Fixture {
    let fixture = Fixture::new("unfollow-user").await;
    let requests = vec![follow_request("dora", "cara"), follow_request("ben", "cara")];
    let dora = testing::with_count(user("dora"), "requestsReceived", 1);
    fixture.put_all([vec![approving_user("cara", 2), dora], requests].concat());
    fixture
}

async fn requests_of_dora(fixture: &Fixture) -> serde_json::Value {
    fixture.item(Key::user(&"dora".parse().unwrap())).await["requestsReceived"].take()
}

/// The requests to a deleted user are deleted a little later.
#[tokio::test]
async fn withdraws_a_request_to_a_deleted_user() {
    let fixture = with_requests().await;
    fixture.put(testing::deletion("dora")).await;
    let delete = request("DELETE", "/users/dora/followers/cara").by("cara");
    for _ in 0..2 {
        assert_eq!(fixture.call(UnfollowUser::start, delete.clone()).await.status, 204);
        assert_eq!((requests_of_cara(&fixture).await, requests_of_dora(&fixture).await), (json!(1), json!(null)));
    }
    assert!(!fixture.all_items().await.contains_key("USER#dora #ASK#cara"));
}

async fn requests_of_cara(fixture: &Fixture) -> serde_json::Value {
    fixture.item(Key::user(&"cara".parse().unwrap())).await["requestsSent"].take()
}

#[tokio::test]
async fn withdraws_a_request() {
    for caller in ["cara", "dora"] {
        let fixture = with_requests().await;
        let before = fixture.all_items().await.len();
        for _ in 0..2 {
            let delete = request("DELETE", "/users/dora/followers/cara").by(caller);
            assert_eq!(fixture.call(UnfollowUser::start, delete).await.status, 204);
            assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);
            assert_eq!((requests_of_cara(&fixture).await, fixture.all_items().await.len()), (json!(1), before - 1));
            assert_eq!(requests_of_dora(&fixture).await, json!(0));
        }
        assert!(fixture.all_items().await.contains_key("USER#ben #ASK#cara"));
    }
}

#[tokio::test]
async fn withdraws_once_after_a_conflict_and_a_lost_answer() {
    let fixture = with_requests().await;
    let conflict = Fault::TransactionCanceled("TransactionConflict");
    fixture.inject([Fault::None, conflict, Fault::AnswerLost]);
    let delete = request("DELETE", "/users/dora/followers/cara").by("cara");
    assert_eq!(fixture.call(UnfollowUser::start, delete).await.status, 204);
    assert_eq!((requests_of_cara(&fixture).await, requests_of_dora(&fixture).await), (json!(1), json!(0)));
}

/// The request is accepted between the two transactions.
#[tokio::test]
async fn ends_a_friendship_that_was_a_request_a_moment_ago() {
    let fixture = with_requests().await;
    let mut dora = user("dora");
    dora.insert("followers".into(), AttributeValue::N("1".into()));
    let mut cara = approving_user("cara", 1);
    cara.insert("following".into(), AttributeValue::N("1".into()));
    let request_key = Key::follow_request(&"dora".parse().unwrap(), &"cara".parse().unwrap());
    fixture.write_concurrently(1, vec![dora, cara, friendship("dora", "cara")], vec![request_key.into()]);
    let delete = request("DELETE", "/users/dora/followers/cara").by("cara");
    assert_eq!(fixture.call(UnfollowUser::start, delete).await.status, 204);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 3]);
    assert_eq!((counts(&fixture, "dora").await, counts(&fixture, "cara").await), ((0, 0), (0, 0)));
    assert_eq!(requests_of_cara(&fixture).await, json!(1));
}

#[tokio::test]
async fn another_account_withdraws_nothing() {
    for name in ["cara", "dora"] {
        let fixture = with_requests().await;
        let mut other = approving_user(name, 2);
        other.insert("subject".to_owned(), AttributeValue::S("another account".to_owned()));
        fixture.put(other).await;
        let before = fixture.all_items().await;
        let delete = request("DELETE", "/users/dora/followers/cara").by(name);
        assert_eq!(fixture.call(UnfollowUser::start, delete).await.status, 403);
        assert_eq!(fixture.all_items().await, before);
    }
}
