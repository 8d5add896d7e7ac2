use super::*;
use aws_sdk_dynamodb::types::AttributeValue::N;
use serde_json::{Value, json};
use shared::values::DataType;
use testing::{Collection, Fault, Fixture, TestRequest, request};

fn untag(data_id: &str, tag_id: &str) -> TestRequest {
    request("DELETE", format!("/users/ben/favorites/{data_id}/tags/{tag_id}")).by("ben")
}

async fn tag_count(fixture: &Fixture, owner: &str, data_id: &str) -> Value {
    let favorite = Key::favorite(&owner.parse().unwrap(), &data_id.parse().unwrap());
    fixture.item(favorite).await["tagCount"].take()
}

#[tokio::test]
async fn deletes_the_entry_and_decrements_the_count() {
    let fixture = Fixture::new("untag-favorite").await;
    let mut expected = fixture.all_items().await;
    let answer = fixture.call_with_sample_event(UntagFavorite::start).await;
    assert_eq!((answer.status, answer.body), (204, json!(null)));
    expected.remove("FavoriteDataTag#ada#viewpoint travel").expect("an entry of the seed data");
    let favorite = expected.get_mut("FavoriteData#ada viewpoint").unwrap();
    (favorite["tagCount"], favorite["tagIds"]) = (json!(1), json!(["family"]));
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn takes_the_last_tag_off() {
    let fixture = Fixture::new("untag-favorite").await;
    assert_eq!(fixture.call(UntagFavorite::start, untag("tokyo", "later")).await.status, 204);
    assert_eq!(tag_count(&fixture, "ben", "tokyo").await, 0);
    let tokyo = fixture.item(Key::favorite(&"ben".parse().unwrap(), &"tokyo".parse().unwrap())).await;
    assert!(tokyo["tagIds"].is_null(), "a set cannot be empty");
}

#[tokio::test]
async fn a_request_without_an_entry_changes_nothing() {
    let fixture = Fixture::new("untag-favorite").await;
    assert_eq!(fixture.call(UntagFavorite::start, untag("waders", "work")).await.status, 204);
    let before = fixture.all_items().await;
    for request in [
        untag("waders", "work"),
        untag("waders", "later"),
        untag("starlings", "birds"),
        untag("waders", "nothing"),
        untag("nothing", "birds"),
        // This favorite and this tag belong to ada.
        untag("viewpoint", "travel"),
    ] {
        assert_eq!(fixture.call(UntagFavorite::start, request).await.status, 204);
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn counts_once_after_a_conflict_and_a_lost_answer() {
    let fixture = Fixture::new("untag-favorite").await;
    fixture.inject([Fault::TransactionCanceled("TransactionConflict"), Fault::AnswerLost]);
    assert_eq!(fixture.call(UntagFavorite::start, untag("kestrel", "birds")).await.status, 204);
    assert_eq!(tag_count(&fixture, "ben", "kestrel").await, 1);
}

#[tokio::test]
async fn deletes_an_entry_that_is_not_counted_and_keeps_the_count() {
    let fixture = Fixture::new("untag-favorite").await;
    let mut ben = Collection::new("ben");
    ben.clip("deleted", DataType::Note, "Deleted", 1_700_000_000_000, &["birds"]);
    ben.clip("zero", DataType::Note, "Counts zero", 1_700_000_000_000, &["birds"]);
    let mut items = ben.into_items();
    for item in &mut items {
        item.entry("tagCount".to_owned()).and_modify(|count| *count = N("0".to_owned()));
    }
    fixture.put_all(items);
    fixture.delete(Key::favorite(&"ben".parse().unwrap(), &"deleted".parse().unwrap())).await;
    for data_id in ["deleted", "zero"] {
        let mut expected = fixture.all_items().await;
        assert_eq!(fixture.call(UntagFavorite::start, untag(data_id, "birds")).await.status, 204);
        expected.remove(&format!("FavoriteDataTag#ben#{data_id} birds")).expect("an entry");
        assert_eq!(fixture.all_items().await, expected);
    }
}

#[tokio::test]
async fn takes_a_tag_off_a_favorite_of_another_program() {
    let fixture = Fixture::new("untag-favorite").await;
    let mut ben = Collection::new("ben");
    ben.clip("7", DataType::File, "Of another program", 1_600_000_000_000, &["birds", "work"]);
    fixture.put_all(ben.into_foreign_items());
    let mut expected = fixture.all_items().await;
    assert_eq!(fixture.call(UntagFavorite::start, untag("7", "work")).await.status, 204);
    expected.remove("FavoriteDataTag#ben#7 work").expect("an entry");
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn takes_a_deleted_tag_off() {
    let fixture = Fixture::new("untag-favorite").await;
    fixture.delete(Key::tag(&"ben".parse().unwrap(), &"birds".parse().unwrap())).await;
    assert_eq!(fixture.call(UntagFavorite::start, untag("kestrel", "birds")).await.status, 204);
    assert_eq!(tag_count(&fixture, "ben", "kestrel").await, 1);
    assert!(!fixture.all_items().await.contains_key("FavoriteDataTag#ben#kestrel birds"));
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("untag-favorite").await;
    fixture.needs_a_caller(UntagFavorite::start, untag("kestrel", "birds")).await;
    fixture.refuses_other_users(UntagFavorite::start, untag("kestrel", "birds")).await;
    fixture.refuses_other_accounts(UntagFavorite::start).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("untag-favorite").await;
    fixture
        .refuses_bad_usernames(UntagFavorite::start, "username", |name| {
            request("DELETE", format!("/users/{name}/favorites/kestrel/tags/birds"))
        })
        .await;
    fixture.refuses_bad_ids(UntagFavorite::start, "dataId", |id| untag(id, "birds")).await;
    fixture.refuses_bad_ids(UntagFavorite::start, "tagId", |id| untag("kestrel", id)).await;
}
