//! Counts of tags and favorites.

use super::fixtures::{favorite_count_key, favorite_key, sample_table, tag_count_key};
use crate::audited_table::number;

#[tokio::test]
async fn repairs_counts_of_tags_and_favorites() {
    let table = sample_table().await;
    let expected = table.all_items().await;
    for (key, attribute, wrong) in [
        (favorite_key("ada", "viewpoint"), "tagCount", 5),
        (favorite_key("ada", "dinner"), "tagCount", -1),
        (favorite_key("ben", "waders"), "tagCount", 0),
        (tag_count_key("ada"), "tags", 6),
        (tag_count_key("ben"), "tags", -2),
        (favorite_count_key("ada"), "favorites", 3),
        (favorite_count_key("ben"), "favorites", -1),
    ] {
        table.set(key, attribute, Some(number(wrong))).await;
    }
    let lines = [
        "favorite dinner of ada: tagCount is -1, but should be 0",
        "favorite viewpoint of ada: tagCount is 5, but should be 2",
        "favorite waders of ben: tagCount is 0, but should be 2",
        "favorites of ada: the count is 3, but should be 9",
        "favorites of ben: the count is -1, but should be 5",
        "tags of ada: the count is 6, but should be 5",
        "tags of ben: the count is -2, but should be 3",
    ];
    table.assert_repaired(&lines, &expected).await;

    // A count of favorites can lack the attribute or the whole item.
    table.set(favorite_count_key("ada"), "favorites", None).await;
    table.delete(favorite_count_key("ben")).await;
    let lines = [
        "favorites of ada: the count is missing, but should be 9",
        "favorites of ben: the count is missing, but should be 5",
    ];
    table.assert_repaired(&lines, &expected).await;

    // A user without favorites needs no count.
    table.set(favorite_count_key("cara"), "favorites", Some(number(1))).await;
    assert_eq!(table.repair().await, ["favorites of cara: the count is 1, but should be 0"]);
}
