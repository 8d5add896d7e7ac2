use super::*;
use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use serde_json::json;
use shared::entities::ClipPosition;
use shared::values::{DataType, EpochMillis};
use testing::{Collection, Fault, Fixture, record};

fn favorite(title: &str) -> Item {
    let favorite = Favorite {
        data_id: "barn".parse().unwrap(),
        data_type: DataType::Image,
        title: title.to_owned(),
        creator_id: None,
        thumbnail_url: None,
        content_url: None,
        clip_time: EpochMillis::from(1_735_732_812_000),
        tag_count: Some(0),
        tag_ids: [].into(),
    };
    favorite.item(&"cara".parse().unwrap())
}

async fn index(fixture: &Fixture, old_image: Item, new_image: Item) {
    fixture.handler(IndexFavorite::start).handle(record(old_image, new_image)).await.expect("the record succeeds");
}

/// Returns the terms under which cara's favorite `barn` is found.
async fn terms_of_barn(fixture: &Fixture) -> Vec<String> {
    let everything = fixture.all_items().await;
    let terms = everything.keys().filter_map(|key| key.strip_prefix("FavoriteDataTerm#cara#"));
    terms.map(|term| term.replace(" 1735732812000#barn", "")).collect()
}

#[tokio::test]
async fn a_repeated_batch_changes_nothing() {
    let fixture = Fixture::new("index-favorite").await;
    let before = fixture.all_items().await;
    let mut after = vec![];
    for _ in 0..2 {
        let failures = fixture.deliver(IndexFavorite::start, fixture.sample_event()).await;
        assert_eq!(failures, Vec::<String>::new());
        after.push(fixture.all_items().await);
    }
    // The terms are t, ti, til, tile, o, of, l, li, lis and lisb.
    assert_eq!(after[0].len(), before.len() + 10);
    assert_eq!(after[0], after[1]);
    assert_eq!(
        after[0]["FavoriteDataTerm#ada#lisb 1735732812000#tiles"],
        json!({
            "pk": "FavoriteDataTerm#ada#lisb", "sk": "1735732812000#tiles", "dataId": "tiles", "dataType": "LINK",
            "title": "Tiles of Lisbon", "clipTime": "1735732812000",
        })
    );
}

#[tokio::test]
async fn writes_terms_with_a_favorite_and_deletes_them_with_it() {
    let fixture = Fixture::new("index-favorite").await;
    let before = fixture.all_items().await;
    index(&fixture, Item::new(), favorite("An owl")).await;
    assert_eq!(terms_of_barn(&fixture).await, ["a", "an", "o", "ow", "owl"]);
    assert_eq!(fixture.operations(), ["BatchWriteItem"]);
    index(&fixture, favorite("An owl"), Item::new()).await;
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn replaces_the_terms_when_the_title_changes() {
    let fixture = Fixture::new("index-favorite").await;
    index(&fixture, Item::new(), favorite("An owl")).await;
    index(&fixture, favorite("An owl"), favorite("An ox")).await;
    assert_eq!(terms_of_barn(&fixture).await, ["a", "an", "o", "ox"]);
    let everything = fixture.all_items().await;
    assert_eq!(everything["FavoriteDataTerm#cara#an 1735732812000#barn"]["title"], "An ox");
}

#[tokio::test]
async fn rewrites_the_terms_when_the_type_or_clip_time_changes() {
    let fixture = Fixture::new("index-favorite").await;
    index(&fixture, Item::new(), favorite("Owl")).await;
    let mut later = favorite("Owl");
    later.insert("clipTime".into(), S("1735732812001".into()));
    later.insert("dataType".into(), S("VIDEO".into()));
    index(&fixture, favorite("Owl"), later).await;
    let everything = fixture.all_items().await;
    let clipped = ClipPosition { clip_time: 1_735_732_812_001.into(), data_id: "barn".parse().unwrap() };
    assert_eq!(everything[&format!("FavoriteDataTerm#cara#owl {clipped}")]["dataType"], "VIDEO");
    assert!(everything.keys().all(|key| !key.contains("1735732812000#barn")), "{:?}", everything.keys());
}

#[tokio::test]
async fn a_change_of_tags_changes_no_terms() {
    let fixture = Fixture::new("index-favorite").await;
    let mut tagged = favorite("An owl");
    tagged.insert("tagCount".into(), N("1".into()));
    index(&fixture, favorite("An owl"), tagged).await;
    assert!(fixture.operations().is_empty());
}

#[tokio::test]
async fn writes_terms_in_batches_and_repeats_unprocessed_ones() {
    let fixture = Fixture::new("index-favorite").await;
    fixture.inject([Fault::Unprocessed]);
    index(&fixture, Item::new(), favorite("Ten words of a long title about birds beside rivers")).await;
    assert_eq!(terms_of_barn(&fixture).await.len(), 31);
    assert_eq!(fixture.operations(), ["BatchWriteItem"; 3]);
}

/// One title costs at most 60 write units, whatever its characters are, so that it does not delay
/// the records behind it. An item of more than 1 KB takes two units.
#[tokio::test]
async fn one_title_costs_at_most_60_write_units() {
    let fixture = Fixture::new("index-favorite").await;
    let words: String = ('a'..='z').flat_map(|a| ('a'..='c').map(move |b| format!("{a}{b} "))).collect();
    for title in [('一'..).take(200).collect(), ('\u{20000}'..).take(200).collect(), words] {
        let mut item = favorite(&title);
        item.insert(FAVORITE_SK.into(), S("x".repeat(128)));
        for (old, new) in [(Item::new(), item.clone()), (item, Item::new())] {
            drop(fixture.operations());
            index(&fixture, old, new).await;
            let operations = fixture.operations();
            assert!((2..=3).contains(&operations.len()), "{operations:?}");
        }
        let items = term_items(&"a".repeat(32).parse().unwrap(), &entity::from_item(favorite(&title)).unwrap());
        let units: usize = items.iter().map(|item| shared::document::size(item).div_ceil(1024)).sum();
        assert!((30..=60).contains(&units), "{title}: {units}");
    }
}

#[tokio::test]
async fn later_records_correct_a_record_that_arrives_late() {
    let fixture = Fixture::new("index-favorite").await;
    let before = fixture.all_items().await;
    let records = [(Item::new(), favorite("Owl")), (favorite("Owl"), Item::new())];
    // Lambda repeats a batch from the record that failed, after the later records have already been
    // processed once.
    for (old, new) in [records[1].clone(), records[0].clone(), records[1].clone()] {
        index(&fixture, old, new).await;
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn ignores_records_of_other_entities() {
    let fixture = Fixture::new("index-favorite").await;
    let mut ada = Collection::new("ada");
    ada.tag("t", "Owls", 0, 0);
    ada.unclip("x", DataType::Note, "Owls", 0, &["t"]);
    let mut tagged = Collection::new("ada");
    tagged.clip("y", DataType::Note, "Owls", 0, &["t"]);
    let is_entry = |item: &Item| item[FAVORITE_PK] == S("FavoriteDataTag#ada#y".into());
    let entry = tagged.into_items().into_iter().find(is_entry).unwrap();
    for item in ada.into_items().into_iter().chain([entry]) {
        index(&fixture, Item::new(), item).await;
    }
    assert!(fixture.operations().is_empty());
}
