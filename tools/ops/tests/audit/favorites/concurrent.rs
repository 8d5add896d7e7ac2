//! Concurrent writes to `<stage>.Favorite` during an audit, and audits that are killed.

use std::time::Duration;

use ops::audit;
use ops::audit::{Options, Progress, Resolution};
use shared::favorites::{tag_name_reservation, term_items};
use shared::values::DataType;
use tokio::sync::Notify;

use super::fixtures::{
    HERON, SUNSET, favorite, favorite_count_key, favorite_key, favorite_tag, items_of_another_program, sample_favorite,
    sample_table, tag_count_key, tag_item, term_key,
};
use crate::audited_table::{AuditedTable, number, options};

#[tokio::test]
async fn does_not_report_a_difference_that_disappears() {
    let table = sample_table().await;
    let expected = table.all_items().await;
    let (sunset, gone) = (sample_favorite(SUNSET, DataType::Image), favorite("gone", DataType::Note, "Gone", 1));
    let (sunset_id, _, sunset_at) = SUNSET;
    table
        .put([
            favorite_tag("ada", &gone, "travel"),
            favorite_tag("ada", &sunset, "late"),
            tag_item("ada", "new", "New"),
        ])
        .await;
    table.put(term_items(&"ben".parse().unwrap(), &gone)).await;
    table.delete(term_key("ada", "lisb", sunset_at, sunset_id)).await;
    table.set(favorite_key("ada", "sunset"), "tagCount", Some(number(2))).await;
    table.set(favorite_key("ben", "heron"), "tagCount", Some(number(9))).await;
    let new_name = tag_name_reservation(&"ada".parse().unwrap(), &"New".parse().unwrap(), &"new".parse().unwrap());
    let lisbon = term_items(&"ada".parse().unwrap(), &sunset);
    let report = table
        .repair_with_concurrent_changes(async |_| {
            table.put(lisbon.clone()).await;
            table.put([gone.item(&"ada".parse().unwrap()), gone.item(&"ben".parse().unwrap())]).await;
            table.put(term_items(&"ada".parse().unwrap(), &gone)).await;
            table.put([new_name.clone(), tag_item("ada", "late", " late")]).await;
            table.set(tag_count_key("ada"), "tags", Some(number(7))).await;
            table.set(favorite_count_key("ada"), "favorites", Some(number(10))).await;
            table.set(favorite_count_key("ben"), "favorites", Some(number(6))).await;
            table.set(favorite_key("ben", "heron"), "tagCount", Some(number(1))).await;
        })
        .await;
    assert_eq!((report.findings, report.unconfirmed), (vec![], 0));
    assert_eq!(table.findings().await, [""; 0]);
    assert!(table.all_items().await.len() > expected.len());
}

/// Kills repairs at several findings. The next repair continues, and leaves the same items as one
/// that is not killed.
#[tokio::test]
async fn continues_a_repair_that_was_killed() {
    let (sunset, heron) = (sample_favorite(SUNSET, DataType::Image), sample_favorite(HERON, DataType::Image));
    let long: String = ('一'..).take(120).collect();
    let long = favorite("long", DataType::Note, &long, 1_717_000_000_000);
    let items = [
        items_of_another_program(),
        vec![
            favorite_tag("ada", &heron, "1"),
            favorite_tag("ben", &favorite("lake", DataType::Image, "", 10), "gone"),
            favorite_tag("ada", &favorite("list", DataType::Note, "", 19), "1"),
            long.item(&"ada".parse().unwrap()),
            tag_name_reservation(&"ada".parse().unwrap(), &"travel".parse().unwrap(), &"gone".parse().unwrap()),
        ],
        term_items(&"ben".parse().unwrap(), &sunset),
        term_items(&"ben".parse().unwrap(), &long),
    ]
    .concat();
    let damaged_table = async || {
        let table = AuditedTable::favorites(items.clone());
        table.set(favorite_key("ben", "lake"), "tagCount", Some(number(7))).await;
        table.set(favorite_key("ben", "list"), "tagCount", Some(number(1))).await;
        table.set(favorite_key("ada", "lake"), "lsiOneSk", None).await;
        table
    };
    let uninterrupted = damaged_table().await;
    let findings = uninterrupted.repair().await.len();
    let expected = uninterrupted.all_items().await;
    assert!(findings > 15, "{findings}");

    for last in (1..findings).step_by(3) {
        let table = damaged_table().await;
        let killed = Notify::new();
        let mut found = 0;
        let options = Options { recheck_delay: Duration::from_millis(1), ..options(true) };
        let audit = audit::run(&table.client, &table.name, options, |event| {
            if let Progress::Found(_, Resolution::Repaired) = event {
                found += 1;
                if found == last {
                    killed.notify_one();
                }
            }
        });
        tokio::select! {
            biased;
            () = killed.notified() => {}
            // The last findings come at the same time, so the audit can end first.
            report = audit => assert!(report.unwrap().findings.len() >= last),
        }
        table.repair().await;
        assert_eq!(table.all_items().await, expected, "killed after {last}");
    }
}
