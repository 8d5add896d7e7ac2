use super::*;
use aws_sdk_dynamodb::types::AttributeValue::N;
use futures_util::FutureExt;
use serde_json::{Value, json};
use shared::dynamodb::Item;
use shared::runtime::stream::INDEX_LAG;
use shared::values::DataType;
use std::collections::BTreeMap;
use std::time::SystemTime;
use testing::{Collection, Fault, Fixture};

/// A record of a deletion that is older than [`INDEX_LAG`].
fn deletion(keys: impl Into<Item>) -> Record {
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
    purge_deleted_tag(fixture.table.clone(), record).await.expect("the record succeeds");
}

/// Removes every entry of the tag from `items`, and takes it off the count of its favorite.
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
async fn takes_the_tag_off_every_favorite_and_accepts_the_sample_event_twice() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    fixture.delete(key("ada", "travel")).await;
    let before = fixture.all_items().await;
    let expected = without(before.clone(), "ada", "travel");
    assert_eq!(expected.len(), before.len() - 5, "five favorites carry it");
    for operations in [&["GetItem", "Query", "TransactWriteItems"][..], &["GetItem", "Query"]] {
        let failures = fixture.deliver(purge_deleted_tag, fixture.sample_event()).await;
        assert_eq!(failures, Vec::<String>::new());
        assert_eq!(fixture.operations(), operations);
        assert_eq!(fixture.all_items().await, expected);
    }
    let viewpoint = &expected["FavoriteData#ada viewpoint"];
    assert_eq!(viewpoint["tagCount"], 1, "another tag remains");
}

#[tokio::test]
async fn keeps_the_same_tag_id_of_another_user() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    let mut cara = Collection::of("cara");
    cara.clip("c", DataType::Image, "Lisbon", 1_717_200_000_000, &["travel", "travel2"]);
    fixture.put_all(cara.into_items());
    fixture.delete(key("ada", "travel")).await;
    let expected = without(fixture.all_items().await, "ada", "travel");
    purge(&fixture, deletion(key("ada", "travel"))).await;
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn keeps_the_entries_of_a_tag_that_exists_again() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    let before = fixture.all_items().await;
    purge(&fixture, deletion(key("ada", "travel"))).await;
    assert_eq!(fixture.operations(), ["GetItem"]);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_retry_completes_an_attempt_that_ended_anywhere() {
    // Each iteration lets one more request through before the process ends.
    for requests in 0..10 {
        let fixture = Fixture::new("purge-deleted-tag").await;
        fixture.delete(key("ada", "travel")).await;
        let expected = without(fixture.all_items().await, "ada", "travel");
        fixture.inject(std::iter::repeat_n(Fault::None, requests).chain([Fault::ConnectionLost; 200]));
        let outcome = purge_deleted_tag(fixture.table.clone(), deletion(key("ada", "travel"))).await;
        fixture.clear_faults();
        purge(&fixture, deletion(key("ada", "travel"))).await;
        assert_eq!(fixture.all_items().await, expected, "after {requests} requests");
        if outcome.is_ok() {
            assert_eq!(requests, 3, "the complete attempt sends 3 requests");
            return;
        }
    }
    panic!("no attempt succeeded");
}

#[tokio::test]
async fn counts_once_after_a_conflict_and_lost_answers() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    fixture.delete(key("ada", "travel")).await;
    let expected = without(fixture.all_items().await, "ada", "travel");
    let conflict = Fault::TransactionCanceled(&["None", "TransactionConflict"]);
    fixture.inject([Fault::None, Fault::None, conflict, Fault::AnswerLost, Fault::AnswerLost]);
    purge(&fixture, deletion(key("ada", "travel"))).await;
    assert_eq!(fixture.all_items().await, expected);
    assert_eq!(fixture.operations().len(), 6);
}

#[tokio::test]
async fn deletes_entries_that_are_not_counted_and_keeps_the_counts() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    let mut cara = Collection::of("cara");
    cara.clip("c", DataType::Image, "Lisbon", 1_717_200_000_000, &["t", "u"]);
    let mut items = cara.into_foreign_items();
    // One entry has no favorite any longer, and the favorite of another counts 0 tags.
    let mut zero = Collection::of("cara");
    zero.clip("deleted", DataType::Image, "Deleted", 1_717_200_000_001, &["t"]);
    zero.clip("zero", DataType::Image, "Zero", 1_717_200_000_002, &["t"]);
    items.extend(zero.into_items());
    for item in &mut items {
        if item["pk"] == S("FavoriteData#cara".into()) && item["sk"] == S("zero".into()) {
            item.insert("tagCount".into(), N("0".into()));
        }
    }
    items.retain(|item| item["pk"] != S("FavoriteData#cara".into()) || item["sk"] != S("deleted".into()));
    fixture.put_all(items);
    let mut expected = fixture.all_items().await;
    for favorite in ["c", "deleted", "zero"] {
        expected.remove(&format!("FavoriteDataTag#cara#{favorite} t")).unwrap();
    }
    purge(&fixture, deletion(key("cara", "t"))).await;
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn does_not_count_an_entry_that_is_deleted_concurrently() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    fixture.delete(key("ada", "travel")).await;
    let before = fixture.all_items().await;
    let mut expected = without(before.clone(), "ada", "travel");
    let viewpoint = "FavoriteData#ada viewpoint";
    expected.insert(viewpoint.to_owned(), before[viewpoint].clone());
    let (ada, travel) = ("ada".parse().unwrap(), "travel".parse().unwrap());
    let entry = Key::favorite_tag(&ada, &"viewpoint".parse().unwrap(), &travel);
    fixture.write_concurrently(2, vec![], vec![entry.into()]);
    purge(&fixture, deletion(key("ada", "travel"))).await;
    assert_eq!(fixture.all_items().await, expected);
    assert_eq!(fixture.operations().len(), 4);
}

#[tokio::test]
async fn ignores_other_records() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    fixture.delete(key("ada", "travel")).await;
    let (ada, sunset) = ("ada".parse().unwrap(), "sunset".parse().unwrap());
    let travel = "travel".parse().unwrap();
    for keys in [
        Key::tag_name_reservation(&ada, &"Travel".parse().unwrap()),
        Key::tag_count(&ada),
        Key::favorite(&ada, &sunset),
        Key::history(&ada, &sunset),
        Key::favorite_tag(&ada, &sunset, &travel),
    ] {
        purge(&fixture, deletion(keys)).await;
    }
    for change in [Change::Insert, Change::Modify] {
        purge(&fixture, Record { change, ..deletion(key("ada", "travel")) }).await;
    }
    let invalid_id = Item::from([("pk".into(), S("Tag#ada".into())), ("sk".into(), S("a b".into()))]);
    purge(&fixture, deletion(invalid_id)).await;
    assert!(fixture.operations().is_empty());
}

#[tokio::test]
async fn waits_for_the_index_before_the_first_request() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    let record = Record { at: SystemTime::now(), ..deletion(key("ada", "travel")) };
    assert!(purge_deleted_tag(fixture.table.clone(), record).now_or_never().is_none(), "the index may lack entries");
    assert!(fixture.operations().is_empty(), "no request is sent");
    assert!(
        deletion(key("ada", "travel")).wait_for_indexes().now_or_never().is_some(),
        "an older record does not wait"
    );
}

#[tokio::test]
async fn fails_the_record_without_time_for_a_page() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    fixture.delete(key("ada", "travel")).await;
    let before = fixture.all_items().await;
    let late = Record { deadline: Instant::now() + TIME_FOR_PAGE, ..deletion(key("ada", "travel")) };
    let outcome = purge_deleted_tag(fixture.table.clone(), late).await;
    assert!(matches!(outcome, Err(Error::Busy(_))), "{outcome:?}");
    assert_eq!(fixture.operations(), ["GetItem"]);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn takes_42_requests_for_1000_favorites() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    let mut cara = Collection::of("cara");
    for number in 0..1000 {
        cara.clip(&format!("f{number}"), DataType::Link, "", 1_717_200_000_000 + number / 2, &["t", "u"]);
    }
    fixture.put_all(cara.into_items());
    let expected = without(fixture.all_items().await, "cara", "t");
    purge(&fixture, deletion(key("cara", "t"))).await;
    let operations = fixture.operations();
    let count_of = |name: &str| operations.iter().filter(|operation| *operation == name).count();
    assert_eq!(
        (count_of("GetItem"), count_of("Query"), count_of("TransactWriteItems"), operations.len()),
        (1, 21, 20, 42)
    );
    assert_eq!(fixture.all_items().await, expected);
}
