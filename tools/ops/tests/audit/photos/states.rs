//! The states of the picture of a photo, and the expiry of photos whose picture stays pending.

use ::testing;
use aws_sdk_dynamodb::types::AttributeValue::Bool;
use ops::audit::Resolution;
use shared::entities::{Picture, REJECTED};
use shared::values::EpochMillis;

use super::{OTHER_PHOTO, test_data};
use crate::audited_table::{AuditedTable, number, photo, text, user};

const SECONDS_OF_A_DAY: u64 = 24 * 60 * 60;

fn seconds(seconds: u64) -> aws_sdk_dynamodb::types::AttributeValue {
    number(seconds.try_into().unwrap())
}

/// Returns the seed data with a photo of ada.
async fn test_data_with(picture: Picture) -> AuditedTable {
    let table = test_data().await;
    let is_rejected = matches!(picture, Picture::Rejected { .. });
    let is_ready = !is_rejected && picture != Picture::Pending;
    table.put([testing::photo_with("ada", OTHER_PHOTO, picture)]).await;
    table.set_photos("ada", if is_ready { 3 } else { 2 }, 3).await;
    if is_rejected {
        table.set(user("ada"), REJECTED, Some(number(1))).await;
    }
    table
}

fn rejected() -> Picture {
    testing::rejected()
}

#[tokio::test]
async fn finds_nothing_in_photos_of_any_state() {
    for picture in [Picture::Pending, rejected(), testing::ready(b"file")] {
        assert_eq!(test_data_with(picture).await.findings().await, [""; 0]);
    }
}

#[tokio::test]
async fn repairs_the_count_of_rejected_photos() {
    let table = test_data_with(rejected()).await;
    // A rejected photo whose deletion is not finished counts too, and its trace does not.
    let mut deletion = testing::photo_deletion("ada", "2020-01-02T00:00:00", 0);
    let mut trace = testing::photo_deletion("ada", "2020-01-03T00:00:00", 0);
    for item in [&mut deletion, &mut trace] {
        item.extend(["unready", "rejected"].map(|mark| (mark.to_owned(), Bool(true))));
    }
    trace.insert("ttl".to_owned(), seconds(4_000_000_000));
    table.put([deletion, trace]).await;
    table.set_photos("ada", 2, 4).await;
    for stored in [None, Some(0), Some(-1), Some(3)] {
        table.set(user("ada"), REJECTED, stored.map(number)).await;
        let is = stored.map_or("missing".to_owned(), |count: i64| count.to_string());
        let mut found = table.findings().await;
        found.retain(|line| !line.starts_with("deletion of photo"));
        assert_eq!(found, [format!("user ada: rejectedPhotos is {is}, but should be 2")]);
        table.audit(true).await;
        let items = table.all_items().await;
        assert_eq!(items[&("USER#ada".to_owned(), "#METADATA#ada".to_owned())][REJECTED], 2);
    }
}

#[tokio::test]
async fn reports_a_picture_that_is_in_no_state() {
    let table = test_data_with(Picture::Pending).await;
    table.set(photo("ada", OTHER_PHOTO), "picture.status", Some(text("lost"))).await;
    let found = table.findings().await;
    assert!(found[0].starts_with(r#"item "USER#ada" "PHOTO#ada#2020-01-01T00:00:00": "#), "{found:?}");
    assert!(found.len() == 1 && found[0].contains("picture"), "{found:?}");
    assert_eq!(table.audit(true).await.findings[0].1, Resolution::NeedsManualRepair);
}

#[tokio::test]
async fn removes_the_ttl_of_a_photo_that_is_not_pending() {
    for picture in [rejected(), testing::ready(b"file")] {
        let table = test_data_with(picture).await;
        let expected = table.all_items().await;
        table.set(photo("ada", OTHER_PHOTO), "ttl", Some(seconds(4_000_000_000))).await;
        table.set(photo("ada", "2024-05-30T15:42:38"), "ttl", Some(seconds(1))).await;
        assert_eq!(
            table.repair().await,
            [
                "photo 2020-01-01T00:00:00 of ada: not pending, but it expires at 2096-10-02T07:06:40.000Z",
                "photo 2024-05-30T15:42:38 of ada: not pending, but it expires at 1970-01-01T00:00:01.000Z",
            ]
        );
        assert_eq!(table.all_items().await, expected);
    }
}

#[tokio::test]
async fn gives_a_pending_photo_a_ttl() {
    let table = test_data_with(Picture::Pending).await;
    table.set(photo("ada", OTHER_PHOTO), "ttl", None).await;
    let now = EpochMillis::now().seconds();
    assert_eq!(table.repair().await, ["photo 2020-01-01T00:00:00 of ada: pending without a ttl"]);
    let items = table.all_items().await;
    let ttl = items[&("USER#ada".to_owned(), format!("PHOTO#ada#{OTHER_PHOTO}"))]["ttl"].as_u64().unwrap();
    assert!((now + SECONDS_OF_A_DAY..now + SECONDS_OF_A_DAY + 60).contains(&ttl), "{ttl}");
}

/// A stream record of this deletion starts finish-deletion, as that of DynamoDB's own would.
#[tokio::test]
async fn deletes_a_pending_photo_that_dynamodb_has_not_deleted_for_a_week() {
    let table = test_data_with(Picture::Pending).await;
    let now = EpochMillis::now().seconds();
    table.set(photo("ada", OTHER_PHOTO), "ttl", Some(seconds(now - 6 * SECONDS_OF_A_DAY))).await;
    assert_eq!(table.findings().await, [""; 0]);
    table.set(photo("ada", OTHER_PHOTO), "ttl", Some(seconds(now - 8 * SECONDS_OF_A_DAY))).await;
    let found = table.findings().await;
    assert!(found[0].starts_with("photo 2020-01-01T00:00:00 of ada: expired at 2"), "{found:?}");
    let mut expected = table.all_items().await;
    expected.remove(&("USER#ada".to_owned(), format!("PHOTO#ada#{OTHER_PHOTO}")));
    let report = table.audit(true).await;
    assert_eq!(report.findings.len(), 1);
    assert_eq!(report.findings[0].1, Resolution::Repaired);
    assert_eq!(table.all_items().await, expected);
}

/// finish-deletion has decremented the count when it has put the trace. If the audit touched the
/// trace, finish-deletion would decrement the count once more.
#[tokio::test]
async fn neither_counts_nor_restarts_the_trace_of_a_photo() {
    let table = test_data().await;
    let mut trace = testing::photo_deletion("ada", OTHER_PHOTO, 0);
    trace.remove("reactions");
    trace.insert("ttl".to_owned(), seconds(4_000_000_000));
    table.put([trace.clone()]).await;
    let expected = table.all_items().await;
    assert_eq!(table.repair().await, [""; 0]);
    assert_eq!(table.all_items().await, expected);

    table.set_photos("ada", 3, 3).await;
    assert_eq!(
        table.repair().await,
        ["user ada: photos is 3, but should be 2", "user ada: uploads is 3, but should be 2"]
    );
    assert_eq!(table.all_items().await, expected);
    // Nor does it belong to a user who does not exist.
    let mut trace = testing::photo_deletion("gone", OTHER_PHOTO, 0);
    trace.insert("ttl".to_owned(), seconds(4_000_000_000));
    table.put([trace]).await;
    assert_eq!(table.findings().await, [""; 0]);
}

#[tokio::test]
async fn reports_reactions_to_a_photo_that_was_never_ready() {
    for picture in [Picture::Pending, rejected()] {
        let table = test_data_with(picture).await;
        table.put([testing::reaction("ben", "heart", "ada", OTHER_PHOTO)]).await;
        table.set(photo("ada", OTHER_PHOTO), "reactions.heart", Some(number(1))).await;
        table.put([testing::comment("ben", OTHER_PHOTO, "ada", OTHER_PHOTO)]).await;
        table.set(photo("ada", OTHER_PHOTO), "comments", Some(number(1))).await;
        table.set(user("ben"), "commentsWritten", Some(number(2))).await;
        let found = "photo 2020-01-01T00:00:00 of ada: not ready, but it has 2 reactions and comments";
        assert_eq!(table.findings().await, [found]);
        let before = table.all_items().await;
        assert_eq!(table.audit(true).await.findings[0].1, Resolution::NeedsManualRepair);
        assert_eq!(table.all_items().await, before);
    }
}
