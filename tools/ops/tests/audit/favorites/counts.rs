//! Counts of tags.

use super::fixtures::{assert_repaired, favorite_key, sample_table, tag_count_key};
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
