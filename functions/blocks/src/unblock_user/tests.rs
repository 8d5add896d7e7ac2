use super::*;
use testing::{Fault, Fixture, TestRequest, block, deletion, friendship, request, user, with, with_count};

fn delete(other: &str) -> TestRequest {
    request("DELETE", format!("/users/ada/blocks/{other}")).by("ada")
}

/// Returns a fixture in which ada blocks cara, mutes dora, whom she follows, and mutes ben, whom
/// she does not follow.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("unblock-user").await;
    fixture.put_all(vec![
        with_count(with_count(with_count(user("ada"), "blocks", 1), "mutes", 2), "following", 1),
        with_count(user("cara"), "blockedBy", 2),
        user("dora"),
        block("ada", "cara", Level::Block),
        block("ada", "dora", Level::Mute),
        block("ada", "ben", Level::Mute),
        block("dora", "cara", Level::Block),
        with(friendship("dora", "ada"), "muted", "true"),
    ]);
    fixture
}

/// Returns the counts of a user: blocks, mutes and blockedBy.
async fn counts(fixture: &Fixture, username: &str) -> [u64; 3] {
    let user = fixture.item(Key::user(&username.parse().unwrap())).await;
    ["blocks", "mutes", "blockedBy"].map(|name| user[name].as_u64().unwrap_or_default())
}

#[tokio::test]
async fn ends_a_block_and_decrements_both_counts() {
    let fixture = fixture().await;
    let before = fixture.all_items().await;
    assert_eq!(fixture.call(UnblockUser::start, delete("cara")).await.status, 204);
    assert_eq!(fixture.operations(), ["BatchGetItem", "TransactWriteItems"]);
    assert_eq!(fixture.call(UnblockUser::start, delete("cara")).await.status, 204);
    assert_eq!(fixture.operations(), ["BatchGetItem"]);
    let after = fixture.all_items().await;
    assert_eq!(after.len(), before.len() - 1);
    assert!(!after.contains_key("USER#ada #BLOCK#cara") && after.contains_key("USER#dora #BLOCK#cara"));
    assert_eq!((counts(&fixture, "ada").await, counts(&fixture, "cara").await), ([0, 2, 0], [0, 0, 1]));
}

#[tokio::test]
async fn ends_a_mute_and_removes_the_mark_of_the_friendship() {
    let fixture = fixture().await;
    assert_eq!(fixture.call(UnblockUser::start, delete("dora")).await.status, 204);
    assert_eq!(fixture.call(UnblockUser::start, delete("ben")).await.status, 204);
    let items = fixture.all_items().await;
    assert!(items["USER#dora #FRIEND#ada"].get("muted").is_none());
    assert!(!items.contains_key("USER#ada #BLOCK#dora") && !items.contains_key("USER#ada #BLOCK#ben"));
    assert_eq!(counts(&fixture, "ada").await, [1, 0, 0]);
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("unblock-user").await;
    let before = fixture.all_items().await;
    assert_eq!(fixture.call_with_sample_event(UnblockUser::start).await.status, 204);
    assert_eq!(fixture.all_items().await, before, "there is nothing to end");
}

#[tokio::test]
async fn ends_the_block_of_a_user_who_is_being_deleted() {
    let fixture = fixture().await;
    fixture.put(with_count(deletion("cara"), "blockedBy", 2)).await;
    assert_eq!(fixture.call(UnblockUser::start, delete("cara")).await.status, 204);
    assert_eq!((counts(&fixture, "ada").await, counts(&fixture, "cara").await), ([0, 2, 0], [0, 0, 1]));
}

#[tokio::test]
async fn reads_again_if_something_changes_before_the_write() {
    let fixture = fixture().await;
    fixture.write_concurrently(1, vec![], vec![friendship("dora", "ada")]);
    fixture.inject([Fault::None, Fault::None, Fault::None, Fault::AnswerLost]);
    assert_eq!(fixture.call(UnblockUser::start, delete("dora")).await.status, 204);
    assert_eq!(counts(&fixture, "ada").await, [1, 1, 0]);
    assert!(!fixture.all_items().await.contains_key("USER#ada #BLOCK#dora"));
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = fixture().await;
    fixture.needs_a_caller(UnblockUser::start, delete("cara")).await;
    for stranger in ["cara", "dora"] {
        fixture.refuses(UnblockUser::start, delete("cara").by(stranger), 403).await;
    }
    let mut ada = with_count(user("ada"), "blocks", 1);
    ada.extend(with(user("ada"), "subject", "another account"));
    fixture.put(ada).await;
    let answer = fixture.call(UnblockUser::start, delete("cara")).await;
    assert_eq!((answer.status, answer.problem()), (403, "other-account"));
    fixture.put(with_count(deletion("ada"), "blocks", 1)).await;
    let answer = fixture.call(UnblockUser::start, delete("cara")).await;
    assert_eq!((answer.status, answer.problem()), (404, "no-profile"));
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = fixture().await;
    let path = |username: &str, other: &str| request("DELETE", format!("/users/{username}/blocks/{other}"));
    fixture.refuses_bad_usernames(UnblockUser::start, "username", |name| path(name, "cara")).await;
    fixture.refuses_bad_usernames(UnblockUser::start, "other", |name| path("ada", name).by("ada")).await;
}
