use super::*;
use aws_sdk_dynamodb::types::AttributeValue::{Bool, M, N};
use shared::entities::{MIN_POPULAR_LEVEL, Picture};
use shared::values::{PhotoId, Timestamp};
use testing::{FEED, Fault, photo, photo_deletion, photo_with, with};

/// The reactions of the least popular photo.
const LEAST: u64 = 1 << MIN_POPULAR_LEVEL;

/// A fixture with a photo of ada that was uploaded now.
struct Rankings {
    fixture: Fixture,
    id: String,
}

impl Rankings {
    async fn new() -> Self {
        let fixture = Fixture::new("process-changes").await;
        Self { fixture, id: PhotoId::from(Timestamp::now()).to_string() }
    }

    /// Returns an item with this number of hearts.
    fn hearts(mut item: Item, hearts: u64) -> Item {
        item.insert("reactions".to_owned(), M([("heart".to_owned(), N(hearts.to_string()))].into()));
        item
    }

    /// Returns the item of the photo with this number of hearts.
    fn liked(&self, hearts: u64) -> Item {
        Self::hearts(photo("ada", &self.id), hearts)
    }

    fn deletion(&self) -> Item {
        photo_deletion("ada", &self.id, 0)
    }

    async fn deliver(&self, records: &[Record]) -> Vec<String> {
        deliver_to(Job::Rankings, &self.fixture, records).await
    }

    /// Puts a photo in the place of another one, and delivers the record of it.
    async fn change(&self, old: Item, new: Item) {
        self.fixture.put(new.clone()).await;
        assert!(self.deliver(&[record(old, new)]).await.is_empty());
    }

    /// Returns the levels of the popular photos.
    async fn levels(&self) -> Vec<u32> {
        let keys = self.fixture.all_items_of(FEED).await.into_keys();
        let levels = keys.filter_map(|key| {
            let sk = key.strip_prefix(&format!("Popular#{} ", &self.id[..10]))?.to_owned();
            Some(sk.strip_suffix(&format!("#{}#ada", self.id))?.parse().unwrap())
        });
        levels.collect()
    }
}

#[tokio::test]
async fn a_photo_has_one_popular_photo_of_its_level_however_often_the_record_comes() {
    let rankings = Rankings::new().await;
    let (few, many) = (rankings.liked(LEAST), rankings.liked(4 * LEAST));
    rankings.change(rankings.liked(LEAST - 1), few.clone()).await;
    assert_eq!(rankings.fixture.operations(), ["GetItem", "BatchWriteItem", "GetItem"]);
    assert_eq!(rankings.levels().await, [MIN_POPULAR_LEVEL]);
    for _ in 0..2 {
        rankings.change(few.clone(), many.clone()).await;
        assert_eq!(rankings.levels().await, [MIN_POPULAR_LEVEL + 2]);
    }
    rankings.change(many, rankings.liked(LEAST - 1)).await;
    assert_eq!(rankings.levels().await, [0; 0]);
}

#[tokio::test]
async fn a_change_within_a_level_or_of_an_old_photo_costs_no_request() {
    let rankings = Rankings::new().await;
    let old = |hearts| Rankings::hearts(photo("ada", "2024-05-30T15:42:38"), hearts);
    for (before, after) in [
        (rankings.liked(LEAST - 1), rankings.liked(0)),
        (rankings.liked(4 * LEAST), rankings.liked(8 * LEAST - 1)),
        (rankings.liked(LEAST), with(rankings.liked(LEAST), "caption", "Dawn")),
        (old(0), old(64)),
        (old(64), photo_deletion("ada", "2024-05-30T15:42:38", 64)),
    ] {
        rankings.change(before, after).await;
        assert!(rankings.fixture.operations().is_empty());
    }
}

#[tokio::test]
async fn only_photos_that_everyone_may_see_and_that_are_not_sensitive_are_popular() {
    let rankings = Rankings::new().await;
    let removed = Picture::Removed { reason: shared::values::ReportReason::Spam, sizes: None };
    for hidden in [
        with(rankings.liked(LEAST), "audience", "followers"),
        with(rankings.liked(LEAST), "audience", "me"),
        with(rankings.liked(LEAST), "sensitive", "nudity"),
        Rankings::hearts(photo_with("ada", &rankings.id, removed), LEAST),
        rankings.deletion(),
    ] {
        rankings.change(rankings.liked(0), rankings.liked(LEAST)).await;
        assert_eq!(rankings.levels().await, [MIN_POPULAR_LEVEL]);
        rankings.change(rankings.liked(LEAST), hidden).await;
        assert_eq!(rankings.levels().await, [0; 0]);
    }
    let imported = |hearts| {
        let mut photo = rankings.liked(hearts);
        photo.insert("imported".to_owned(), Bool(true));
        photo
    };
    rankings.change(imported(0), imported(LEAST)).await;
    assert_eq!(rankings.levels().await, [0; 0]);
}

#[tokio::test]
async fn records_that_are_late_or_out_of_order_lead_to_the_photo_as_it_is() {
    let rankings = Rankings::new().await;
    let photos = [0, LEAST, 2 * LEAST, 4 * LEAST].map(|hearts| rankings.liked(hearts));
    let records: Vec<Record> = photos.windows(2).map(|photos| record(photos[0].clone(), photos[1].clone())).collect();
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1]] {
        rankings.fixture.put(photos[3].clone()).await;
        for index in order {
            assert!(rankings.deliver(&[records[index].clone()]).await.is_empty());
        }
        assert_eq!(rankings.levels().await, [MIN_POPULAR_LEVEL + 2]);
        assert!(rankings.deliver(&records).await.is_empty(), "all at once");
        assert_eq!(rankings.levels().await, [MIN_POPULAR_LEVEL + 2]);

        rankings.change(photos[3].clone(), rankings.deletion()).await;
        assert!(rankings.deliver(&records).await.is_empty());
        assert_eq!(rankings.levels().await, [0; 0]);
    }
}

/// An invocation stalls after it has read the photo. Meanwhile another one serves the next records.
#[tokio::test]
async fn a_write_that_is_late_is_corrected() {
    for requests in 1..3 {
        for (next, expected) in [(4 * LEAST, &[MIN_POPULAR_LEVEL + 2][..]), (0, &[])] {
            let rankings = Rankings::new().await;
            let first = rankings.liked(LEAST);
            rankings.fixture.put(first.clone()).await;
            rankings.fixture.write_concurrently(requests, vec![rankings.liked(next)], vec![]);
            assert!(rankings.deliver(&[record(rankings.liked(0), first)]).await.is_empty());
            assert_eq!(rankings.levels().await, expected);
        }
    }
}

#[tokio::test]
async fn a_record_that_is_interrupted_anywhere_is_completed_by_the_next_attempt() {
    for position in 0..3 {
        for fault in [Fault::Error("ThrottlingException"), Fault::AnswerLost] {
            let rankings = Rankings::new().await;
            rankings.change(rankings.liked(0), rankings.liked(LEAST)).await;
            let crossed = record(rankings.liked(LEAST), rankings.liked(2 * LEAST));
            rankings.fixture.put(rankings.liked(2 * LEAST)).await;
            // The SDK repeats a request that gets an error, and an answer that is lost, itself.
            let is_error = matches!(fault, Fault::Error(_));
            let faults = vec![fault; if is_error { 9 } else { 1 }];
            rankings.fixture.inject([Fault::None].into_iter().cycle().take(position).chain(faults));
            let failed = rankings.deliver(std::slice::from_ref(&crossed)).await;
            assert_eq!(failed.is_empty(), !is_error, "{position}");
            rankings.fixture.clear_faults();
            assert!(rankings.deliver(&[crossed]).await.is_empty());
            assert_eq!(rankings.levels().await, [MIN_POPULAR_LEVEL + 1]);
        }
    }
}
