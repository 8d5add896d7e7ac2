//! Reactions and friendships that no count includes yet.

use ::testing;
use shared::dynamodb::Item;
use shared::entities::mark_uncounted;

use super::{ADAS_PHOTO, OTHER_PHOTO, test_data};
use crate::audited_table::{AuditedTable, number, photo, text, user};

/// Returns an item as one that was written long ago and is still not counted.
fn forgotten(item: Item) -> Item {
    let mut item = mark_uncounted(item);
    item.insert("timestamp".to_owned(), text(OTHER_PHOTO));
    item
}

fn reaction(reacting: &str) -> Item {
    testing::in_shard(testing::reaction(reacting, "smiley", "ada", ADAS_PHOTO))
}

/// Returns the seed data, in which cara also follows ada and her `following` counts that.
async fn test_data_with_follower() -> AuditedTable {
    let table = test_data().await;
    table.set(user("cara"), "following", Some(number(1))).await;
    table
}

#[tokio::test]
async fn does_not_count_what_was_just_written() {
    let table = test_data_with_follower().await;
    table.put([mark_uncounted(reaction("ben")), mark_uncounted(testing::friendship("ada", "cara"))]).await;
    assert_eq!(table.findings().await, [""; 0]);
}

#[tokio::test]
async fn counts_what_was_not_counted_for_long() {
    let table = test_data_with_follower().await;
    table.put([reaction("ben"), testing::friendship("ada", "cara")]).await;
    table.set(photo("ada", ADAS_PHOTO), "reactions.smiley", Some(number(1))).await;
    table.set(user("ada"), "followers", Some(number(2))).await;
    for item in [reaction("ben"), testing::friendship("ada", "cara")] {
        let mut old = forgotten(item);
        old.remove("uncounted");
        table.put([old]).await;
    }
    let expected = table.all_items().await;
    table.put([forgotten(reaction("ben")), forgotten(testing::friendship("ada", "cara"))]).await;
    table.set(photo("ada", ADAS_PHOTO), "reactions.smiley", Some(number(0))).await;
    table.set(user("ada"), "followers", Some(number(1))).await;
    let lines = [
        "friendship of cara, who follows ada: not counted since 2020-01-01T00:00:00",
        "reaction smiley of ben to photo 2024-05-30T15:42:38 of ada: not counted since 2020-01-01T00:00:00",
    ];
    table.assert_repaired(&lines, &expected).await;
}

#[tokio::test]
async fn a_count_must_not_include_what_is_uncounted() {
    let table = test_data_with_follower().await;
    table.put([mark_uncounted(reaction("ben")), mark_uncounted(testing::friendship("ada", "cara"))]).await;
    let expected = table.all_items().await;
    table.set(photo("ada", ADAS_PHOTO), "reactions.smiley", Some(number(1))).await;
    table.set(user("ada"), "followers", Some(number(2))).await;
    let lines =
        ["photo 2024-05-30T15:42:38 of ada: smiley is 1, but should be 0", "user ada: followers is 2, but should be 1"];
    table.assert_repaired(&lines, &expected).await;
}

#[tokio::test]
async fn deletes_an_uncounted_reaction_without_a_photo() {
    let table = test_data().await;
    let expected = table.all_items().await;
    table.put([forgotten(testing::reaction("ben", "heart", "ada", OTHER_PHOTO))]).await;
    let lines = [r#"reaction heart of ben to "PHOTO#ada#2020-01-01T00:00:00": the photo does not exist"#];
    table.assert_repaired(&lines, &expected).await;
}

/// process-changes gave up, and finish-deletion has not seen the reaction in the index.
#[tokio::test]
async fn deletes_what_was_not_counted_before_its_photo_was_deleted() {
    let table = test_data().await;
    table.put([testing::photo_deletion("ada", ADAS_PHOTO, 1)]).await;
    table.put([forgotten(reaction("ben"))]).await;
    let finding = "reaction smiley of ben to photo 2024-05-30T15:42:38 of ada: not counted since 2020-01-01T00:00:00";
    let found = table.findings().await;
    assert!(found.iter().any(|other| other == finding), "{found:?}");
    // The PhotoDeletion itself is left to finish-deletion.
    table.audit(true).await;
    let items = table.all_items().await;
    assert!(!items.keys().any(|(pk, _)| pk == "REACTION#ben#smiley"));
}

/// The photo was deleted, and imported again before the audit.
#[tokio::test]
async fn deletes_what_was_given_to_an_earlier_photo_of_the_same_key() {
    let table = test_data().await;
    table.set(photo("ada", ADAS_PHOTO), "responsesSince", Some(text(ADAS_PHOTO))).await;
    let expected = table.all_items().await;
    table.put([forgotten(reaction("ben"))]).await;
    let finding = "reaction smiley of ben to photo 2024-05-30T15:42:38 of ada: not counted since 2020-01-01T00:00:00";
    table.assert_repaired(&[finding], &expected).await;
}
