use super::*;
use aws_sdk_dynamodb::types::AttributeValue::N;
use serde_json::{Value, json};
use shared::dynamodb::Item;
use shared::values::DataType;
use std::collections::BTreeMap;
use testing::{Collection, Fault, Fixture, record};

/// Returns the record of the deletion of an item with this key.
fn deletion(key: impl Into<Item>) -> Record {
    record(key.into(), Item::new())
}

fn key(owner: &str, tag_id: &str) -> Key {
    Key::tag(&owner.parse().unwrap(), &tag_id.parse().unwrap())
}

async fn purge(fixture: &Fixture, record: Record) {
    fixture.handler(PurgeDeletedTag::start).handle(record).await.expect("the record succeeds");
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
        let others: Vec<Value> = favorite["tagIds"].as_array().unwrap().clone();
        let others: Vec<Value> = others.into_iter().filter(|other| *other != tag_id).collect();
        if others.is_empty() {
            favorite.as_object_mut().unwrap().remove("tagIds");
        } else {
            favorite["tagIds"] = json!(others);
        }
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
    let operations = ["GetItem", "Query", "BatchGetItem", "TransactWriteItems"];
    for operations in [&operations[..], &operations[..2]] {
        let failures = fixture.deliver(PurgeDeletedTag::start, fixture.sample_event()).await;
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
    let mut cara = Collection::new("cara");
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

/// An import puts a tag back under its id, and then its favorites.
#[tokio::test]
async fn keeps_the_entries_of_a_tag_that_is_put_back_meanwhile() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    let tag: Item = key("ada", "travel").into();
    fixture.delete(key("ada", "travel")).await;
    let mut expected = fixture.all_items().await;
    // The tag comes back after the GetItem, the Query and the BatchGetItem.
    fixture.write_concurrently(3, vec![tag.clone()], vec![]);
    let deletion = || deletion(key("ada", "travel"));
    let outcome = fixture.handler(PurgeDeletedTag::start).handle(deletion()).await;
    assert!(matches!(outcome, Err(Error::Busy(_))), "{outcome:?}");
    purge(&fixture, deletion()).await;
    expected.insert("Tag#ada travel".to_owned(), json!({"pk": "Tag#ada", "sk": "travel"}));
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn a_retry_completes_an_attempt_that_ended_anywhere() {
    // Each iteration lets one more request through before the process ends.
    for requests in 0..10 {
        let fixture = Fixture::new("purge-deleted-tag").await;
        fixture.delete(key("ada", "travel")).await;
        let expected = without(fixture.all_items().await, "ada", "travel");
        fixture.inject(std::iter::repeat_n(Fault::None, requests).chain([Fault::ConnectionLost; 200]));
        let outcome = fixture.handler(PurgeDeletedTag::start).handle(deletion(key("ada", "travel"))).await;
        fixture.clear_faults();
        purge(&fixture, deletion(key("ada", "travel"))).await;
        assert_eq!(fixture.all_items().await, expected, "after {requests} requests");
        if outcome.is_ok() {
            assert_eq!(requests, 4, "the complete attempt sends 4 requests");
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
    let conflict = Fault::TransactionCanceled("TransactionConflict");
    fixture.inject([&[Fault::None; 3][..], &[conflict, Fault::AnswerLost, Fault::AnswerLost]].concat());
    purge(&fixture, deletion(key("ada", "travel"))).await;
    assert_eq!(fixture.all_items().await, expected);
    assert_eq!(fixture.operations().len(), 7);
}

#[tokio::test]
async fn deletes_the_entries_of_a_favorite_without_a_count() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    let mut cara = Collection::new("cara");
    cara.clip("c", DataType::Image, "Lisbon", 1_717_200_000_000, &["t", "u"]);
    cara.clip("d", DataType::Image, "Lisbon", 1_717_200_000_000, &["u"]);
    fixture.put_all(cara.into_foreign_items());
    let mut expected = fixture.all_items().await;
    expected.remove("FavoriteDataTag#cara#c t").unwrap();
    purge(&fixture, deletion(key("cara", "t"))).await;
    assert_eq!(fixture.all_items().await, expected);
    let operations = ["GetItem", "Query", "BatchGetItem", "TransactWriteItems", "TransactWriteItems"];
    assert_eq!(fixture.operations(), operations, "the second transaction checks that there is no count");
}

#[tokio::test]
async fn leaves_entries_to_the_audit_whose_favorite_is_gone_or_counts_no_tags() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    // Only another program can leave such entries.
    let mut cara = Collection::new("cara");
    cara.clip("deleted", DataType::Image, "Deleted", 1_717_200_000_001, &["t"]);
    cara.clip("zero", DataType::Image, "Zero", 1_717_200_000_002, &["t"]);
    let mut items = cara.into_items();
    for item in &mut items {
        if item["pk"] == S("FavoriteData#cara".into()) && item["sk"] == S("zero".into()) {
            item.insert("tagCount".into(), N("0".into()));
            item.remove("tagIds");
        }
    }
    items.retain(|item| item["pk"] != S("FavoriteData#cara".into()) || item["sk"] != S("deleted".into()));
    fixture.put_all(items);
    let before = fixture.all_items().await;
    purge(&fixture, deletion(key("cara", "t"))).await;
    assert_eq!(fixture.all_items().await, before);
    assert_eq!(fixture.operations(), ["GetItem", "Query"]);
}

#[tokio::test]
async fn finds_an_entry_that_the_index_does_not_show_yet() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    let mut cara = Collection::new("cara");
    cara.clip("c", DataType::Image, "Lisbon", 1_717_200_000_000, &["t", "u"]);
    let mut items = cara.into_items();
    for item in &mut items {
        item.remove("gsiOnePk");
        item.remove("gsiTwoPk");
    }
    fixture.put_all(items);
    purge(&fixture, deletion(key("cara", "t"))).await;
    let items = fixture.all_items().await;
    assert!(!items.contains_key("FavoriteDataTag#cara#c t"));
    assert_eq!(items["FavoriteData#cara c"]["tagCount"], 1);
}

#[tokio::test]
async fn decrements_a_count_that_is_initialised_concurrently() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    let mut cara = Collection::new("cara");
    cara.clip("c", DataType::Image, "Lisbon", 1_717_200_000_000, &["t", "u"]);
    fixture.put_all(cara.into_foreign_items());
    let update = json!({
        "Key": {"pk": {"S": "FavoriteData#cara"}, "sk": {"S": "c"}},
        "UpdateExpression": "SET tagCount = :two", "ExpressionAttributeValues": {":two": {"N": "2"}},
    });
    // The first transaction finds no count, and the second one checks that there is still none.
    fixture.update_concurrently(4, update);
    purge(&fixture, deletion(key("cara", "t"))).await;
    assert_eq!(fixture.item(Key::favorite(&"cara".parse().unwrap(), &"c".parse().unwrap())).await["tagCount"], 1);
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
    fixture.write_concurrently(3, vec![], vec![entry.into()]);
    purge(&fixture, deletion(key("ada", "travel"))).await;
    assert_eq!(fixture.all_items().await, expected);
    assert_eq!(fixture.operations().len(), 5);
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
    let travel: Item = key("ada", "travel").into();
    purge(&fixture, record(Item::new(), travel.clone())).await;
    purge(&fixture, record(travel.clone(), travel)).await;
    let invalid_id = Item::from([("pk".into(), S("Tag#ada".into())), ("sk".into(), S("a b".into()))]);
    purge(&fixture, deletion(invalid_id)).await;
    assert!(fixture.operations().is_empty());
}

#[tokio::test]
async fn fails_the_record_without_time_for_a_batch() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    fixture.delete(key("ada", "travel")).await;
    let before = fixture.all_items().await;
    let late = Record { deadline: Instant::now() + TIME_FOR_BATCH, ..deletion(key("ada", "travel")) };
    let outcome = fixture.handler(PurgeDeletedTag::start).handle(late).await;
    assert!(matches!(outcome, Err(Error::Busy(_))), "{outcome:?}");
    assert_eq!(fixture.operations(), ["GetItem", "Query"]);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn takes_34_requests_for_1000_favorites() {
    let fixture = Fixture::new("purge-deleted-tag").await;
    let mut cara = Collection::new("cara");
    for number in 0..1000 {
        cara.clip(&format!("f{number}"), DataType::Link, "", 1_717_200_000_000 + number / 2, &["t", "u"]);
    }
    // These have no tags, and nothing is asked about them.
    for number in 0..1000 {
        cara.clip(&format!("g{number}"), DataType::Link, "", 1_717_200_000_000 + number, &[]);
    }
    fixture.put_all(cara.into_items());
    let expected = without(fixture.all_items().await, "cara", "t");
    purge(&fixture, deletion(key("cara", "t"))).await;
    let operations = fixture.operations();
    let count_of = |name: &str| operations.iter().filter(|operation| *operation == name).count();
    assert_eq!(
        ["GetItem", "Query", "BatchGetItem", "TransactWriteItems"].map(count_of),
        [1, 1, 11, 21],
        "one Query reads one megabyte of favorites"
    );
    assert_eq!(fixture.all_items().await, expected);
}
