//! Malformed items.

use aws_sdk_dynamodb::types::AttributeValue::Ss;
use ops::audit::Resolution;
use shared::dynamodb::Item;
use shared::entities::{FAVORITE_PK, FAVORITE_SK, term_items};
use shared::values::DataType;

use super::fixtures::{
    HERON, SUNSET, favorite, favorite_count_key, favorite_key, favorite_tag, item_mut, parsed, sample_favorite,
    sample_table, tag_count_key, term_key,
};
use crate::audited_table::{number, text};

/// Returns an item with this key and these attributes.
fn item<const N: usize>(pk: &str, sk: &str, attributes: [(&str, &str); N]) -> Item {
    let keys = [(FAVORITE_PK, pk), (FAVORITE_SK, sk)];
    keys.into_iter().chain(attributes).map(|(name, value)| (name.to_owned(), text(value))).collect()
}

#[tokio::test]
async fn reports_malformed_items_but_does_not_change_them() {
    let table = sample_table().await;
    let (sunset, mut moved) = (sample_favorite(SUNSET, DataType::Image), sample_favorite(HERON, DataType::Image));
    moved.data_id = parsed("stork");
    let mut term_of_another = term_items(&parsed("ben"), &moved).pop().unwrap();
    term_of_another.extend(Item::from(term_key("ben", "dawn", HERON.2, HERON.0)));
    let mut without_tag = favorite_tag("ada", &sunset, "travel");
    without_tag.insert(FAVORITE_SK.into(), text("a tag"));
    table
        .put([
            item("anything", "at all", []),
            item("Visit#ada", "x", []),
            item("Tag#ADA", "x", []),
            item("Tag#ada#x", "x", []),
            item("TagCount#ada", "x", []),
            // A malformed favorite and a malformed tag exist, so the tags on favorites that refer
            // to them are no orphans.
            item("FavoriteData#ada", "without-time", [("dataType", "IMAGE")]),
            favorite_tag("ada", &favorite("without-time", DataType::Image, "", 1), "travel"),
            item("Tag#ben", "without-times", [("tagName", "Something")]),
            favorite_tag("ben", &sample_favorite(HERON, DataType::Image), "without-times"),
            item("Tag#ben", "without-name", [("tagName", ""), ("createTime", "1"), ("lastAccessTime", "1")]),
            item("TagName#ada", "nobody's", []),
            item("IdempotencyKey#ada", "photos#without-body", [("made", "{}")]),
            item("FavoriteDataHistory#ada", "broken", [("dataType", "IMAGE"), ("clipTime", "1"), ("ttl", "soon")]),
            term_of_another,
            without_tag,
        ])
        .await;
    table.set(favorite_key("ada", "dinner"), "tagCount", Some(text("none"))).await;
    table.set(favorite_key("ada", "sunset"), "tagCount", Some(number(2))).await;
    table.set(favorite_key("ben", "heron"), "tagCount", Some(number(2))).await;
    let ids = ["birds", "without-times"].map(str::to_owned).into();
    table.set(favorite_key("ben", "heron"), "tagIds", Some(Ss(ids))).await;
    table.set(tag_count_key("ben"), "tags", Some(number(5))).await;
    table.set(favorite_count_key("ada"), "favorites", Some(number(10))).await;
    let found = table.findings().await;
    let starts = [
        r#"item "FavoriteData#ada" "dinner": tagCount: "#,
        r#"item "FavoriteData#ada" "without-time": missing field `clipTime`"#,
        r#"item "FavoriteDataHistory#ada" "broken": "#,
        r#"item "FavoriteDataTag#ada#sunset" "a tag": the tagId in its key must be "#,
        r#"item "FavoriteDataTerm#ben#dawn" "1717206600000#heron": its attributes are those of a term, but its key is not"#,
        r#"item "IdempotencyKey#ada" "photos#without-body": missing field `bodySha256`"#,
        r#"item "Tag#ADA" "x": the username in its key must be "#,
        r#"item "Tag#ada#x" "x": its key matches no entity"#,
        r#"item "Tag#ben" "without-name": tagName is not a valid sort key"#,
        r#"item "Tag#ben" "without-times": missing field "#,
        r#"item "TagCount#ada" "x": its attributes are those of a tag count, but its key is not"#,
        r#"item "TagName#ada" "nobody's": it has no tagId"#,
        r#"item "Visit#ada" "x": its key matches no entity"#,
        r#"item "anything" "at all": its key matches no entity"#,
    ];
    // The malformed term replaces a valid one.
    let heron = ["favorite heron of ben: 1 of 14 terms are missing or wrong"];
    assert_eq!(found.len(), starts.len() + heron.len(), "{found:#?}");
    for (line, start) in found.iter().zip(heron.iter().chain(&starts)) {
        assert!(line.starts_with(start), "{line}");
    }

    let mut expected = table.all_items().await;
    let report = table.audit(true).await;
    assert!(
        report.findings.iter().filter(|(_, resolution)| *resolution == Resolution::NeedsManualRepair).count()
            == starts.len()
    );
    assert_eq!(
        report.to_string(),
        format!("{} items, 15 findings, 1 repaired, 14 left for manual repair", expected.len())
    );
    item_mut(&mut expected, term_key("ben", "dawn", HERON.2, HERON.0))["dataId"] = HERON.0.into();
    assert_eq!(table.all_items().await, expected);
}

/// The functions count the items of a partition, valid or not.
#[tokio::test]
async fn counts_malformed_items() {
    let table = sample_table().await;
    table.put([item("Tag#ben", "malformed", []), item("FavoriteDataTag#ada#tram", "no tag", [])]).await;
    let report = table.audit(true).await;
    let lines: Vec<_> = report.findings[2..].iter().map(|(finding, _)| finding.to_string()).collect();
    assert_eq!(
        lines,
        ["favorite tram of ada: tagCount is 1, but should be 2", "tags of ben: the count is 3, but should be 4"]
    );
    let mut after = table.all_items().await;
    assert_eq!(item_mut(&mut after, favorite_key("ada", "tram"))["tagCount"], 2);
    assert_eq!(item_mut(&mut after, tag_count_key("ben"))["tags"], 4);
    assert_eq!(table.audit(true).await.findings.len(), 2);
}
