//! Whole tables: sample data, and a table that another program wrote.

use aws_sdk_dynamodb::types::AttributeValue::Ss;
use local::sample::favorites::Collection;
use local::sample::{FAVORITE, seed};
use ops::audit;
use ops::audit::{Options, Progress};
use shared::dynamodb::entity;
use shared::entities::{self, IdempotencyRecord, IdempotencyScope, Key};
use shared::values::DataType;

use super::fixtures::{
    collections, favorite, favorite_count_key, favorite_key, favorite_tag, items_of_another_program, parsed,
    sample_table, tag_count_key, tag_item,
};
use crate::audited_table::{AuditedTable, number, text};

#[tokio::test]
async fn finds_nothing_in_the_sample_data() {
    let table = sample_table().await;
    assert_eq!(table.findings().await, [""; 0]);
    assert_eq!(table.audit(true).await.to_string(), format!("{} items, 0 findings", seed(FAVORITE).len()));
    for segments in [1, 7] {
        let options = Options { segments, ..Options::default() };
        let watch = |event: Progress<'_>| assert!(matches!(event, Progress::Scanned { .. }), "there are no candidates");
        let report = audit::run(&table.client, &table.name, options, watch).await.unwrap();
        assert_eq!(report.to_string(), format!("{} items, 0 findings", seed(FAVORITE).len()));
    }
}

#[tokio::test]
async fn accepts_items_of_other_programs_and_missing_counts() {
    let table = sample_table().await;
    let history = |data_id: &str, ttl: u64| {
        let favorite = favorite(data_id, DataType::Image, "Once more", 5);
        let item = favorite.item(&parsed("ada"));
        entities::history_item(&parsed("ada"), &favorite, item, &[parsed("travel"), parsed("gone")].into(), ttl)
    };
    let record = |key: &str, ttl: u64| {
        let key = Key::idempotency_record(&parsed("ada"), &IdempotencyScope::Photos, &parsed(key));
        let record = IdempotencyRecord { body_sha256: "hash".to_owned(), made: "{}".to_owned(), ttl };
        entity::to_item(key, &record).unwrap()
    };
    let mut foreign = tag_item("ada", "numbers-as-text", " not a valid name");
    foreign.insert("createTime".into(), text("7"));
    let mut untitled = favorite("untitled", DataType::Link, "", 9).item(&parsed("ben"));
    untitled.remove("title");
    untitled.insert("dataType".into(), text("link"));
    untitled.insert("clipTime".into(), number(9));
    untitled.insert("tagIds".into(), Ss(vec!["work".into()]));
    let mut on_untitled = favorite_tag("ben", &favorite("untitled", DataType::Link, "", 9), "work");
    on_untitled.insert("clipTime".into(), text("9"));
    table
        .put([
            history("sunset", 4_102_444_800),
            history("long-gone", 1),
            record("new", 4_102_444_800),
            record("expired", 1),
            foreign,
            tag_item("ada", "twin", " not a valid name"),
            untitled,
            on_untitled,
        ])
        .await;
    table.set(tag_count_key("ada"), "tags", Some(number(7))).await;
    table.set(tag_count_key("ada"), "deletions", Some(number(99))).await;
    table.set(tag_count_key("ben"), "tags", None).await;
    table.set(favorite_count_key("ben"), "favorites", Some(number(6))).await;
    table.set(favorite_key("ben", "heron"), "tagCount", None).await;
    assert_eq!(table.findings().await, [""; 0]);
}

#[tokio::test]
async fn adds_reservations_terms_and_ids_of_tags_to_a_table_that_another_program_wrote() {
    let table = AuditedTable::favorites(items_of_another_program());
    let before = table.all_items().await;
    let lines = [
        "favorite lake of ada: 10 of 10 terms are missing or wrong",
        "favorite lake of ada: tagIds are not the ids of its tags",
        "favorite lake of ben: 10 of 10 terms are missing or wrong",
        "favorite lake of ben: tagIds are not the ids of its tags",
        "favorite late of ben: 4 of 4 terms are missing or wrong",
        "favorite list of ada: 9 of 9 terms are missing or wrong",
        "favorite list of ada: tagIds are not the ids of its tags",
        "favorite list of ben: 9 of 9 terms are missing or wrong",
        "favorite list of ben: tagIds are not the ids of its tags",
        "favorites of ada: the count is missing, but should be 2",
        "favorites of ben: the count is missing, but should be 3",
        r#"tag 1 of ada: its name "Travel" is not reserved"#,
        r#"tag 1 of ben: its name "Travel" is not reserved"#,
        r#"tag 2 of ada: its name "읽을 것" is not reserved"#,
        r#"tag 2 of ben: its name "읽을 것" is not reserved"#,
    ];
    assert_eq!(table.findings().await, lines);
    assert_eq!(table.repair().await, lines);
    // The table is then as if the functions had written it, except for the counts of tags. Only a
    // favorite with tags has the count of its own tags, beside their ids.
    let own = AuditedTable::favorites(collections().map(Collection::into_items).concat());
    let mut expected = own.all_items().await;
    expected.retain(|(pk, _), _| !pk.starts_with("TagCount#"));
    for (key, item) in &before {
        let has_tags = key.0.starts_with("FavoriteData#") && !expected[key]["tagIds"].is_null();
        if !has_tags {
            expected.insert(key.clone(), item.clone());
        }
    }
    assert_eq!(table.all_items().await, expected);
}
