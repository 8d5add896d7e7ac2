use super::*;
use aws_sdk_dynamodb::types::AttributeValue::N;
use serde_json::{Value, json};
use shared::dynamodb::Item;
use shared::entities::{tag_name_reservation, tags_pk};
use std::collections::BTreeMap;
use std::sync::Arc;
use testing::{Fault, Fixture, TestRequest, request};
use tokio::task::JoinSet;

fn delete(tag_id: &str) -> TestRequest {
    request("DELETE", format!("/users/ben/tags/{tag_id}")).by("ben")
}

fn tag_item(tag_id: &str, name: &str) -> Item {
    let (create_time, last_access_time) = (1_717_201_500_000.into(), 1_717_201_500_000.into());
    Tag { tag_id: tag_id.parse().unwrap(), tag_name: name.into(), create_time, last_access_time }
        .item(&"ben".parse().unwrap())
}

fn reservation(name: &str, tag_id: &str) -> Item {
    tag_name_reservation(&"ben".parse().unwrap(), &name.parse().unwrap(), &tag_id.parse().unwrap())
}

fn count_item(attributes: &[(&str, u32)]) -> Item {
    let mut count = Item::from(Key::tag_count(&"ben".parse().unwrap()));
    count.extend(attributes.iter().map(|&(name, number)| (name.to_owned(), N(number.to_string()))));
    count
}

/// The numbers of ben's count item: (tags, deletions).
async fn counts(fixture: &Fixture) -> (Value, Value) {
    let mut count = fixture.item(Key::tag_count(&"ben".parse().unwrap())).await;
    (count["tags"].take(), count["deletions"].take())
}

/// The ids of ben's tags, and the names that are reserved for him.
async fn tags(fixture: &Fixture) -> (Vec<String>, Vec<String>) {
    let all_items = fixture.all_items().await;
    let sort_keys_of = |pk: &str| {
        let items = all_items.values().filter(|item| item["pk"] == pk);
        items.map(|item| item["sk"].as_str().unwrap().to_owned()).collect()
    };
    (sort_keys_of(&tags_pk(&"ben".parse().unwrap())), sort_keys_of("TagName#ben"))
}

#[tokio::test]
async fn deletes_the_tag_and_its_reservation_and_nothing_else() {
    let fixture = Fixture::new("delete-tag").await;
    let mut expected = fixture.all_items().await;
    let answer = fixture.call_with_sample_event(DeleteTag::start).await;
    assert_eq!((answer.status, answer.body), (204, Value::Null));
    expected.remove("Tag#ada travel").unwrap();
    expected.remove("TagName#ada travel").unwrap();
    let count = json!({"pk": "TagCount#ada", "sk": "TagCount", "tags": 4, "deletions": 1});
    expected.insert("TagCount#ada TagCount".into(), count).unwrap();
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn a_repeated_request_changes_nothing() {
    let fixture = Fixture::new("delete-tag").await;
    assert_eq!(fixture.call(DeleteTag::start, delete("work")).await.status, 204);
    let before = fixture.all_items().await;
    let _ = fixture.operations();
    for tag_id in ["work", "travel", "nothing"] {
        assert_eq!(fixture.call(DeleteTag::start, delete(tag_id)).await.status, 204);
        assert_eq!(fixture.operations(), ["GetItem"]);
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn counts_once_after_a_conflict_and_a_lost_answer() {
    let fixture = Fixture::new("delete-tag").await;
    fixture.inject([
        Fault::None,
        Fault::TransactionCanceled("TransactionConflict"),
        Fault::TransactionCanceled("TransactionConflict"),
        Fault::AnswerLost,
    ]);
    assert_eq!(fixture.call(DeleteTag::start, delete("work")).await.status, 204);
    assert_eq!(fixture.operations(), [&["GetItem"][..], &["TransactWriteItems"; 4]].concat());
    assert_eq!(counts(&fixture).await, (json!(2), json!(1)));
}

#[tokio::test]
async fn counts_every_deletion() {
    let fixture = Fixture::new("delete-tag").await;
    for (number, tag_id) in ["birds", "work", "later"].into_iter().enumerate() {
        assert_eq!(fixture.call(DeleteTag::start, delete(tag_id)).await.status, 204);
        assert_eq!(counts(&fixture).await, (json!(2 - number), json!(1 + number)));
    }
    assert_eq!(tags(&fixture).await, (vec![], vec![]));
}

#[tokio::test]
async fn concurrent_requests_count_one_deletion() {
    let fixture = Arc::new(Fixture::new("delete-tag").await);
    let mut all = JoinSet::new();
    for _ in 0..20 {
        let fixture = fixture.clone();
        all.spawn(async move { fixture.call(DeleteTag::start, delete("work")).await.status });
    }
    assert_eq!(all.join_all().await, [204; 20]);
    assert_eq!(counts(&fixture).await, (json!(2), json!(1)));
}

#[tokio::test]
async fn counts_deletions_without_a_count_of_tags() {
    // No count; a count of deletions alone; a count of 0 tags, which leaves out those of another
    // program, with and without deletions; and a count of 1 tag.
    let expected_operations = |writes: usize| {
        [&["GetItem"][..], &["TransactWriteItems", "GetItem"].repeat(writes - 1), &["TransactWriteItems"]].concat()
    };
    for (count, writes, expected) in [
        (None, 2, (json!(null), json!(1))),
        (Some(count_item(&[("deletions", 4)])), 2, (json!(null), json!(5))),
        (Some(count_item(&[("tags", 0), ("deletions", 4)])), 2, (json!(0), json!(5))),
        (Some(count_item(&[("tags", 0)])), 2, (json!(0), json!(1))),
        (Some(count_item(&[("tags", 1)])), 1, (json!(0), json!(1))),
    ] {
        let fixture = Fixture::new("delete-tag").await;
        fixture.delete(Key::tag_count(&"ben".parse().unwrap())).await;
        fixture.put_all(Vec::from_iter(count));
        assert_eq!(fixture.call(DeleteTag::start, delete("work")).await.status, 204);
        assert_eq!(fixture.operations(), expected_operations(writes));
        assert_eq!(counts(&fixture).await, expected);
        assert_eq!(tags(&fixture).await, (vec!["birds".into(), "later".into()], vec!["birds".into(), "나중에".into()]));
    }
}

#[tokio::test]
async fn takes_the_tag_off_a_count_that_is_initialised_concurrently() {
    let fixture = Fixture::new("delete-tag").await;
    fixture.delete(Key::tag_count(&"ben".parse().unwrap())).await;
    fixture.write_concurrently(3, vec![count_item(&[("tags", 4)])], vec![]);
    assert_eq!(fixture.call(DeleteTag::start, delete("work")).await.status, 204);
    assert_eq!(counts(&fixture).await, (json!(3), json!(1)));
}

#[tokio::test]
async fn deletes_a_tag_of_another_program_without_a_reservation() {
    let fixture = Fixture::new("delete-tag").await;
    let before = tags(&fixture).await;
    for name in ["Waders", " a name\nthat is invalid here "] {
        fixture.put(tag_item("old", name)).await;
        assert_eq!(fixture.call(DeleteTag::start, delete("old")).await.status, 204);
        assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems"]);
        assert_eq!(tags(&fixture).await, before);
    }
}

#[tokio::test]
async fn keeps_a_name_that_is_reserved_for_another_tag() {
    let fixture = Fixture::new("delete-tag").await;
    fixture.put(tag_item("old", "WORK")).await;
    let before = tags(&fixture).await.1;
    assert_eq!(fixture.call(DeleteTag::start, delete("old")).await.status, 204);
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems", "GetItem", "TransactWriteItems"]);
    assert_eq!(tags(&fixture).await, (vec!["birds".into(), "later".into(), "work".into()], before));
    assert_eq!(counts(&fixture).await, (json!(2), json!(1)));

    // Without a count, both conditions fail at once.
    fixture.put(tag_item("old", "WORK")).await;
    fixture.delete(Key::tag_count(&"ben".parse().unwrap())).await;
    let _ = fixture.operations();
    assert_eq!(fixture.call(DeleteTag::start, delete("old")).await.status, 204);
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems", "GetItem", "TransactWriteItems"]);
    assert_eq!(counts(&fixture).await, (json!(null), json!(1)));
}

#[tokio::test]
async fn releases_a_name_whose_reservation_passes_to_the_tag_concurrently() {
    let fixture = Fixture::new("delete-tag").await;
    fixture.put(tag_item("old", "WORK")).await;
    fixture.write_concurrently(3, vec![reservation("work", "old")], vec![]);
    assert_eq!(fixture.call(DeleteTag::start, delete("old")).await.status, 204);
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems"].repeat(3));
    assert_eq!(tags(&fixture).await.1, ["birds", "나중에"]);
}

#[tokio::test]
async fn a_concurrent_rename_leaves_no_reservation_behind() {
    let fixture = Fixture::new("delete-tag").await;
    let concurrent = vec![tag_item("work", "Hawks"), reservation("Hawks", "work")];
    fixture.write_concurrently(1, concurrent, vec![reservation("work", "work")]);
    assert_eq!(fixture.call(DeleteTag::start, delete("work")).await.status, 204);
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems", "GetItem", "TransactWriteItems"]);
    assert_eq!(tags(&fixture).await.1, ["birds", "나중에"]);
    assert_eq!(counts(&fixture).await, (json!(2), json!(1)));

    // The first name is reserved for another tag, and the next one for this tag.
    let fixture = Fixture::new("delete-tag").await;
    fixture.put(tag_item("old", "WORK")).await;
    fixture.write_concurrently(2, vec![tag_item("old", "Hawks"), reservation("Hawks", "old")], vec![]);
    assert_eq!(fixture.call(DeleteTag::start, delete("old")).await.status, 204);
    assert_eq!(tags(&fixture).await.1, ["birds", "work", "나중에"]);
}

#[tokio::test]
async fn does_not_count_a_concurrent_deletion_again() {
    let fixture = Fixture::new("delete-tag").await;
    let deleted = vec![tag_item("work", "work"), reservation("work", "work")];
    fixture.write_concurrently(1, vec![count_item(&[("tags", 2), ("deletions", 1)])], deleted);
    assert_eq!(fixture.call(DeleteTag::start, delete("work")).await.status, 204);
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems", "GetItem"]);
    assert_eq!(counts(&fixture).await, (json!(2), json!(1)));
}

#[tokio::test]
async fn returns_503_when_the_retry_budget_is_used_up() {
    let fixture = Fixture::new("delete-tag").await;
    let condition_failed = Fault::ConditionFailed("Delete Tag#ben work");
    fixture.inject([Fault::None, condition_failed].into_iter().cycle().take(100));
    assert_eq!(fixture.call(DeleteTag::start, delete("work")).await.status, 503);
    assert_eq!(fixture.operations().len(), 2 * MAX_ATTEMPTS);
}

#[tokio::test]
async fn leaves_the_favorites_to_the_stream_function() {
    let fixture = Fixture::new("delete-tag").await;
    let of_favorites = |mut items: BTreeMap<String, Value>| {
        items.retain(|key, _| key.starts_with("FavoriteData"));
        items
    };
    let before = of_favorites(fixture.all_items().await);
    assert_eq!(fixture.call(DeleteTag::start, delete("birds")).await.status, 204);
    assert_eq!(of_favorites(fixture.all_items().await), before);
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("delete-tag").await;
    fixture.needs_a_caller(DeleteTag::start, delete("work")).await;
    fixture.refuses_other_users(DeleteTag::start, delete("work")).await;
    fixture.refuses_other_accounts(DeleteTag::start).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("delete-tag").await;
    fixture
        .refuses_bad_usernames(DeleteTag::start, "username", |name| {
            request("DELETE", format!("/users/{name}/tags/work"))
        })
        .await;
    fixture.refuses_bad_ids(DeleteTag::start, "tagId", |id| request("DELETE", format!("/users/ben/tags/{id}"))).await;
}
