//! Blocks and mutes: the counts of the users, and what must not be beside them.

use ::testing;
use aws_sdk_dynamodb::types::AttributeValue::Bool;
use shared::dynamodb::Item;
use shared::entities::{Key, mark_muted, mark_uncounted};
use shared::values::Level;

use super::test_data;
use crate::audited_table::{AuditedTable, number, user};

const NOT_MUTED: &str = "friendship of ben, who follows ada: not muted, but ben mutes ada";

/// Returns the seed data, in which ben follows ada, with these blocks and mutes and their counts.
async fn test_data_with(blocks: &[(&str, &str, Level)]) -> AuditedTable {
    let table = test_data().await;
    for (blocking, blocked, level) in blocks {
        table.put([testing::block(blocking, blocked, *level)]).await;
    }
    for name in ["ada", "ben", "cara"] {
        let count = |is_counted: &dyn Fn(&(&str, &str, Level)) -> bool| {
            let counted = blocks.iter().filter(|block| is_counted(block)).count();
            (counted > 0).then(|| number(i64::try_from(counted).unwrap()))
        };
        table.set(user(name), "blocks", count(&|(by, _, level)| *by == name && *level == Level::Block)).await;
        table.set(user(name), "mutes", count(&|(by, _, level)| *by == name && *level == Level::Mute)).await;
        table.set(user(name), "blockedBy", count(&|(_, of, level)| *of == name && *level == Level::Block)).await;
    }
    table
}

fn friendship() -> Key {
    Key::friendship(&"ada".parse().unwrap(), &"ben".parse().unwrap())
}

/// Ends the friendship of the seed data.
async fn unfollow(table: &AuditedTable) {
    table.delete(friendship()).await;
    table.set(user("ada"), "followers", Some(number(0))).await;
    table.set(user("ben"), "following", Some(number(0))).await;
}

#[tokio::test]
async fn repairs_the_counts_of_blocks_and_mutes() {
    let blocks = [
        ("ada", "cara", Level::Block),
        ("ben", "cara", Level::Block),
        // Two users who block each other.
        ("cara", "ada", Level::Block),
        ("cara", "ben", Level::Mute),
    ];
    let table = test_data_with(&blocks).await;
    let expected = table.all_items().await;
    assert_eq!(table.findings().await, [""; 0]);
    for (name, count, actual) in [
        ("ada", "blocks", 1),
        ("ben", "blocks", 1),
        ("ada", "blockedBy", 1),
        ("cara", "blockedBy", 2),
        ("cara", "mutes", 1),
    ] {
        for stored in [None, Some(0), Some(-1), Some(7)] {
            table.set(user(name), count, stored.map(number)).await;
            let is = stored.map_or("missing".to_owned(), |count: i64| count.to_string());
            assert_eq!(table.repair().await, [format!("user {name}: {count} is {is}, but should be {actual}")]);
            assert_eq!(table.all_items().await, expected);
        }
    }
    // A mute is not counted by the muted user.
    table.set(user("ben"), "blockedBy", Some(number(1))).await;
    assert_eq!(table.repair().await, ["user ben: blockedBy is 1, but should be 0"]);
}

#[tokio::test]
async fn deletes_a_friendship_beside_a_block() {
    for (blocking, blocked) in [("ada", "ben"), ("ben", "ada")] {
        let table = test_data_with(&[(blocking, blocked, Level::Block)]).await;
        unfollow(&table).await;
        let expected = table.all_items().await;
        let line = format!("friendship of ben, who follows ada: {blocking} blocks {blocked}");
        for is_uncounted in [false, true] {
            let friendship = testing::friendship("ada", "ben");
            table.put([if is_uncounted { mark_uncounted(friendship) } else { friendship }]).await;
            table.set(user("ada"), "followers", Some(number(i64::from(!is_uncounted)))).await;
            table.set(user("ben"), "following", Some(number(1))).await;
            table.assert_repaired(&[&line], &expected).await;
        }
        // The counts that do not include it stay as they are.
        table.put([testing::friendship("ada", "ben")]).await;
        table.set(user("ben"), "following", Some(number(1))).await;
        table.assert_repaired(&[&line, "user ada: followers is 0, but should be 1"], &expected).await;
    }
}

#[tokio::test]
async fn deletes_a_request_beside_a_block() {
    for (blocking, blocked) in [("ben", "cara"), ("cara", "ben")] {
        let table = test_data_with(&[(blocking, blocked, Level::Block)]).await;
        // A request of the same user to another one, and one beside a mute.
        table.put([testing::follow_request("ada", "cara")]).await;
        table.put([testing::block("ada", "cara", Level::Mute)]).await;
        table.set(user("ada"), "mutes", Some(number(1))).await;
        table.set(user("cara"), "requestsSent", Some(number(1))).await;
        table.set(user("ada"), "requestsReceived", Some(number(1))).await;
        table.set(user("ben"), "requestsReceived", Some(number(0))).await;
        let expected = table.all_items().await;
        table.put([testing::follow_request("ben", "cara")]).await;
        table.set(user("cara"), "requestsSent", Some(number(2))).await;
        table.set(user("ben"), "requestsReceived", Some(number(1))).await;
        let line = format!("request of cara to follow ben: {blocking} blocks {blocked}");
        table.assert_repaired(&[&line], &expected).await;
    }
}

#[tokio::test]
async fn marks_the_friendships_of_those_who_mute() {
    // Ada mutes ben too, and does not follow him.
    let table = test_data_with(&[("ben", "ada", Level::Mute), ("ada", "ben", Level::Mute)]).await;
    let unmarked: Item = testing::friendship("ada", "ben");
    table.put([mark_muted(unmarked.clone())]).await;
    let expected = table.all_items().await;
    assert_eq!(table.findings().await, [""; 0]);
    table.put([unmarked]).await;
    table.assert_repaired(&[NOT_MUTED], &expected).await;
}

#[tokio::test]
async fn removes_the_mark_of_a_friendship_without_a_mute() {
    // It is ada who mutes ben.
    for blocks in [&[][..], &[("ada", "ben", Level::Mute)], &[("ben", "cara", Level::Mute)]] {
        let table = test_data_with(blocks).await;
        let expected = table.all_items().await;
        table.set(friendship(), "muted", Some(Bool(true))).await;
        let line = "friendship of ben, who follows ada: muted, but ben does not mute ada";
        table.assert_repaired(&[line], &expected).await;
    }
}

#[tokio::test]
async fn finds_the_blocks_of_and_by_users_who_are_lost() {
    let blocks = [
        ("gone", "cara", Level::Block),
        ("gone", "ben", Level::Mute),
        ("ada", "gone", Level::Block),
        ("cara", "lost", Level::Mute),
    ];
    let table = test_data_with(&blocks).await;
    assert_eq!(
        table.findings().await,
        [
            "user gone: does not exist, but there are 1 blocks, 1 blocks by others, 1 mutes",
            "user lost: does not exist, but there are 1 mutes by others",
        ]
    );
}

/// A count that is too high would keep finish-deletion from ending, and one that is too low would
/// let it end too early.
#[tokio::test]
async fn repairs_the_count_of_blocks_of_a_deletion() {
    let table = test_data_with(&[("ada", "dora", Level::Block), ("ben", "dora", Level::Mute)]).await;
    let mut deletion = testing::deletion("dora");
    deletion.insert("blockedBy".into(), number(5));
    table.put([deletion, testing::block("dora", "cara", Level::Block)]).await;
    table.set(user("cara"), "blockedBy", Some(number(1))).await;
    let found = table.findings().await;
    assert!(found.len() == 2 && found[0].starts_with("deletion of dora: unfinished since "), "{found:?}");
    assert_eq!(found[1], "user dora: blockedBy is 5, but should be 1");
    table.audit(true).await;
    let items = table.all_items().await;
    assert_eq!(items[&("USER#dora".into(), "#METADATA#dora".into())]["blockedBy"], 1);
}
