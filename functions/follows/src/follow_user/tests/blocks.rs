//! Blocks and mutes between the two users.

use shared::values::Level;
use testing::{approving_user, block, with_count};

use super::*;

fn follow(name: &str) -> TestRequest {
    request("PUT", format!("/users/{name}/followers/cara")).by("cara")
}

#[tokio::test]
async fn nobody_follows_or_asks_a_user_who_blocks_them() {
    let fixture = Fixture::new("follow-user").await;
    fixture.put_all(vec![
        approving_user("dora", 0),
        with_count(user("cara"), "blockedBy", 2),
        block("ada", "cara", Level::Block),
        block("dora", "cara", Level::Block),
        block("ben", "cara", Level::Mute),
    ]);
    let before = fixture.all_items().await;
    for name in ["ada", "dora"] {
        let answer = fixture.call(FollowUser::start, follow(name)).await;
        assert_eq!((answer.status, &answer.body["detail"]), (404, &json!(format!("There is no user {name}."))));
    }
    assert_eq!(fixture.all_items().await, before);
    let _ = fixture.operations();
    assert_eq!(fixture.call(FollowUser::start, follow("ben")).await.status, 201, "nobody is told of a mute");
    assert_eq!(fixture.operations(), ["TransactWriteItems", "BatchGetItem", "TransactWriteItems"]);
    assert_eq!(counts(&fixture, "cara").await, (0, 1));
}

#[tokio::test]
async fn nobody_follows_a_user_whom_they_block() {
    let fixture = Fixture::new("follow-user").await;
    fixture.put_all(vec![with_count(user("cara"), "blocks", 1), block("cara", "ada", Level::Block)]);
    let before = fixture.all_items().await;
    let answer = fixture.call(FollowUser::start, follow("ada")).await;
    let detail = json!("You block ada. Remove the block before you follow them.");
    assert_eq!((answer.problem(), &answer.body["detail"]), ("you-block", &detail));
    assert_eq!(fixture.all_items().await, before);
    assert_eq!(fixture.call(FollowUser::start, follow("ben")).await.status, 201);
}

#[tokio::test]
async fn the_friendship_with_a_muted_user_says_so() {
    let fixture = Fixture::new("follow-user").await;
    fixture.put_all(vec![with_count(user("cara"), "mutes", 1), block("cara", "ada", Level::Mute)]);
    let first = fixture.call(FollowUser::start, follow("ada")).await;
    assert_eq!((first.status, first.body.get("muted")), (201, None));
    assert_eq!(friendship(&fixture).await["muted"], true);
    assert_eq!(fixture.call(FollowUser::start, follow("ada")).await.status, 200);
    assert_eq!(fixture.call(FollowUser::start, follow("ben")).await.status, 201);
    let of_ben = Key::friendship(&"ben".parse().unwrap(), &"cara".parse().unwrap());
    assert!(fixture.item(of_ben).await.get("muted").is_none());
}

#[tokio::test]
async fn a_block_or_a_mute_between_the_read_and_the_write_is_seen() {
    for (item, status) in [(block("ada", "cara", Level::Block), 404), (block("cara", "ada", Level::Mute), 201)] {
        let fixture = Fixture::new("follow-user").await;
        fixture.put(with_count(with_count(user("cara"), "blockedBy", 1), "mutes", 1)).await;
        fixture.write_concurrently(2, vec![item], vec![]);
        assert_eq!(fixture.call(FollowUser::start, follow("ada")).await.status, status);
        assert_eq!(friendship(&fixture).await["muted"] == true, status == 201);
    }
}

#[tokio::test]
async fn an_uncounted_friendship_needs_the_same() {
    let fixture = Fixture::new("follow-user").await;
    fixture.put_all(vec![with_count(user("cara"), "blockedBy", 1), block("ada", "cara", Level::Block)]);
    fixture.inject([CONFLICT; 4]);
    assert_eq!(fixture.call(FollowUser::start, follow("ada")).await.status, 404);
    assert_eq!(friendship(&fixture).await, json!(null));
}
