use super::*;
use serde_json::{Value, json};
use shared::dynamodb::Item;
use shared::entities::{Key, mark_uncounted};
use testing::{Fault, Fixture, TestRequest, approving_user, block, deletion, follow_request, friendship, request};
use testing::{user, with_count};

fn put(other: &str, level: &str) -> TestRequest {
    request("PUT", format!("/users/ada/blocks/{other}")).by("ada").json(&json!({"level": level}))
}

fn key(username: &str) -> Item {
    Key::user(&username.parse().unwrap()).into()
}

/// Returns a fixture in which ada and dora follow each other, dora has asked ben, and cara follows
/// ada.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("block-user").await;
    let counted = |name, followers, following| {
        with_count(with_count(approving_user(name, 1), "followers", followers), "following", following)
    };
    fixture.put_all(vec![
        counted("ada", 2, 1),
        counted("dora", 1, 1),
        with_count(user("cara"), "following", 1),
        friendship("ada", "dora"),
        friendship("dora", "ada"),
        friendship("ada", "cara"),
        follow_request("ben", "dora"),
    ]);
    fixture
}

/// Returns the counts of a user: followers, following, requestsSent, blocks, mutes and blockedBy.
async fn counts(fixture: &Fixture, username: &str) -> [u64; 6] {
    let user = fixture.item(key(username)).await;
    let names = ["followers", "following", "requestsSent", "blocks", "mutes", "blockedBy"];
    names.map(|name| user[name].as_u64().unwrap_or_default())
}

#[tokio::test]
async fn a_block_deletes_the_friendships_of_the_two_users_and_no_others() {
    let fixture = fixture().await;
    let first = fixture.call(BlockUser::start, put("dora", "block")).await;
    let timestamp = first.body["timestamp"].clone();
    let expected = json!({"username": "dora", "level": "block", "timestamp": timestamp});
    assert_eq!((first.status, &first.body), (201, &expected));
    assert_eq!(fixture.operations(), ["BatchGetItem", "TransactWriteItems"]);
    let second = fixture.call(BlockUser::start, put("dora", "block")).await;
    assert_eq!((second.status, &second.body), (200, &expected));
    assert_eq!(fixture.operations(), ["BatchGetItem"]);

    let items = fixture.all_items().await;
    for gone in ["USER#ada #FRIEND#dora", "USER#dora #FRIEND#ada"] {
        assert!(!items.contains_key(gone), "{gone}");
    }
    for left in ["USER#ada #FRIEND#cara", "USER#ben #ASK#dora", "USER#ada #BLOCK#dora"] {
        assert!(items.contains_key(left), "{left}");
    }
    assert_eq!(counts(&fixture, "ada").await, [1, 0, 1, 1, 0, 0]);
    assert_eq!(counts(&fixture, "dora").await, [0, 0, 1, 0, 0, 1]);
}

#[tokio::test]
async fn a_block_deletes_the_requests_of_the_two_users() {
    let fixture = fixture().await;
    let eve = with_count(approving_user("eve", 1), "requestsReceived", 1);
    fixture.put_all(vec![eve, follow_request("ada", "eve"), follow_request("eve", "ada")]);
    assert_eq!(fixture.call(BlockUser::start, put("eve", "block")).await.status, 201);
    let items = fixture.all_items().await;
    assert!(!items.contains_key("USER#ada #ASK#eve") && !items.contains_key("USER#eve #ASK#ada"));
    assert_eq!(counts(&fixture, "ada").await, [2, 1, 0, 1, 0, 0]);
    assert_eq!(counts(&fixture, "eve").await, [0, 0, 0, 0, 0, 1]);
    assert_eq!(fixture.item(key("eve")).await["requestsReceived"], 0);
}

#[tokio::test]
async fn a_block_does_not_decrement_a_count_that_does_not_include_the_friendship() {
    let fixture = fixture().await;
    fixture.put(mark_uncounted(friendship("ada", "dora"))).await;
    let mut ada = with_count(user("ada"), "following", 1);
    ada.remove("followers");
    fixture.put(ada).await;
    assert_eq!(fixture.call(BlockUser::start, put("dora", "block")).await.status, 201);
    assert_eq!(counts(&fixture, "ada").await, [0, 0, 0, 1, 0, 0]);
    assert_eq!(counts(&fixture, "dora").await, [0, 0, 1, 0, 0, 1]);
}

#[tokio::test]
async fn a_mute_marks_the_friendship_of_the_caller_and_keeps_all() {
    let fixture = fixture().await;
    let before = fixture.all_items().await;
    assert_eq!(fixture.call(BlockUser::start, put("dora", "mute")).await.status, 201);
    let after = fixture.all_items().await;
    assert_eq!(after.len(), before.len() + 1);
    assert_eq!(after["USER#dora #FRIEND#ada"]["muted"], true);
    assert!(after["USER#ada #FRIEND#dora"].get("muted").is_none());
    assert_eq!(counts(&fixture, "ada").await, [2, 1, 1, 0, 1, 0]);
    assert_eq!(counts(&fixture, "dora").await, [1, 1, 1, 0, 0, 0]);
    // Nobody has to be followed to be muted.
    assert_eq!(fixture.call(BlockUser::start, put("cara", "mute")).await.status, 201);
    assert_eq!(counts(&fixture, "ada").await, [2, 1, 1, 0, 2, 0]);
}

#[tokio::test]
async fn the_level_changes_in_both_directions() {
    let fixture = fixture().await;
    for (level, status, of_ada, of_dora) in [
        ("mute", 201, [2, 1, 1, 0, 1, 0], [1, 1, 1, 0, 0, 0]),
        ("block", 200, [1, 0, 1, 1, 0, 0], [0, 0, 1, 0, 0, 1]),
        ("mute", 200, [1, 0, 1, 0, 1, 0], [0, 0, 1, 0, 0, 0]),
    ] {
        let answer = fixture.call(BlockUser::start, put("dora", level)).await;
        assert_eq!((answer.status, &answer.body["level"]), (status, &json!(level)));
        assert_eq!(counts(&fixture, "ada").await, of_ada, "{level}");
        assert_eq!(counts(&fixture, "dora").await, of_dora, "{level}");
    }
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("block-user").await;
    assert_eq!(fixture.call_with_sample_event(BlockUser::start).await.status, 201);
}

#[tokio::test]
async fn reads_again_if_something_changes_before_the_write() {
    let fixture = fixture().await;
    fixture.write_concurrently(1, vec![mark_uncounted(friendship("ada", "dora"))], vec![friendship("dora", "ada")]);
    fixture.inject([Fault::None, Fault::None, Fault::None, Fault::AnswerLost]);
    assert_eq!(fixture.call(BlockUser::start, put("dora", "block")).await.status, 201);
    let operations = ["BatchGetItem", "TransactWriteItems", "BatchGetItem", "TransactWriteItems", "TransactWriteItems"];
    assert_eq!(fixture.operations(), operations);
    // The concurrent writer changed no count, and the followers do not include an uncounted
    // friendship.
    assert_eq!(counts(&fixture, "ada").await, [2, 1, 1, 1, 0, 0]);
    assert_eq!(counts(&fixture, "dora").await, [1, 0, 1, 0, 0, 1]);
}

#[tokio::test]
async fn refuses_one_block_more_than_the_maximum() {
    let fixture = fixture().await;
    fixture.put(with_count(with_count(user("ada"), "blocks", MAX_BLOCKS), "mutes", MAX_BLOCKS - 1)).await;
    let before = fixture.all_items().await;
    let answer = fixture.call(BlockUser::start, put("dora", "block")).await;
    let detail = json!("You have reached the maximum of 1000 blocked users. Remove one of your blocks first.");
    assert_eq!((answer.problem(), &answer.body["detail"]), ("too-many-blocks", &detail));
    assert_eq!(fixture.all_items().await, before);
    assert_eq!(fixture.call(BlockUser::start, put("dora", "mute")).await.status, 201);
    fixture.put(user("eve")).await;
    let answer = fixture.call(BlockUser::start, put("eve", "mute")).await;
    let detail = json!("You have reached the maximum of 1000 muted users. Remove one of your mutes first.");
    assert_eq!((answer.problem(), &answer.body["detail"]), ("too-many-mutes", &detail));
    assert_eq!(fixture.call(BlockUser::start, put("cara", "mute")).await.status, 409);
}

#[tokio::test]
async fn a_user_who_blocks_the_caller_does_not_exist() {
    let fixture = fixture().await;
    fixture.put_all(vec![block("cara", "ada", Level::Block), block("dora", "ada", Level::Mute), deletion("gone")]);
    let before = fixture.all_items().await;
    for other in ["cara", "gone", "nobody"] {
        let answer = fixture.call(BlockUser::start, put(other, "block")).await;
        let detail = json!(format!("There is no user {other}."));
        assert_eq!((answer.status, &answer.body["detail"]), (404, &detail));
    }
    assert_eq!(fixture.all_items().await, before);
    assert_eq!(fixture.call(BlockUser::start, put("dora", "block")).await.status, 201, "a mute is not told");
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = fixture().await;
    fixture.needs_a_caller(BlockUser::start, put("dora", "block")).await;
    for stranger in ["dora", "ben"] {
        fixture.refuses(BlockUser::start, put("dora", "block").by(stranger), 403).await;
    }
    fixture.refuses_other_accounts(BlockUser::start).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = fixture().await;
    let path = |username: &str, other: &str| request("PUT", format!("/users/{username}/blocks/{other}"));
    let body: Value = json!({"level": "block"});
    fixture.refuses_bad_usernames(BlockUser::start, "username", |name| path(name, "dora").json(&body)).await;
    fixture.refuses_bad_usernames(BlockUser::start, "other", |name| path("ada", name).by("ada").json(&body)).await;
    fixture.refuses_field(BlockUser::start, put("ada", "block"), "other").await;
    fixture.refuses_field(BlockUser::start, put("dora", "Block"), "level").await;
    fixture.refuses_field(BlockUser::start, path("ada", "dora").by("ada").json(&json!({})), "level").await;
    fixture
        .refuses_field(BlockUser::start, path("ada", "dora").by("ada").json(&json!({"level": "mute", "x": 1})), "x")
        .await;
    fixture.refuses_bad_bodies(BlockUser::start, path("ada", "dora").by("ada")).await;
}

/// The read is no transaction, so it may see the other user's block in a part.
#[tokio::test]
async fn a_block_by_the_other_user_that_the_read_has_missed_is_found_by_the_transaction() {
    let fixture = Fixture::new("block-user").await;
    fixture.write_concurrently(1, vec![testing::block("ada", "ben", Level::Block)], vec![]);
    let put = request("PUT", "/users/ben/blocks/ada").by("ben").json(&json!({"level": "block"}));
    let answer = fixture.call(BlockUser::start, put).await;
    assert_eq!((answer.status, &answer.body["detail"]), (404, &json!("There is no user ada.")));
    let items = fixture.all_items().await;
    assert!(items.contains_key("USER#ada #BLOCK#ben") && !items.contains_key("USER#ben #BLOCK#ada"));
}
