use super::*;
use serde_json::{Value, json};
use shared::dynamodb::Item;
use shared::model::favorites::{tag_name_reservation, tags_pk};
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

fn name_item(name: &str, tag_id: &str) -> Item {
    tag_name_reservation(&"ben".parse().unwrap(), &name.parse().unwrap(), &tag_id.parse().unwrap())
}

fn count_item(attributes: &[(&str, u32)]) -> Item {
    let mut count = Item::from(Key::tag_count(&"ben".parse().unwrap()));
    count.extend(attributes.iter().map(|&(name, number)| (name.to_owned(), N(number.to_string()))));
    count
}

/// (tags, deletions)
async fn counts(fixture: &Fixture) -> (Value, Value) {
    let mut count = fixture.item(Key::tag_count(&"ben".parse().unwrap())).await;
    (count["tags"].take(), count["deletions"].take())
}

/// The ids of ben's tags, and their names.
async fn tags(fixture: &Fixture) -> (Vec<String>, Vec<String>) {
    let everything = fixture.all_items().await;
    let of = |pk: &str| {
        let items = everything.values().filter(|item| item["pk"] == pk);
        items.map(|item| item["sk"].as_str().unwrap().to_owned()).collect()
    };
    (of(&tags_pk(&"ben".parse().unwrap())), of("TagName#ben"))
}

#[tokio::test]
async fn the_tag_and_its_name_are_gone_and_no_other() {
    let fixture = Fixture::new("delete-tag").await;
    let mut expected = fixture.all_items().await;
    let answer = fixture.call_with_sample_event(delete_tag).await;
    assert_eq!((answer.status, answer.body), (204, Value::Null));
    expected.remove("Tag#ada travel").unwrap();
    expected.remove("TagName#ada travel").unwrap();
    let count = json!({"pk": "TagCount#ada", "sk": "TagCount", "tags": 4, "deletions": 1});
    expected.insert("TagCount#ada TagCount".into(), count).unwrap();
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn the_second_time_counts_nothing() {
    let fixture = Fixture::new("delete-tag").await;
    assert_eq!(fixture.call(delete_tag, delete("work")).await.status, 204);
    let before = fixture.all_items().await;
    let _ = fixture.operations();
    for tag_id in ["work", "travel", "nothing"] {
        assert_eq!(fixture.call(delete_tag, delete(tag_id)).await.status, 204);
        assert_eq!(fixture.operations(), ["GetItem"]);
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_lost_answer_and_a_conflict_count_once() {
    let fixture = Fixture::new("delete-tag").await;
    fixture.inject([
        Fault::None,
        Fault::TransactionCanceled(&["None", "TransactionConflict", "None"]),
        Fault::TransactionCanceled(&["TransactionConflict", "None", "None"]),
        Fault::AnswerLost,
    ]);
    assert_eq!(fixture.call(delete_tag, delete("work")).await.status, 204);
    assert_eq!(fixture.operations(), [&["GetItem"][..], &["TransactWriteItems"; 4]].concat());
    assert_eq!(counts(&fixture).await, (json!(2), json!(1)));
}

#[tokio::test]
async fn every_deletion_is_counted() {
    let fixture = Fixture::new("delete-tag").await;
    for (number, tag_id) in ["birds", "work", "later"].into_iter().enumerate() {
        assert_eq!(fixture.call(delete_tag, delete(tag_id)).await.status, 204);
        assert_eq!(counts(&fixture).await, (json!(2 - number), json!(1 + number)));
    }
    assert_eq!(tags(&fixture).await, (vec![], vec![]));
}

#[tokio::test]
async fn of_many_at_once_one_is_counted() {
    let fixture = Arc::new(Fixture::new("delete-tag").await);
    let mut all = JoinSet::new();
    for _ in 0..20 {
        let fixture = fixture.clone();
        all.spawn(async move { fixture.call(delete_tag, delete("work")).await.status });
    }
    assert_eq!(all.join_all().await, [204; 20]);
    assert_eq!(counts(&fixture).await, (json!(2), json!(1)));
}

#[tokio::test]
async fn deletions_are_counted_where_tags_are_not() {
    // Nothing counted yet; the deletions alone; a count that another program's tags are not in; no deletion yet.
    let requests = |writes: usize| {
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
        assert_eq!(fixture.call(delete_tag, delete("work")).await.status, 204);
        assert_eq!(fixture.operations(), requests(writes));
        assert_eq!(counts(&fixture).await, expected);
        assert_eq!(tags(&fixture).await, (vec!["birds".into(), "later".into()], vec!["birds".into(), "나중에".into()]));
    }
}

#[tokio::test]
async fn a_count_that_begins_meanwhile_counts_the_deletion() {
    let fixture = Fixture::new("delete-tag").await;
    fixture.delete(Key::tag_count(&"ben".parse().unwrap())).await;
    fixture.write_concurrently(3, vec![count_item(&[("tags", 4)])], vec![]);
    assert_eq!(fixture.call(delete_tag, delete("work")).await.status, 204);
    assert_eq!(counts(&fixture).await, (json!(3), json!(1)));
}

#[tokio::test]
async fn a_tag_of_another_program_has_no_name_to_free() {
    let fixture = Fixture::new("delete-tag").await;
    let before = tags(&fixture).await;
    for name in ["Waders", " a name\nthat can't be given here "] {
        fixture.put(tag_item("old", name)).await;
        assert_eq!(fixture.call(delete_tag, delete("old")).await.status, 204);
        assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems"]);
        assert_eq!(tags(&fixture).await, before);
    }
}

#[tokio::test]
async fn a_name_that_is_kept_for_another_tag_stays_kept() {
    let fixture = Fixture::new("delete-tag").await;
    fixture.put(tag_item("old", "WORK")).await;
    let before = tags(&fixture).await.1;
    assert_eq!(fixture.call(delete_tag, delete("old")).await.status, 204);
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems", "GetItem", "TransactWriteItems"]);
    assert_eq!(tags(&fixture).await, (vec!["birds".into(), "later".into(), "work".into()], before));
    assert_eq!(counts(&fixture).await, (json!(2), json!(1)));

    // The same where nothing was counted yet: both are found out at once.
    fixture.put(tag_item("old", "WORK")).await;
    fixture.delete(Key::tag_count(&"ben".parse().unwrap())).await;
    let _ = fixture.operations();
    assert_eq!(fixture.call(delete_tag, delete("old")).await.status, 204);
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems", "GetItem", "TransactWriteItems"]);
    assert_eq!(counts(&fixture).await, (json!(null), json!(1)));
}

#[tokio::test]
async fn what_is_renamed_meanwhile_leaves_no_name_behind() {
    let fixture = Fixture::new("delete-tag").await;
    let theirs = vec![tag_item("work", "Hawks"), name_item("Hawks", "work")];
    fixture.write_concurrently(1, theirs, vec![name_item("work", "work")]);
    assert_eq!(fixture.call(delete_tag, delete("work")).await.status, 204);
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems", "GetItem", "TransactWriteItems"]);
    assert_eq!(tags(&fixture).await.1, ["birds", "나중에"]);
    assert_eq!(counts(&fixture).await, (json!(2), json!(1)));

    // The item of the first name was another tag's; that of the next is its own.
    let fixture = Fixture::new("delete-tag").await;
    fixture.put(tag_item("old", "WORK")).await;
    fixture.write_concurrently(2, vec![tag_item("old", "Hawks"), name_item("Hawks", "old")], vec![]);
    assert_eq!(fixture.call(delete_tag, delete("old")).await.status, 204);
    assert_eq!(tags(&fixture).await.1, ["birds", "work", "나중에"]);
}

#[tokio::test]
async fn what_is_deleted_meanwhile_is_counted_by_the_other() {
    let fixture = Fixture::new("delete-tag").await;
    let gone = vec![tag_item("work", "work"), name_item("work", "work")];
    fixture.write_concurrently(1, vec![count_item(&[("tags", 2), ("deletions", 1)])], gone);
    assert_eq!(fixture.call(delete_tag, delete("work")).await.status, 204);
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems", "GetItem"]);
    assert_eq!(counts(&fixture).await, (json!(2), json!(1)));
}

#[tokio::test]
async fn it_gives_up_where_others_never_rest() {
    let fixture = Fixture::new("delete-tag").await;
    let refused = Fault::TransactionCanceled(&["ConditionalCheckFailed", "None", "None"]);
    fixture.inject([Fault::None, refused].into_iter().cycle().take(100));
    assert_eq!(fixture.call(delete_tag, delete("work")).await.status, 503);
    assert_eq!(fixture.operations().len(), 2 * MAX_ATTEMPTS);
}

#[tokio::test]
async fn favorites_keep_the_tag_until_the_stream_function_takes_it_off() {
    let fixture = Fixture::new("delete-tag").await;
    let of_favorites = |mut items: BTreeMap<String, Value>| {
        items.retain(|key, _| key.starts_with("FavoriteData"));
        items
    };
    let before = of_favorites(fixture.all_items().await);
    assert_eq!(fixture.call(delete_tag, delete("birds")).await.status, 204);
    assert_eq!(of_favorites(fixture.all_items().await), before);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("delete-tag").await;
    fixture.needs_a_caller(delete_tag, delete("work")).await;
    fixture.refuses_other_users(delete_tag, delete("work")).await;
    fixture
        .refuses_bad_usernames(delete_tag, "username", |name| request("DELETE", format!("/users/{name}/tags/work")))
        .await;
    fixture.refuses_bad_ids(delete_tag, "tagId", |id| request("DELETE", format!("/users/ben/tags/{id}"))).await;
}
