//! Links, their targets, and the counts of those who share.

use std::time::{Duration, SystemTime};

use ::testing;
use aws_sdk_dynamodb::types::AttributeValue::{Bool, N, Ss};
use ops::audit::Resolution;
use shared::dynamodb::{Item, entity};
use shared::entities::{Key, REPORTED_LINKS, Visitor};
use shared::values::Timestamp;

use super::{ADAS_PHOTO, OTHER_PHOTO, test_data};
use crate::audited_table::{AuditedTable, number, text, user};

const TOKEN: &str = "dG9rZW4tb2YtYS1saW5rLQ";
const OF_PROFILE: &str = "cHJvZmlsZS1vZi1hZGEtMQ";
const OTHER_TOKEN: &str = "YW5vdGhlci10b2tlbi1vZg";

/// Returns the key of the link of a photo of ada.
fn link(id: &str) -> Key {
    Key::link(&"ada".parse().unwrap(), Some(&id.parse().unwrap()))
}

fn target(token: &str) -> Key {
    Key::link_target(&token.parse().unwrap())
}

/// Returns the time this number of days ago.
fn days_ago(days: u64) -> Timestamp {
    Timestamp::from(SystemTime::now() - Duration::from_hours(24 * days))
}

/// Returns the seed data with links of a photo and of the profile of ada.
async fn shared_by_ada() -> AuditedTable {
    let table = test_data().await;
    table.put(testing::link("ada", Some(ADAS_PHOTO), TOKEN)).await;
    table.put(testing::link("ada", None, OF_PROFILE)).await;
    table.set(user("ada"), "links", Some(number(2))).await;
    table
}

#[tokio::test]
async fn repairs_the_count_of_links() {
    let table = shared_by_ada().await;
    let expected = table.all_items().await;
    assert_eq!(table.findings().await, [""; 0]);
    for stored in [None, Some(0), Some(-1), Some(7)] {
        table.set(user("ada"), "links", stored.map(number)).await;
        let is = stored.map_or("missing".to_owned(), |count: i64| count.to_string());
        table.assert_repaired(&[&format!("user ada: links is {is}, but should be 2")], &expected).await;
    }
}

#[tokio::test]
async fn makes_the_target_of_a_link_as_the_link_says() {
    let table = shared_by_ada().await;
    table.set(link(ADAS_PHOTO), "until", Some(text("2097-01-01T00:00:00.000Z"))).await;
    table.set(target(TOKEN), "ttl", Some(number(4_007_836_800))).await;
    table.set(link(ADAS_PHOTO), "indexed", Some(Bool(true))).await;
    table.set(target(TOKEN), "indexed", Some(Bool(true))).await;
    let expected = table.all_items().await;
    assert_eq!(table.findings().await, [""; 0]);
    let line = format!("link to photo {ADAS_PHOTO} of ada: its target is missing or another one");
    for (attribute, wrong) in [
        ("ttl", None),
        ("ttl", Some(number(4_000_000_000))),
        ("indexed", None),
        ("photo", None),
        ("photo", Some(text(OTHER_PHOTO))),
    ] {
        table.set(target(TOKEN), attribute, wrong).await;
        // A target of something else belongs to no link, too, until it is repaired.
        let findings = table.findings().await;
        assert!(findings.contains(&line), "{attribute}: {findings:?}");
        table.repair().await;
        assert_eq!(table.all_items().await, expected, "{attribute}");
    }
    table.delete(target(TOKEN)).await;
    table.assert_repaired(&[&line], &expected).await;
}

#[tokio::test]
async fn deletes_a_target_that_no_link_has() {
    let table = shared_by_ada().await;
    let expected = table.all_items().await;
    // The target of an earlier token, of a photo without a link, and of a user who is lost.
    table.put(testing::link("ada", Some(ADAS_PHOTO), OTHER_TOKEN).pop()).await;
    table.put(testing::link("ben", None, "YmVuLXdpdGhvdXQtYS1saQ").pop()).await;
    table.put(testing::link("gone", None, "Z29uZS13aXRob3V0LWEtbA").pop()).await;
    let lines = [
        "target of a link to photo 2024-05-30T15:42:38 of ada: no link has it",
        "target of a link to the profile of ben: no link has it",
        "target of a link to the profile of gone: no link has it",
    ];
    table.assert_repaired(&lines, &expected).await;

    // DynamoDB deletes one that has ended.
    for (days, is_found) in [(1, false), (8, true)] {
        table.put(testing::link_until("ben", None, OTHER_TOKEN, Some(days_ago(days))).pop()).await;
        assert_eq!(table.findings().await.len(), usize::from(is_found), "{days}");
    }
}

#[tokio::test]
async fn deletes_a_link_to_a_photo_that_does_not_exist() {
    let table = shared_by_ada().await;
    let mut trace = testing::photo_deletion("ada", "2020-01-02T00:00:00", 0);
    trace.insert("ttl".to_owned(), number(4_000_000_000));
    table.put([trace]).await;
    let expected = table.all_items().await;
    table.put(testing::link("ada", Some(OTHER_PHOTO), OTHER_TOKEN)).await;
    table.put(testing::link("ada", Some("2020-01-02T00:00:00"), "YW5vdGhlci10b2tlbi1vZw")).await;
    table.set(user("ada"), "links", Some(number(4))).await;
    let lines =
        [OTHER_PHOTO, "2020-01-02T00:00:00"].map(|id| format!("link to photo {id} of ada: the photo does not exist"));
    table.assert_repaired(&lines.each_ref().map(String::as_str), &expected).await;
}

/// finish-deletion deletes the link.
#[tokio::test]
async fn leaves_the_link_of_a_photo_in_deletion() {
    let table = shared_by_ada().await;
    let mut deletion = testing::photo_deletion("ada", OTHER_PHOTO, 0);
    deletion.insert("unready".to_owned(), Bool(true));
    table.put([deletion]).await;
    table.put(testing::link("ada", Some(OTHER_PHOTO), OTHER_TOKEN)).await;
    table.set(user("ada"), "links", Some(number(3))).await;
    table.set(user("ada"), "uploads", Some(number(3))).await;
    let findings = table.findings().await;
    assert!(findings.iter().all(|finding| finding.starts_with("deletion of photo")), "{findings:?}");
}

#[tokio::test]
async fn deletes_a_link_that_has_ended() {
    let table = shared_by_ada().await;
    let expected = table.all_items().await;
    let put = async |days| {
        let until = days_ago(days);
        table.put(testing::link_until("ada", Some("2024-06-09T13:49:13"), OTHER_TOKEN, Some(until.clone()))).await;
        table.set(user("ada"), "links", Some(number(3))).await;
        until
    };
    // DynamoDB has some days to delete the target.
    put(1).await;
    assert_eq!(table.findings().await, [""; 0]);
    // The target is gone, and finish-deletion has not deleted the link.
    let seconds =
        |until: Timestamp| Timestamp::from_epoch_millis(i64::try_from(until.seconds() * 1000).unwrap()).unwrap();
    let until = seconds(put(1).await);
    table.delete(target(OTHER_TOKEN)).await;
    let line = format!("link to photo 2024-06-09T13:49:13 of ada: ended at {until}, but it is not deleted");
    table.assert_repaired(&[&line], &expected).await;

    // DynamoDB has not deleted the target.
    let until = seconds(put(8).await);
    let line = format!("link to photo 2024-06-09T13:49:13 of ada: ended at {until}, but its target is not deleted");
    let report = table.audit(true).await;
    let [(finding, Resolution::Repaired)] = report.findings.as_slice() else { panic!("{report:?}") };
    assert_eq!(finding.to_string(), line);
    let items = table.all_items().await;
    assert!(!items.keys().any(|(pk, _)| pk.contains(OTHER_TOKEN)), "finish-deletion deletes the link");
}

#[tokio::test]
async fn finds_the_links_of_users_who_are_lost_or_deleted() {
    let table = test_data().await;
    table.put(testing::link("lost", None, TOKEN)).await;
    assert_eq!(table.findings().await, ["user lost: does not exist, but there are 1 links"]);
}

/// Nothing else says how many visitors have reported something, so the audit takes the report's word
/// for it.
#[tokio::test]
async fn takes_visitors_as_they_are() {
    let table = test_data().await;
    let mut report = testing::report("ben", "2024-06-01T00:00:00.000Z", &[]);
    report.insert("visitors".to_owned(), number(3));
    let visitor = Visitor { hash: "aGFzaA".to_owned(), reports: 1, ttl: 4_000_000_000 };
    let mut visitor: Item = entity::to_item(Key::visitor(&visitor.hash), &visitor).unwrap();
    visitor.insert(REPORTED_LINKS.to_owned(), Ss(vec!["aGFzaA".to_owned()]));
    table.put([report, visitor]).await;
    assert_eq!(table.findings().await, [""; 0]);
    table.set(Key::visitor("aGFzaA"), "ttl", Some(N("-1".to_owned()))).await;
    assert_eq!(table.findings().await.len(), 1, "no function can read the item");
}
