//! Reservations of tag names.

use serde_json::Value;
use shared::entities::{FAVORITE_SK, tag_name_reservation};

use super::fixtures::{item_mut, parsed, reservation_key, sample_table, tag_count_key, tag_item};
use crate::audited_table::{number, text};

#[tokio::test]
async fn makes_missing_reservations() {
    let table = sample_table().await;
    let expected = table.all_items().await;
    table.delete(reservation_key("ada", "Küche")).await;
    table.delete(reservation_key("ben", "나중에")).await;
    let lines = [
        r#"tag later of ben: its name "나중에" is not reserved"#,
        r#"tag recipes of ada: its name "Küche" is not reserved"#,
    ];
    table.assert_repaired(&lines, &expected).await;
}

#[tokio::test]
async fn deletes_orphaned_reservations() {
    let table = sample_table().await;
    let expected = table.all_items().await;
    let reservation =
        |owner: &str, name: &str, tag_id: &str| tag_name_reservation(&parsed(owner), &parsed(name), &parsed(tag_id));
    let mut not_folded = reservation("ada", "Travel", "travel");
    not_folded.insert(FAVORITE_SK.into(), text("Travel"));
    table
        .put([
            reservation("ada", "Nothing", "gone"),
            // The tag is one of ben's.
            reservation("ada", "Birds", "birds"),
            // The tag has another name.
            reservation("ben", "Birds of Europe", "birds"),
            not_folded,
        ])
        .await;
    let lines = [
        r#"reservation of tag name "Travel" of ada: tag travel has the name "Travel""#,
        r#"reservation of tag name "birds of europe" of ben: tag birds has the name "Birds""#,
        r#"reservation of tag name "birds" of ada: tag birds does not exist"#,
        r#"reservation of tag name "nothing" of ada: tag gone does not exist"#,
    ];
    table.assert_repaired(&lines, &expected).await;

    // Once the orphan is deleted, the name is reserved for the tag that has it.
    table.put([reservation("ada", "Küche", "gone"), reservation("ben", "Birds", "work")]).await;
    assert_eq!(
        table.repair().await,
        [
            r#"reservation of tag name "birds" of ben: tag work has the name "work""#,
            r#"reservation of tag name "küche" of ada: tag gone does not exist"#,
            r#"tag birds of ben: its name "Birds" is not reserved"#,
            r#"tag recipes of ada: its name "Küche" is not reserved"#,
        ]
    );
    assert_eq!(table.all_items().await, expected);
}

#[tokio::test]
async fn leaves_tags_with_the_same_name_for_manual_repair() {
    let table = sample_table().await;
    // A tag of ben's has this name too, but a name is unique only for each user.
    table.put([tag_item("ada", "travels", "TRAVEL"), tag_item("ada", "kitchen", "kU\u{308}che")]).await;
    table
        .put([
            tag_item("ben", "travels", "travel"),
            tag_name_reservation(&parsed("ben"), &parsed("travel"), &parsed("travels")),
        ])
        .await;
    table.set(tag_count_key("ada"), "tags", Some(number(7))).await;
    table.set(tag_count_key("ben"), "tags", Some(number(4))).await;
    let mut expected = table.all_items().await;
    let lines = [
        r#"tags kitchen, recipes of ada: all have the name "küche""#,
        r#"tags travel, travels of ada: all have the name "travel""#,
    ];
    assert_eq!(table.findings().await, lines);
    let report = table.audit(true).await;
    assert_eq!(report.to_string(), format!("{} items, 2 findings, 2 left for manual repair", expected.len()));
    assert_eq!(table.all_items().await, expected);

    // The name is reserved for either of the two.
    table.delete(reservation_key("ada", "Küche")).await;
    let report = table.audit(true).await;
    assert_eq!(
        report.to_string(),
        format!(
            "{} items, 4 findings, 1 repaired, 1 gone before the repair, 2 left for manual repair",
            expected.len() - 1
        )
    );
    let mut after = table.all_items().await;
    let reserved_for = item_mut(&mut after, reservation_key("ada", "Küche"))["tagId"].take();
    assert!(reserved_for == "kitchen" || reserved_for == "recipes", "{reserved_for}");
    item_mut(&mut expected, reservation_key("ada", "Küche"))["tagId"] = Value::Null;
    assert_eq!(after, expected);
}
