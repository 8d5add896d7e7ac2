//! Counts of tags and favorites.

use super::fixtures::{assert_repaired, favorite_count_key, favorite_key, sample_table, tag_count_key};
use crate::audited_table::number;

#[tokio::test]
async fn repairs_counts_of_tags_on_favorites() {
    let table = sample_table().await;
    let expected = table.all_items().await;
    table.set(favorite_key("ada", "viewpoint"), "tagCount", Some(number(5))).await;
    table.set(favorite_key("ada", "dinner"), "tagCount", Some(number(-1))).await;
    table.set(favorite_key("ben", "waders"), "tagCount", Some(number(0))).await;
    assert_repaired(
        &table,
        &[
            "favorite dinner of ada: tagCount is -1, but should be 0",
            "favorite viewpoint of ada: tagCount is 5, but should be 2",
            "favorite waders of ben: tagCount is 0, but should be 2",
        ],
        &expected,
    )
    .await;
}

#[tokio::test]
async fn repairs_counts_of_tags_of_users() {
    let table = sample_table().await;
    let expected = table.all_items().await;
    table.set(tag_count_key("ada"), "tags", Some(number(6))).await;
    table.set(tag_count_key("ben"), "tags", Some(number(-2))).await;
    assert_repaired(
        &table,
        &["tags of ada: the count is 6, but should be 5", "tags of ben: the count is -2, but should be 3"],
        &expected,
    )
    .await;
}

#[tokio::test]
async fn repairs_counts_of_favorites_of_users() {
    for (wrong, stored) in [(Some(number(3)), "3"), (Some(number(-1)), "-1"), (None, "missing")] {
        let table = sample_table().await;
        let expected = table.all_items().await;
        table.set(favorite_count_key("ada"), "favorites", wrong).await;
        let line = format!("favorites of ada: the count is {stored}, but should be 9");
        assert_repaired(&table, &[&line], &expected).await;
        // A user without favorites needs no count.
        table.set(favorite_count_key("cara"), "favorites", Some(number(1))).await;
        assert_eq!(table.repair().await, ["favorites of cara: the count is 1, but should be 0"]);
        assert_eq!(table.findings().await, [""; 0]);
    }
}

#[tokio::test]
async fn counts_the_favorites_of_a_user_without_a_count() {
    let table = sample_table().await;
    let expected = table.all_items().await;
    table.delete(favorite_count_key("ben")).await;
    assert_repaired(&table, &["favorites of ben: the count is missing, but should be 5"], &expected).await;
}
