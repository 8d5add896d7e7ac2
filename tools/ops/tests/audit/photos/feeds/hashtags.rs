//! The lists of hashtags.

use shared::entities::{HashtagEntry, HashtagListing, HashtagSummary, Position};
use shared::values::Hashtag;

use super::*;
use crate::photos::photo;

/// Returns the entry of a photo of ada. The newest one has the hashtag *selfie* in the seed data.
fn entry(hashtag: &str, id: &str) -> HashtagEntry {
    let photo = Position { id: id.parse().unwrap(), author: name("ada") };
    HashtagEntry { hashtag: tag(hashtag), photo }
}

fn tag(text: &str) -> Hashtag {
    text.parse().unwrap()
}

#[tokio::test]
async fn makes_the_lists_of_an_empty_table() {
    let feeds = Feeds::seed();
    let expected = feeds.all_items().await;
    feeds.delete(entry("selfie", ADAS_NEWEST).key()).await;
    feeds.delete(Key::hashtag_summary(&tag("selfie"))).await;
    for key in (HashtagListing { rank: 8, hashtag: tag("selfie") }).keys() {
        feeds.delete(key).await;
    }
    let lines = [
        format!("hashtag selfie: the entry of photo {ADAS_NEWEST} of ada is missing"),
        "hashtag selfie: the summary or the listings are wrong, the count is 0, but should be 1".to_owned(),
    ];
    feeds.assert_repairs(&lines, &expected).await;
}

/// No feed shows it.
#[tokio::test]
async fn the_entry_of_an_imported_photo_gets_its_mark_again() {
    let feeds = Feeds::seed();
    feeds.table.set(photo("ada", ADAS_NEWEST), "imported", Some(AttributeValue::Bool(true))).await;
    let entry = entry("selfie", ADAS_NEWEST);
    feeds.put(entry.item(true)).await;
    let expected = feeds.all_items().await;
    feeds.delete(entry.key()).await;
    feeds.audit(true).await;
    let repaired = feeds.all_items().await;
    let entries =
        |items: &Items| items.values().filter(|item| item.get("imported").is_some()).cloned().collect::<Vec<_>>();
    assert_eq!((entries(&repaired).len(), entries(&repaired)), (1, entries(&expected)));
}

#[tokio::test]
async fn deletes_what_no_photo_has() {
    let feeds = Feeds::seed();
    let expected = feeds.all_items().await;
    for stale in [entry("dawn", ADAS_NEWEST), entry("selfie", "2024-01-01T00:00:00")] {
        feeds.put(stale.item(false)).await;
    }
    let summary = HashtagSummary::default().with(&entry("dawn", ADAS_NEWEST), true);
    feeds.put(summary.item(&tag("dawn")).unwrap()).await;
    for rank in [8, 3] {
        for item in (HashtagListing { rank, hashtag: tag("dawn") }).items("2024-06").unwrap() {
            feeds.put(item).await;
        }
    }
    let lines = [
        format!("hashtag dawn: the entry of photo {ADAS_NEWEST} of ada is not one of the photo"),
        "hashtag dawn: the summary or the listings are wrong, the count is 1, but should be 0".to_owned(),
        "hashtag selfie: the entry of photo 2024-01-01T00:00:00 of ada is not one of the photo".to_owned(),
    ];
    feeds.assert_repairs(&lines, &expected).await;
}

/// A writer was killed after it had written the listings.
#[tokio::test]
async fn corrects_listings_that_were_left_behind() {
    let feeds = Feeds::seed();
    let expected = feeds.all_items().await;
    for key in (HashtagListing { rank: 8, hashtag: tag("selfie") }).keys() {
        feeds.delete(key).await;
    }
    for item in (HashtagListing { rank: 7, hashtag: tag("selfie") }).items("2024-06").unwrap() {
        feeds.put(item).await;
    }
    let line = "hashtag selfie: the summary or the listings are wrong, the count is 1, but should be 1";
    feeds.assert_repairs(&[line], &expected).await;
}

/// process-changes has given up the records of these changes.
#[tokio::test]
async fn follows_a_photo_that_was_edited_or_restricted() {
    for (attribute, value, findings) in [("caption", "#dawn", 4), ("audience", "me", 2)] {
        let feeds = Feeds::seed();
        let photo = Key::photo(&name("ada"), &ADAS_NEWEST.parse().unwrap());
        feeds.table.set(photo, attribute, Some(text(value))).await;
        let report = feeds.audit(true).await;
        let found = report.findings.iter().filter(|(finding, _)| finding.to_string().starts_with("hashtag"));
        assert_eq!(found.count(), findings, "{report:?}");
        assert!(feeds.findings().await.iter().all(|line| !line.starts_with("hashtag")));
        let items = feeds.all_items().await;
        assert!(items.keys().all(|(pk, _)| !pk.contains("selfie")), "{items:?}");
    }
}

/// DynamoDB deletes what has expired in any order, and within days.
#[tokio::test]
async fn lets_what_has_expired_be() {
    let feeds = Feeds::seed();
    let old = entry("dawn", "2009-05-30T15:42:38");
    // An import has made it.
    feeds.table.put([testing::with(testing::photo("ada", "2009-05-30T15:42:38"), "caption", "#selfie")]).await;
    let findings = async || {
        let lines = feeds.findings().await;
        lines.into_iter().filter(|line| line.starts_with("hashtag")).collect::<Vec<_>>()
    };
    let summary = HashtagSummary::default().with(&old, true);
    for item in (HashtagListing { rank: 8, hashtag: tag("dawn") }).items("2009-05").unwrap() {
        feeds.put(item).await;
        assert_eq!(findings().await, [""; 0]);
    }
    for item in [old.item(false), summary.item(&tag("dawn")).unwrap()] {
        feeds.put(item).await;
        assert_eq!(findings().await, [""; 0]);
    }
}
