use super::*;
use aws_sdk_dynamodb::types::AttributeValue::Bool;
use shared::entities::{HashtagEntry, HashtagSummary, Picture, photo_from_item};
use std::collections::BTreeSet;
use testing::{FEED, Fault, photo, photo_deletion, photo_with, with};

const ID: &str = "2024-05-30T15:42:38";

/// A fixture without hashtags, in which the photo of ada has no caption.
struct Hashtags {
    fixture: Fixture,
}

/// Returns the item of the photo of ada with a caption.
fn captioned(caption: &str) -> Item {
    with(photo("ada", ID), "caption", caption)
}

impl Hashtags {
    async fn new() -> Self {
        let fixture = Fixture::new("process-changes").await;
        let feed = fixture.unrecorded_table(FEED);
        let mut items = feed.client.scan().table_name(&feed.name).into_paginator().items().send();
        while let Some(mut item) = items.try_next().await.unwrap() {
            item.retain(|name, _| ["pk", "sk"].contains(&name.as_str()));
            if item["pk"].as_s().unwrap().starts_with("Hashtag") {
                feed.client.delete_item().table_name(&feed.name).set_key(Some(item)).send().await.unwrap();
            }
        }
        fixture.put(photo("ada", ID)).await;
        Self { fixture }
    }

    async fn deliver(&self, records: &[Record]) -> Vec<String> {
        deliver_to(Job::Hashtags, &self.fixture, records).await
    }

    /// Puts a photo in the place of another one, and delivers the record of it.
    async fn change(&self, old: Item, new: Item) {
        self.fixture.put(new.clone()).await;
        assert!(self.deliver(&[record(old, new)]).await.is_empty());
    }

    /// Returns the hashtags with an entry of the photo of ada, if their summaries and listings are those of
    /// one photo, and no other hashtag has any.
    async fn found(&self) -> BTreeSet<String> {
        let keys: BTreeSet<String> =
            self.fixture.all_items_of(FEED).await.into_keys().filter(|key| key.starts_with("Hashtag")).collect();
        let entry = |key: &String| {
            let key = key.strip_prefix("Hashtag#")?.strip_suffix(&format!("#2024-05 {ID}#ada"))?;
            Some(key.to_owned())
        };
        let found: BTreeSet<String> = keys.iter().filter_map(entry).collect();
        let mut expected: BTreeSet<String> = BTreeSet::new();
        for hashtag in &found {
            expected.insert(format!("Hashtag#{hashtag}#2024-05 {ID}#ada"));
            expected.insert(format!("HashtagSummary#{hashtag} Summary"));
            let beginnings = (1..=5).map(|chars| hashtag.chars().take(chars).collect::<String>());
            expected.extend(beginnings.map(|list| format!("Hashtags#{list} 8#{hashtag}")));
        }
        assert_eq!(keys, expected);
        found
    }

    async fn assert_found(&self, hashtags: &[&str]) {
        assert_eq!(self.found().await, hashtags.iter().map(ToString::to_string).collect());
    }
}

#[tokio::test]
async fn a_photo_is_found_by_its_hashtags_however_often_the_record_comes() {
    let hashtags = Hashtags::new().await;
    let pending = with(photo_with("ada", ID, Picture::Pending), "caption", "#Dawn #Lisboa");
    hashtags.change(pending.clone(), captioned("#Dawn #Lisboa")).await;
    let first = ["GetItem", "BatchWriteItem", "GetItem", "GetItem"];
    let operations = hashtags.fixture.operations();
    assert_eq!(operations[..4], first);
    assert_eq!(operations.len(), 15, "{operations:?}");
    hashtags.assert_found(&["dawn", "lisboa"]).await;
    hashtags.change(pending, captioned("#Dawn #Lisboa")).await;
    assert_eq!(hashtags.fixture.operations(), ["GetItem", "BatchWriteItem", "GetItem", "GetItem", "GetItem"]);
    hashtags.assert_found(&["dawn", "lisboa"]).await;
}

#[tokio::test]
async fn an_edit_writes_the_difference() {
    let hashtags = Hashtags::new().await;
    hashtags.change(photo("ada", ID), captioned("#dawn #lisboa")).await;
    let _ = hashtags.fixture.operations();
    hashtags.change(captioned("#dawn #lisboa"), captioned("#dawn #DUSK")).await;
    hashtags.assert_found(&["dawn", "dusk"]).await;
    for (old, new) in [("#dawn", "#Dawn!"), ("#dawn", "at #DAWN"), ("no", "yes")] {
        let _ = hashtags.fixture.operations();
        hashtags.change(captioned(old), captioned(new)).await;
        assert!(hashtags.fixture.operations().is_empty(), "{old} -> {new}");
    }
}

#[tokio::test]
async fn only_photos_that_everyone_may_see_are_found() {
    let removed = Picture::Removed { reason: shared::values::ReportReason::Spam, sizes: None };
    for hidden in [
        with(captioned("#dawn #dusk"), "audience", "followers"),
        with(captioned("#dawn #dusk"), "audience", "me"),
        with(photo_with("ada", ID, removed), "caption", "#dawn #dusk"),
        photo_deletion("ada", ID, 0),
    ] {
        let hashtags = Hashtags::new().await;
        hashtags.change(photo("ada", ID), captioned("#dawn #dusk")).await;
        hashtags.change(captioned("#dawn #dusk"), hidden.clone()).await;
        hashtags.assert_found(&[]).await;
        hashtags.change(hidden, captioned("#dawn")).await;
        hashtags.assert_found(&["dawn"]).await;
    }
}

/// The key is that of an earlier photo, whose record comes late.
#[tokio::test]
async fn the_entry_of_an_imported_photo_says_so() {
    let hashtags = Hashtags::new().await;
    let imported: Item = captioned("#dawn").into_iter().chain([("imported".to_owned(), Bool(true))]).collect();
    let mark = async || {
        let items = hashtags.fixture.all_items_of(FEED).await;
        items[&format!("Hashtag#dawn#2024-05 {ID}#ada")].get("imported").cloned()
    };
    hashtags.change(Item::new(), captioned("#dawn")).await;
    assert_eq!(mark().await, None);
    hashtags.change(captioned("#dawn"), photo_deletion("ada", ID, 0)).await;
    hashtags.change(Item::new(), imported.clone()).await;
    assert_eq!(mark().await, Some(json!(true)));
    let late = record(captioned("#dawn"), photo_deletion("ada", ID, 0));
    assert!(hashtags.deliver(&[late]).await.is_empty());
    assert_eq!(mark().await, Some(json!(true)));
}

/// An import has made it. DynamoDB would delete the entries, and nothing would count them back.
#[tokio::test]
async fn a_photo_whose_entries_would_have_expired_is_not_found() {
    let hashtags = Hashtags::new().await;
    hashtags.change(Item::new(), with(photo("ada", "2009-05-30T15:42:38"), "caption", "#dawn")).await;
    assert!(hashtags.fixture.operations().is_empty());
    hashtags.assert_found(&[]).await;
}

#[tokio::test]
async fn records_that_are_late_or_out_of_order_lead_to_the_photo_as_it_is() {
    let captions = ["#a1 #b1 #c1", "#b1 #d1", "#c1 #d1 #e1"].map(captioned);
    let records = [
        record(photo("ada", ID), captions[0].clone()),
        record(captions[0].clone(), captions[1].clone()),
        record(captions[1].clone(), captions[2].clone()),
    ];
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1]] {
        let hashtags = Hashtags::new().await;
        hashtags.fixture.put(captions[2].clone()).await;
        for index in order {
            assert!(hashtags.deliver(&[records[index].clone()]).await.is_empty());
        }
        hashtags.assert_found(&["c1", "d1", "e1"]).await;
        assert!(hashtags.deliver(&records).await.is_empty(), "all at once");
        hashtags.assert_found(&["c1", "d1", "e1"]).await;

        hashtags.fixture.put(photo_deletion("ada", ID, 0)).await;
        assert!(hashtags.deliver(&[record(captions[2].clone(), photo_deletion("ada", ID, 0))]).await.is_empty());
        for record in &records {
            assert!(hashtags.deliver(std::slice::from_ref(record)).await.is_empty());
        }
        hashtags.assert_found(&[]).await;
    }
}

/// An invocation stalls after it has read the photo. Meanwhile another one serves the next records.
#[tokio::test]
async fn a_write_that_is_late_is_corrected() {
    for requests in 1..4 {
        let hashtags = Hashtags::new().await;
        let (dawn, dusk) = (captioned("#dawn #noon"), captioned("#dusk #noon"));
        hashtags.fixture.put(dawn.clone()).await;
        hashtags.fixture.write_concurrently(requests, vec![dusk], vec![]);
        assert!(hashtags.deliver(&[record(photo("ada", ID), dawn)]).await.is_empty());
        hashtags.assert_found(&["dusk", "noon"]).await;
    }
}

#[tokio::test]
async fn a_record_that_is_interrupted_anywhere_is_completed_by_the_next_attempt() {
    let (dawn, dusk) = (captioned("#dawn"), captioned("#dusk"));
    let edited = record(dawn.clone(), dusk.clone());
    for position in 0..9 {
        for fault in [Fault::Error("ThrottlingException"), Fault::AnswerLost] {
            let hashtags = Hashtags::new().await;
            hashtags.change(photo("ada", ID), dawn.clone()).await;
            hashtags.fixture.put(dusk.clone()).await;
            // The SDK repeats a request that gets an error, and an answer that is lost, itself.
            let is_error = matches!(fault, Fault::Error(_));
            let faults = vec![fault; if is_error { 9 } else { 1 }];
            hashtags.fixture.inject([Fault::None].into_iter().cycle().take(position).chain(faults));
            let failed = hashtags.deliver(std::slice::from_ref(&edited)).await;
            assert_eq!(failed.is_empty(), !is_error, "{position}");
            hashtags.fixture.clear_faults();
            assert!(hashtags.deliver(std::slice::from_ref(&edited)).await.is_empty());
            hashtags.assert_found(&["dusk"]).await;
        }
    }
}

/// Returns the photos of ada that another photo with the hashtag #dawn follows in each second.
fn photos(number: usize) -> Vec<Item> {
    let id = |number: usize| format!("2024-05-30T00:{:02}:{:02}.000Z", number / 60, number % 60);
    (0..number).map(|number| with(photo("ada", &id(number)), "caption", "#dawn")).collect()
}

/// Puts photos in the places of others, and delivers the records of all.
async fn change_all(hashtags: &Hashtags, changes: impl Iterator<Item = (Item, Item)>) {
    let mut records: Vec<Record> = vec![];
    for (number, (old, new)) in changes.enumerate() {
        hashtags.fixture.put(new.clone()).await;
        records.push(Record { id: number.to_string(), ..record(old, new) });
    }
    assert!(hashtags.deliver(&records).await.is_empty());
}

async fn publish(hashtags: &Hashtags, photos: &[Item]) {
    change_all(hashtags, photos.iter().map(|photo| (Item::new(), photo.clone()))).await;
}

async fn delete(hashtags: &Hashtags, photos: &[Item]) {
    let deletion = |photo: &Item| photo_deletion("ada", photo["timestamp"].as_s().unwrap(), 0);
    change_all(hashtags, photos.iter().map(|photo| (photo.clone(), deletion(photo)))).await;
}

/// Each photo of a batch changes the same summary.
#[tokio::test]
async fn a_batch_of_photos_with_one_hashtag_is_counted() {
    let hashtags = Hashtags::new().await;
    let photos = photos(100);
    publish(&hashtags, &photos).await;
    let items = hashtags.fixture.all_items_of(FEED).await;
    let summary = &items["HashtagSummary#dawn Summary"];
    assert_eq!(summary["months"], json!(["2024-05"]));
    let sample = summary["sample"].as_array().unwrap().len() << summary["level"].as_u64().unwrap();
    assert!((50..200).contains(&sample), "{summary}");
    let listings: Vec<&String> = items.keys().filter(|key| key.starts_with("Hashtags#")).collect();
    let rank = if sample >= 100 { 6 } else { 7 };
    let expected = ["d", "da", "daw", "dawn"].map(|list| format!("Hashtags#{list} {rank}#dawn"));
    assert_eq!(listings, expected.iter().collect::<Vec<_>>());

    // The summary is as it was, so an update of it would be another write.
    let _ = hashtags.fixture.operations();
    publish(&hashtags, &photos[99..]).await;
    assert_eq!(hashtags.fixture.operations(), ["GetItem", "BatchWriteItem", "GetItem", "GetItem"]);
}

/// A sample at a high level has none or few of the photos that are left.
#[tokio::test]
async fn a_hashtag_that_loses_most_of_its_photos_is_counted_again() {
    let hashtags = Hashtags::new().await;
    let mut photos = photos(120);
    publish(&hashtags, &photos).await;
    let summary = async || hashtags.fixture.all_items_of(FEED).await.remove("HashtagSummary#dawn Summary").unwrap();
    assert!(summary().await["level"].as_u64().unwrap() > 1);
    for left in [50, 25, 5] {
        delete(&hashtags, &photos.split_off(left)).await;
        let summary = summary().await;
        let sampled = summary["sample"].as_array().unwrap().len();
        assert!((left / 2..=left * 2).contains(&(sampled << summary["level"].as_u64().unwrap())), "{left}: {summary}");
    }
    assert_eq!(summary().await["level"], 0);
    assert_eq!(summary().await["listed"]["rank"], 8);
    let _ = hashtags.fixture.operations();
    delete(&hashtags, &photos[4..5]).await;
    assert!(!hashtags.fixture.operations().contains(&"Query".to_owned()), "the sample is exact");
    delete(&hashtags, &photos).await;
    hashtags.assert_found(&[]).await;
}

/// DynamoDB deletes an expired item days later.
#[tokio::test]
async fn an_expired_entry_is_not_counted_again() {
    let hashtags = Hashtags::new().await;
    let mut photos = photos(100);
    let expired = with(photo("ada", "2019-05-30T15:42:38"), "caption", "#dawn");
    let mut summary = HashtagSummary::default();
    for item in photos.iter().chain([&expired]) {
        let entry = photo_from_item(item.clone()).unwrap().unwrap().hashtag_entries().pop_first().unwrap();
        hashtags.fixture.put_in(FEED, entry.item(false)).await;
        summary = summary.with(&entry, true);
    }
    assert_eq!(summary.months.len(), 2);
    hashtags.fixture.put_in(FEED, summary.item(&"dawn".parse().unwrap()).unwrap()).await;
    delete(&hashtags, &photos.split_off(3)).await;
    let summary = &hashtags.fixture.all_items_of(FEED).await["HashtagSummary#dawn Summary"];
    assert_eq!(summary["months"], json!(["2024-05"]));
    assert_eq!(summary["sample"].as_array().unwrap().len(), 3);
}

/// The sample of many photos need not have one of each month.
#[tokio::test]
async fn a_month_that_has_lost_its_photos_goes() {
    let hashtags = Hashtags::new().await;
    publish(&hashtags, &photos(100)).await;
    let months = async || hashtags.fixture.all_items_of(FEED).await["HashtagSummary#dawn Summary"]["months"].clone();
    for (month, both) in [("2024-04", ["2024-04", "2024-05"]), ("2024-10", ["2024-05", "2024-10"])] {
        let other = |second: usize| with(photo("ada", &format!("{month}-01T00:00:{second:02}")), "caption", "#dawn");
        publish(&hashtags, &[other(1), other(2)]).await;
        delete(&hashtags, &[other(1)]).await;
        assert_eq!(months().await, json!(both));
        for requests in 4..7 {
            // Another invocation finds nothing to change in the summary as it was.
            let unnoticed = other(10 + requests);
            let entry = photo_from_item(unnoticed.clone()).unwrap().unwrap().hashtag_entries().pop_first().unwrap();
            hashtags.fixture.put_concurrently(requests, FEED, entry.item(false));
            delete(&hashtags, &[other(2)]).await;
            assert_eq!(months().await, json!(both), "{requests}");
            delete(&hashtags, &[unnoticed]).await;
            assert_eq!(months().await, json!(["2024-05"]));
            publish(&hashtags, &[other(2)]).await;
        }
        delete(&hashtags, &[other(2)]).await;
    }
}

/// The entry is of another invocation, for which the summary as it was is right with the photo and without it.
#[tokio::test]
async fn an_entry_that_comes_while_a_hashtag_is_counted_again_is_counted() {
    let photos = photos(100);
    let read = photos.iter().map(|photo| photo_from_item(photo.clone()).unwrap().unwrap());
    let entries: Vec<HashtagEntry> = read.flat_map(|photo| photo.hashtag_entries()).collect();
    let all = entries.iter().fold(HashtagSummary::default(), |summary, entry| summary.with(entry, true));
    let is_unnoticed = |number: &usize| all.with(&entries[*number], false) == all;
    let unnoticed: Vec<usize> = (0..100).filter(is_unnoticed).take(6).collect();
    let others = (0..100).filter(|number| !unnoticed[..5].contains(number));
    let summary = others.fold(all.clone(), |summary, number| summary.with(&entries[number], false));
    for requests in 4..7 {
        let hashtags = Hashtags::new().await;
        hashtags.fixture.put_in(FEED, summary.item(&"dawn".parse().unwrap()).unwrap()).await;
        for number in &unnoticed[..5] {
            hashtags.fixture.put_in(FEED, entries[*number].item(false)).await;
        }
        hashtags.fixture.put_concurrently(requests, FEED, entries[unnoticed[5]].item(false));
        delete(&hashtags, &photos[unnoticed[0]..=unnoticed[0]]).await;
        let summary = &hashtags.fixture.all_items_of(FEED).await["HashtagSummary#dawn Summary"];
        assert_eq!(summary["level"], 0);
        assert_eq!(summary["sample"].as_array().unwrap().len(), 5, "{requests}");
    }
}

/// The tenth photo makes another power of ten. Its record stops between the listings and the summary.
#[tokio::test]
async fn a_record_that_stops_after_the_listings_comes_again_and_finishes() {
    let hashtags = Hashtags::new().await;
    let photos = photos(10);
    for photo in &photos[..9] {
        hashtags.change(Item::new(), photo.clone()).await;
    }
    let state = async || {
        let items = hashtags.fixture.all_items_of(FEED).await;
        let listed = items["HashtagSummary#dawn Summary"]["listed"]["rank"].clone();
        let ranks: Vec<String> = items.into_keys().filter(|key| key.starts_with("Hashtags#daw ")).collect();
        (ranks, listed)
    };
    assert_eq!(state().await, (vec!["Hashtags#daw 8#dawn".to_owned()], json!(8)));
    hashtags.fixture.put(photos[9].clone()).await;
    let faults = [Fault::None; 4].into_iter().chain([Fault::Error("ThrottlingException"); 9]);
    hashtags.fixture.inject(faults);
    assert_eq!(hashtags.deliver(&[insert(&photos[9])]).await, ["1"]);
    assert_eq!(state().await, (vec!["Hashtags#daw 7#dawn".to_owned()], json!(8)));
    assert!(hashtags.deliver(&[insert(&photos[9])]).await.is_empty());
    assert_eq!(state().await, (vec!["Hashtags#daw 7#dawn".to_owned()], json!(7)));
}
