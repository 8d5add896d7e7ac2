use super::*;
use futures_util::FutureExt;
use serde_json::{Value, json};
use shared::dynamodb::Item;
use shared::runtime::stream::INDEX_LAG;
use shared::values::DataType;
use std::collections::BTreeMap;
use std::time::SystemTime;
use testing::{Collection, Fault, Fixture};

/// A record of a removal that the index has caught up with.
fn removed(keys: impl Into<Item>) -> Record {
    Record {
        change: Change::Remove,
        keys: keys.into(),
        new_image: Item::new(),
        old_image: Item::new(),
        sequence_number: "1".to_owned(),
        at: SystemTime::now() - 2 * INDEX_LAG,
        deadline: Instant::now() + Duration::from_mins(5),
    }
}

fn key(owner: &str, tag_id: &str) -> Key {
    Key::tag(&owner.parse().unwrap(), &tag_id.parse().unwrap())
}

async fn purge(fixture: &Fixture, record: Record) {
    purge_deleted_tag(fixture.table.clone(), record).await.expect("the record is through");
}

/// Where no favorite carries the tag any more: every entry of it is gone, and taken off the count of its favorite.
fn without(mut items: BTreeMap<String, Value>, owner: &str, tag_id: &str) -> BTreeMap<String, Value> {
    let entries: Vec<Value> = items
        .values()
        .filter(|item| item["gsiOnePk"] == format!("FavoriteDataTag#{owner}#{tag_id}"))
        .cloned()
        .collect();
    for entry in entries {
        let pk = entry["pk"].as_str().unwrap();
        items.remove(&format!("{pk} {tag_id}")).unwrap();
        let data_id = pk.strip_prefix(&format!("FavoriteDataTag#{owner}#")).unwrap();
        let favorite = items.get_mut(&format!("FavoriteData#{owner} {data_id}")).unwrap();
        favorite["tagCount"] = json!(favorite["tagCount"].as_u64().unwrap() - 1);
    }
    items
}

#[tokio::test]
async fn the_tag_is_off_every_favorite_and_the_sample_event_may_be_repeated() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    fixture.delete(key("ada", "travel")).await;
    let before = fixture.all_items().await;
    let expected = without(before.clone(), "ada", "travel");
    assert_eq!(expected.len(), before.len() - 5, "five favorites carry it");
    for asked in [&["GetItem", "Query", "TransactWriteItems"][..], &["GetItem", "Query"]] {
        let failures = fixture.deliver(purge_deleted_tag, fixture.sample_event()).await;
        assert_eq!(failures, Vec::<String>::new());
        assert_eq!(fixture.operations(), asked);
        assert_eq!(fixture.all_items().await, expected);
    }
    let viewpoint = &expected["FavoriteData#ada viewpoint"];
    assert_eq!(viewpoint["tagCount"], 1, "it has another");
}

#[tokio::test]
async fn the_same_tag_id_of_another_user_stays() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    let mut cara = Collection::of("cara");
    cara.clip("c", DataType::Image, "Lisbon", 1_717_200_000_000, &["travel", "travel2"]);
    fixture.put_all(cara.into_items());
    fixture.delete(key("ada", "travel")).await;
    let expected = without(fixture.all_items().await, "ada", "travel");
    purge(&fixture, removed(key("ada", "travel"))).await;
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn a_tag_that_is_there_again_stays_on_its_favorites() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    let before = fixture.all_items().await;
    purge(&fixture, removed(key("ada", "travel"))).await;
    assert_eq!(fixture.operations(), ["GetItem"]);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn it_may_end_anywhere_and_begin_again() {
    // Each time the process ends one request later.
    for requests in 0..10 {
        let fixture = Fixture::new("purge-deleted-tag").await;
        fixture.delete(key("ada", "travel")).await;
        let expected = without(fixture.all_items().await, "ada", "travel");
        fixture.inject(std::iter::repeat_n(Fault::None, requests).chain([Fault::ConnectionLost; 200]));
        let ended = purge_deleted_tag(fixture.table.clone(), removed(key("ada", "travel"))).await;
        fixture.clear_faults();
        purge(&fixture, removed(key("ada", "travel"))).await;
        assert_eq!(fixture.all_items().await, expected, "after {requests} requests");
        if ended.is_ok() {
            assert_eq!(requests, 3, "it asks for 3 things");
            return;
        }
    }
    panic!("it never came to its end");
}

#[tokio::test]
async fn a_lost_answer_and_a_conflict_count_once() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    fixture.delete(key("ada", "travel")).await;
    let expected = without(fixture.all_items().await, "ada", "travel");
    let conflict = Fault::TransactionCanceled(&["None", "TransactionConflict"]);
    fixture.inject([Fault::None, Fault::None, conflict, Fault::AnswerLost, Fault::AnswerLost]);
    purge(&fixture, removed(key("ada", "travel"))).await;
    assert_eq!(fixture.all_items().await, expected);
    assert_eq!(fixture.operations().len(), 6);
}

#[tokio::test]
async fn where_nobody_counted_there_is_nothing_to_take_off() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    let mut cara = Collection::of("cara");
    cara.clip("c", DataType::Image, "Lisbon", 1_717_200_000_000, &["t", "u"]);
    let mut items = cara.into_foreign_items();
    // An entry whose favorite is gone, and one whose favorite counts none.
    let mut zero = Collection::of("cara");
    zero.clip("gone", DataType::Image, "Gone", 1_717_200_000_001, &["t"]);
    zero.clip("zero", DataType::Image, "Zero", 1_717_200_000_002, &["t"]);
    items.extend(zero.into_items());
    for item in &mut items {
        if item["pk"] == S("FavoriteData#cara".into()) && item["sk"] == S("zero".into()) {
            item.insert("tagCount".into(), N("0".into()));
        }
    }
    items.retain(|item| item["pk"] != S("FavoriteData#cara".into()) || item["sk"] != S("gone".into()));
    fixture.put_all(items);
    let mut expected = fixture.all_items().await;
    for favorite in ["c", "gone", "zero"] {
        expected.remove(&format!("FavoriteDataTag#cara#{favorite} t")).unwrap();
    }
    purge(&fixture, removed(key("cara", "t"))).await;
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn what_others_untag_or_take_out_meanwhile_is_counted_by_them() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    fixture.delete(key("ada", "travel")).await;
    let before = fixture.all_items().await;
    let mut expected = without(before.clone(), "ada", "travel");
    let viewpoint = "FavoriteData#ada viewpoint";
    expected.insert(viewpoint.to_owned(), before[viewpoint].clone());
    let (ada, travel) = ("ada".parse().unwrap(), "travel".parse().unwrap());
    let entry = Key::favorite_tag(&ada, &"viewpoint".parse().unwrap(), &travel);
    fixture.write_concurrently(2, vec![], vec![entry.into()]);
    purge(&fixture, removed(key("ada", "travel"))).await;
    assert_eq!(fixture.all_items().await, expected);
    assert_eq!(fixture.operations().len(), 4);
}

#[tokio::test]
async fn other_records_are_none_of_its_business() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    fixture.delete(key("ada", "travel")).await;
    let (ada, sunset) = ("ada".parse().unwrap(), "sunset".parse().unwrap());
    let travel = "travel".parse().unwrap();
    for keys in [
        Key::tag_name(&ada, &"Travel".parse().unwrap()),
        Key::tag_count(&ada),
        Key::favorite(&ada, &sunset),
        Key::history(&ada, &sunset),
        Key::favorite_tag(&ada, &sunset, &travel),
    ] {
        purge(&fixture, removed(keys)).await;
    }
    for change in [Change::Insert, Change::Modify] {
        purge(&fixture, Record { change, ..removed(key("ada", "travel")) }).await;
    }
    let no_id = Item::from([("pk".into(), S("Tag#ada".into())), ("sk".into(), S("a b".into()))]);
    purge(&fixture, removed(no_id)).await;
    assert!(fixture.operations().is_empty());
}

#[tokio::test]
async fn it_asks_nothing_until_the_index_has_caught_up() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    let record = Record { at: SystemTime::now(), ..removed(key("ada", "travel")) };
    assert!(purge_deleted_tag(fixture.table.clone(), record).now_or_never().is_none(), "it waits");
    assert!(fixture.operations().is_empty(), "for nothing that DynamoDB was asked");
    assert!(removed(key("ada", "travel")).indexes_have_followed().now_or_never().is_some(), "this one needn't");
}

#[tokio::test]
async fn without_time_for_a_page_the_record_comes_again() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    fixture.delete(key("ada", "travel")).await;
    let before = fixture.all_items().await;
    let late = Record { deadline: Instant::now() + PAGE_TIME, ..removed(key("ada", "travel")) };
    let outcome = purge_deleted_tag(fixture.table.clone(), late).await;
    assert!(matches!(outcome, Err(Error::Busy(_))), "{outcome:?}");
    assert_eq!(fixture.operations(), ["GetItem"]);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_thousand_favorites_take_forty_two_requests() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    let mut cara = Collection::of("cara");
    for number in 0..1000 {
        cara.clip(&format!("f{number}"), DataType::Link, "", 1_717_200_000_000 + number / 2, &["t", "u"]);
    }
    fixture.put_all(cara.into_items());
    let expected = without(fixture.all_items().await, "cara", "t");
    purge(&fixture, removed(key("cara", "t"))).await;
    let asked = fixture.operations();
    let of = |operation: &str| asked.iter().filter(|asked| *asked == operation).count();
    assert_eq!((of("GetItem"), of("Query"), of("TransactWriteItems"), asked.len()), (1, 21, 20, 42));
    assert_eq!(fixture.all_items().await, expected);
}
