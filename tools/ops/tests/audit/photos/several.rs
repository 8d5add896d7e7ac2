//! Photos that were made with several pictures.

use std::slice::from_ref;

use ::testing;
use ops::audit::Resolution;
use shared::dynamodb::{Item, entity};
use shared::entities::{Key, Picture, PictureDeletion, PinnedPicture, photo_sk};
use shared::values::ReportReason;

use super::comments::LONG_AGO;
use super::{OTHER_PHOTO, test_data};
use crate::audited_table::{AuditedTable, number, photo, text, user};

/// The id of another photo of ada.
const THIRD_PHOTO: &str = "2020-01-02T00:00:00";

fn pictures(id: &str) -> Key {
    Key::pictures(&"ada".parse().unwrap(), &id.parse().unwrap())
}

fn ready(file: &[u8]) -> Picture {
    testing::ready(file)
}

fn removed(file: &[u8]) -> Picture {
    Picture::Removed { reason: ReportReason::Spam, sizes: ready(file).sizes().cloned() }
}

/// Returns the report about a photo of ada of which a moderator has removed these pictures, and its complaint.
pub(super) fn partly_removed(id: &str, numbers: &[u32]) -> [Item; 2] {
    let about = format!("ada~{id}");
    let mut report = testing::report(&about, "2024-06-01T00:00:00.000Z", &[("spam", 1)]);
    report.insert("reportState".to_owned(), text("partly-removed"));
    report.insert("removedFor".to_owned(), text("spam"));
    report.insert("pictures".to_owned(), serde_dynamo::to_attribute_value(numbers).unwrap());
    [report, testing::complaint("ben", &about, "spam")]
}

/// Returns the seed data with two photos of ada: one whose first picture a moderator has removed, and one that is
/// pending, because a picture is rejected.
async fn test_data_with_several() -> AuditedTable {
    let table = test_data().await;
    table.put(testing::several("ada", OTHER_PHOTO, [removed(b"1"), ready(b"2"), ready(b"3")])).await;
    table.put(partly_removed(OTHER_PHOTO, &[1])).await;
    table.put(testing::several("ada", THIRD_PHOTO, [ready(b"1"), testing::rejected(), Picture::Pending])).await;
    table.set_photos("ada", 3, 4).await;
    table
}

#[tokio::test]
async fn finds_nothing_in_photos_that_repeat_their_first_picture() {
    assert_eq!(test_data_with_several().await.findings().await, [""; 0]);
}

#[tokio::test]
async fn deletes_pictures_without_their_photo() {
    let table = test_data_with_several().await;
    let expected = table.all_items().await;
    let [_, without_photo] = testing::several("ada", "2020-01-03T00:00:00", [ready(b"1"), ready(b"2")]);
    let [of_one, beside_one] = testing::several("ada", "2020-01-04T00:00:00", [ready(b"1"), ready(b"2")]);
    let mut trace = testing::photo_deletion("ada", "2020-01-05T00:00:00", 0);
    trace.insert("ttl".to_owned(), number(4_000_000_000));
    let [_, of_trace] = testing::several("ada", "2020-01-05T00:00:00", [ready(b"1"), ready(b"2")]);
    let unmarked: Item = of_one.into_iter().filter(|(name, _)| name != "pictures").collect();
    table.put([without_photo, unmarked.clone(), beside_one, trace.clone(), of_trace]).await;
    table.set_photos("ada", 4, 5).await;
    let line = |id: &str| format!("pictures of photo {id} of ada: there is no photo of several pictures");
    let lines = ["2020-01-03T00:00:00", "2020-01-04T00:00:00", "2020-01-05T00:00:00"].map(line);
    assert_eq!(table.repair().await, lines);
    table.delete(photo("ada", "2020-01-04T00:00:00")).await;
    table.delete(photo("ada", "2020-01-05T00:00:00")).await;
    table.set_photos("ada", 3, 4).await;
    assert_eq!(table.all_items().await, expected);
}

#[tokio::test]
async fn leaves_the_pictures_of_a_photo_that_finish_deletion_deletes() {
    let table = test_data_with_several().await;
    table.put([testing::photo_deletion("ada", OTHER_PHOTO, 0)]).await;
    let findings = table.findings().await;
    assert!(findings.iter().all(|line| line.starts_with("deletion of photo")), "{findings:?}");
}

#[tokio::test]
async fn lets_a_photo_repeat_its_first_picture() {
    let table = test_data_with_several().await;
    let expected = table.all_items().await;
    let line = |id| {
        format!(
            "pictures of photo {id} of ada: it does not repeat its first picture, its text or the number of its pictures"
        )
    };
    table.set(photo("ada", OTHER_PHOTO), "altText", None).await;
    table.assert_repaired(&[&line(OTHER_PHOTO)], &expected).await;
    table.set(photo("ada", OTHER_PHOTO), "altText", Some(text("Another one"))).await;
    table.set(photo("ada", THIRD_PHOTO), "pictures", Some(number(2))).await;
    table.assert_repaired(&[&line(OTHER_PHOTO), &line(THIRD_PHOTO)], &expected).await;
    // A pending photo too.
    table.set(photo("ada", THIRD_PHOTO), "altText", Some(text("Another one"))).await;
    table.assert_repaired(&[&line(THIRD_PHOTO)], &expected).await;
    let [other, _] = testing::several("ada", OTHER_PHOTO, [ready(b"3"), ready(b"2")]);
    table.put([other]).await;
    table.assert_repaired(&[&line(OTHER_PHOTO)], &expected).await;
    // A moderator has removed the whole photo.
    table.set(photo("ada", OTHER_PHOTO), "picture.status", Some(text("removed"))).await;
    table.set(photo("ada", OTHER_PHOTO), "picture.reason", Some(text("spam"))).await;
    let findings = table.findings().await;
    assert!(findings.iter().all(|line| !line.starts_with("pictures")), "{findings:?}");
}

#[tokio::test]
async fn leaves_pictures_that_are_missing_and_photos_that_should_be_ready() {
    let table = test_data_with_several().await;
    table.delete(pictures(OTHER_PHOTO)).await;
    let [_, all_ready] = testing::several("ada", THIRD_PHOTO, [ready(b"1"), ready(b"2"), ready(b"3")]);
    table.put([all_ready]).await;
    let before = table.all_items().await;
    let report = table.audit(true).await;
    let lines: Vec<String> = report.findings.iter().map(|(finding, _)| finding.to_string()).collect();
    assert_eq!(
        lines,
        [
            format!("pictures of photo {OTHER_PHOTO} of ada: its pictures are missing, but for the first one"),
            format!("pictures of photo {THIRD_PHOTO} of ada: pending, although its pictures are ready"),
        ]
    );
    assert!(report.findings.iter().all(|(_, resolution)| *resolution == Resolution::NeedsManualRepair), "{report:?}");
    assert_eq!(table.all_items().await, before);
}

#[tokio::test]
async fn finds_a_report_that_does_not_name_the_pictures_that_are_removed() {
    let table = test_data_with_several().await;
    let report = Key::report(&format!("ada~{OTHER_PHOTO}").parse().unwrap());
    let line = format!("report ada~{OTHER_PHOTO}: its pictures are not those that are removed");
    for (numbers, is_right) in [(&[1][..], true), (&[1, 7], true), (&[2], false), (&[1, 2], false)] {
        table.set(report.clone(), "pictures", Some(serde_dynamo::to_attribute_value(numbers).unwrap())).await;
        let expected = if is_right { &[][..] } else { from_ref(&line) };
        assert_eq!(table.findings().await, expected, "{numbers:?}");
    }
    // A complaint has opened the report again.
    table.set(report.clone(), "pictures", Some(serde_dynamo::to_attribute_value([1]).unwrap())).await;
    let (state, at) = ("reportState", "2100-06-01T00:00:00.000Z");
    let about = format!("ada~{OTHER_PHOTO}");
    let mut decision = testing::decision(&about, "remove", "mona", at);
    decision.insert("pictures".to_owned(), serde_dynamo::to_attribute_value([1]).unwrap());
    table.put([decision]).await;
    table.set(report.clone(), "decided", Some(text(at))).await;
    for (is, is_right) in [("partly-removed", true), ("open", true), ("dismissed", false)] {
        table.set(report.clone(), state, Some(text(is))).await;
        assert_eq!(table.findings().await.is_empty(), is_right, "{is}");
    }
    table.delete(report).await;
    let findings = table.findings().await;
    assert!(findings.contains(&line), "{findings:?}");
}

#[tokio::test]
async fn starts_the_deletion_of_a_picture_again() {
    let table = test_data_with_several().await;
    let expected = table.all_items().await;
    let (ada, id, number) = ("ada".parse().unwrap(), OTHER_PHOTO.parse().unwrap(), "7".parse().unwrap());
    let key = Key::picture_deletion(&ada, &id, number);
    let deletion = PictureDeletion { erasing: ada, id, number, since: LONG_AGO.parse().unwrap() };
    table.put([entity::to_item(key.clone(), &deletion).unwrap()]).await;
    let line = format!("deletion of picture 7 of photo {OTHER_PHOTO} of ada: unfinished since {LONG_AGO}");
    let report = table.audit(true).await;
    let found: Vec<_> = report.findings.iter().map(|(finding, is)| (finding.to_string(), *is)).collect();
    assert_eq!(found, [(line, Resolution::Repaired)]);
    let items = table.all_items().await;
    let touched = items.values().find(|item| item["number"] == 7).unwrap();
    assert_eq!(touched["passes"], 1, "{touched}");
    table.delete(key).await;
    assert_eq!(table.all_items().await, expected);
}

#[tokio::test]
async fn reports_malformed_pictures() {
    for (path, value) in [("next", number(3)), ("version", text("1")), ("entries", text("1"))] {
        let table = test_data_with_several().await;
        table.set(pictures(OTHER_PHOTO), path, Some(value)).await;
        let findings = table.findings().await;
        assert!(findings.iter().any(|line| line.starts_with("item ")), "{path}: {findings:?}");
        assert!(findings.iter().all(|line| !line.starts_with("pictures of photo") || line.contains("missing")));
    }
}

#[tokio::test]
async fn a_pin_shows_the_first_picture_although_another_one_has_the_same_file() {
    let table = test_data().await;
    let [photo, pictures] = testing::several("ada", OTHER_PHOTO, [removed(b"1"), ready(b"1")]);
    table.put([photo, pictures]).await;
    table.put(partly_removed(OTHER_PHOTO, &[1])).await;
    table.set_photos("ada", 3, 3).await;
    let sk = photo_sk(&"ada".parse().unwrap(), &OTHER_PHOTO.parse().unwrap());
    table.set(user("ada"), "pinnedImage", Some(text(&sk))).await;
    let pin = |number| {
        let picture = testing::numbered(ready(b"1"), number).sizes().cloned().unwrap();
        serde_dynamo::to_attribute_value(PinnedPicture::from(picture)).unwrap()
    };
    table.set(user("ada"), "pinnedPicture", Some(pin(2))).await;
    let expected = table.all_items().await;
    assert_eq!(table.findings().await, [""; 0]);
    table.set(user("ada"), "pinnedPicture", Some(pin(1))).await;
    let line = format!("user ada: the picture of the pinned image {sk:?} is missing or another one");
    table.assert_repaired(&[&line], &expected).await;
}
