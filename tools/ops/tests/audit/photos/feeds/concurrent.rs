//! Concurrent writes during an audit of the feeds.

use super::*;
use std::cell::Cell;

use shared::entities::{HashtagEntry, HashtagListing, HashtagSummary};
use tokio::sync::mpsc;

impl Feeds {
    /// Repairs, and calls `change` once, after the first inspection of the candidates.
    async fn repair_with_concurrent_change(&self, change: impl Future<Output = ()>) -> Report {
        let (send, mut inspections) = mpsc::unbounded_channel();
        let options = Options { recheck_delay: Duration::from_secs(1), ..options(true) };
        let inspected = Cell::new(0);
        let audit = self.audit_with(options, |progress| {
            if let Progress::Inspecting(_) = progress {
                inspected.set(inspected.get() + 1);
                // The second inspection is about to begin, after the delay.
                if inspected.get() == 2 {
                    send.send(()).unwrap();
                }
            }
        });
        let change = async {
            inspections.recv().await;
            change.await;
        };
        tokio::join!(Box::pin(audit), Box::pin(change)).0
    }
}

#[tokio::test]
async fn does_not_repair_what_is_repaired_meanwhile() {
    let feeds = Feeds::seed();
    let expected = feeds.all_items().await;
    let photo = [uploaded(DAY)];
    feeds.add_photos(&photo).await;
    let report = feeds
        .repair_with_concurrent_change(async {
            feeds.put(entry("ben", "ada", photo[0].as_ref())).await;
            feeds.put_latest(&photo, Delivery::Push).await;
        })
        .await;
    assert_eq!(report.findings, []);
    assert_eq!(feeds.all_items().await.len(), expected.len() + 1);
    assert_eq!(feeds.findings().await, [""; 0]);
}

#[tokio::test]
async fn gives_no_pull_to_a_reader_who_unfollows_meanwhile() {
    let feeds = Feeds::seed();
    feeds.put_latest(&[], Delivery::Pull).await;
    let expected = feeds.all_items().await;
    let report = feeds
        .repair_with_concurrent_change(async {
            feeds.table.delete(shared::entities::Key::friendship(&name("ada"), &name("ben"))).await;
            feeds.table.set(user("ada"), "followers", Some(number(0))).await;
            feeds.table.set(user("ben"), "following", Some(number(0))).await;
        })
        .await;
    assert_eq!(report.findings, []);
    assert_eq!(feeds.all_items().await, expected);
}

#[tokio::test]
async fn keeps_the_pull_of_a_reader_who_follows_again_meanwhile() {
    let feeds = Feeds::seed();
    feeds.put_latest(&[], Delivery::Pull).await;
    feeds.put_pull("ben").await;
    feeds.put_pull("cara").await;
    let expected = feeds.all_items().await;
    let report = feeds
        .repair_with_concurrent_change(async {
            feeds.table.put([testing::friendship("ada", "cara")]).await;
            feeds.table.set(user("ada"), "followers", Some(number(2))).await;
            feeds.table.set(user("cara"), "following", Some(number(1))).await;
        })
        .await;
    assert_eq!(report.findings, []);
    assert_eq!(feeds.all_items().await, expected);
    assert_eq!(feeds.findings().await, [""; 0]);
}

/// The Scan of the photos did not find the photo, and that of the table of feeds found what follows from it.
#[tokio::test]
async fn keeps_the_summary_of_a_hashtag_of_a_photo_that_was_published_between_the_scans() {
    let feeds = Feeds::seed();
    let photo = [uploaded(DAY)];
    let [selfie, newest] = [photo[0].clone(), ADAS_NEWEST.parse().unwrap()]
        .map(|id| HashtagEntry { hashtag: "selfie".parse().unwrap(), photo: Position { id, author: name("ada") } });
    let summary = HashtagSummary::default().with(&newest, true).with(&selfie, true);
    let listed = summary.listed.clone().unwrap();
    for item in (HashtagListing { rank: listed.rank, hashtag: selfie.hashtag.clone() }).items(&listed.month).unwrap() {
        feeds.put(item).await;
    }
    feeds.put(summary.item(&selfie.hashtag).unwrap()).await;
    feeds.put(selfie.item(false)).await;
    let of_hashtags = async || {
        let mut items = feeds.all_items().await;
        items.retain(|(pk, _), _| pk.starts_with("Hashtag"));
        items
    };
    let expected = of_hashtags().await;
    let report = feeds
        .repair_with_concurrent_change(async {
            let published = testing::photo_with("ada", photo[0].as_ref(), testing::ready(b"file"));
            feeds.table.put([testing::with(published, "caption", "#selfie")]).await;
        })
        .await;
    assert!(report.findings.iter().all(|(finding, _)| !finding.to_string().starts_with("hashtag")), "{report:?}");
    assert_eq!(of_hashtags().await, expected);
}
