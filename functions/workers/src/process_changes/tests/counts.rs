use super::*;
use serde_json::json;
use shared::entities::{Key, mark_uncounted};
use std::collections::BTreeMap;
use testing::{FEED, Fault, deletion, engagement, friendship, in_shard, photo, photo_deletion, reaction, user};

mod comments;

const ADAS_PHOTO: &str = "2024-05-30T15:42:38";

/// Returns an uncounted reaction to the photo of ada.
fn uncounted(reacting: &str, reaction_type: &str) -> Item {
    mark_uncounted(reaction(reacting, reaction_type, "ada", ADAS_PHOTO))
}

/// Returns a fixture whose table contains ada, her photo without reactions, and these items.
async fn fixture_with(items: &[&Item]) -> Fixture {
    let fixture = Fixture::new("process-changes").await;
    fixture.put(user("ada")).await;
    fixture.put(photo("ada", ADAS_PHOTO)).await;
    for item in items {
        fixture.put((*item).clone()).await;
    }
    fixture
}

/// Delivers a batch to the function and returns the sequence numbers of the records that failed.
async fn deliver(fixture: &Fixture, records: &[Record]) -> Vec<String> {
    deliver_to(Job::Counts, fixture, records).await
}

async fn reactions(fixture: &Fixture) -> Value {
    fixture.item(Key::photo(&"ada".parse().unwrap(), &ADAS_PHOTO.parse().unwrap())).await["reactions"].take()
}

async fn user_count(fixture: &Fixture, username: &str, count: &str) -> Value {
    fixture.item(Key::user(&username.parse().unwrap())).await[count].take()
}

/// Returns the items with a mark.
fn marked(items: &BTreeMap<String, Value>) -> Vec<&String> {
    items.iter().filter(|(_, item)| item.get("uncounted").is_some()).map(|(key, _)| key).collect()
}

#[tokio::test]
async fn counts_the_reactions_of_a_batch_in_one_transaction() {
    let items = [uncounted("ben", "heart"), in_shard(uncounted("ben", "+1")), in_shard(uncounted("cara", "heart"))];
    let fixture = fixture_with(&items.each_ref()).await;
    let records = items.each_ref().map(insert);
    let before = fixture.all_items().await;
    assert!(deliver(&fixture, &records).await.is_empty());
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    assert_eq!(reactions(&fixture).await, testing::counts(&[("+1", 1), ("heart", 2)]));
    let after = fixture.all_items().await;
    assert_eq!(marked(&after), [""; 0]);
    assert_eq!(after.len(), before.len());

    assert!(deliver(&fixture, &records).await.is_empty());
    assert_eq!(fixture.all_items().await, after, "the records come again");
}

#[tokio::test]
async fn counts_the_followers_of_each_user() {
    let items = [("ada", "ben"), ("ada", "cara"), ("ben", "cara")];
    let items = items.map(|(followed, following)| mark_uncounted(friendship(followed, following)));
    let fixture = fixture_with(&items.each_ref()).await;
    fixture.put(user("ben")).await;
    let records = items.each_ref().map(insert);
    for _ in 0..2 {
        assert!(deliver(&fixture, &records).await.is_empty());
        assert_eq!(user_count(&fixture, "ada", "followers").await, 2);
        assert_eq!(user_count(&fixture, "ben", "followers").await, 1);
        assert_eq!(marked(&fixture.all_items().await), [""; 0]);
    }
}

#[tokio::test]
async fn a_transaction_counts_99_items_at_most() {
    let names: Vec<String> = (0..100).map(|number| format!("u{number}")).collect();
    let items: Vec<Item> = names.iter().map(|name| uncounted(name, "smiley")).collect();
    let fixture = fixture_with(&items.iter().collect::<Vec<_>>()).await;
    let records: Vec<Record> = items.iter().map(insert).collect();
    assert!(deliver(&fixture, &records).await.is_empty());
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);
    assert_eq!(reactions(&fixture).await["smiley"], 100);
    assert_eq!(marked(&fixture.all_items().await), [""; 0]);
}

#[tokio::test]
async fn leaves_out_what_was_counted_or_removed_meanwhile() {
    let (left, counted, removed) = (uncounted("ben", "heart"), uncounted("cara", "heart"), uncounted("dora", "heart"));
    let fixture = fixture_with(&[&left, &counted, &removed]).await;
    let mut without_mark = counted.clone();
    without_mark.remove("uncounted");
    // The function has not read anything, so the first condition fails.
    fixture.write_concurrently(0, vec![without_mark], vec![removed.clone()]);
    let records = [insert(&removed), insert(&left), insert(&counted)];
    assert!(deliver(&fixture, &records).await.is_empty());
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);
    assert_eq!(reactions(&fixture).await["heart"], 1);
}

#[tokio::test]
async fn counts_once_what_was_removed_and_added_again() {
    let (first, second) = (uncounted("ben", "heart"), uncounted("ben", "heart"));
    let fixture = fixture_with(&[&second]).await;
    assert!(deliver(&fixture, &[insert(&first), insert(&second)]).await.is_empty());
    assert!(deliver(&fixture, &[insert(&second)]).await.is_empty());
    assert_eq!(reactions(&fixture).await["heart"], 1);
}

#[tokio::test]
async fn counts_once_after_a_conflict_and_a_lost_answer() {
    let item = uncounted("ben", "heart");
    let fixture = fixture_with(&[&item]).await;
    fixture.inject([Fault::TransactionCanceled("TransactionConflict"), Fault::AnswerLost]);
    assert!(deliver(&fixture, &[insert(&item)]).await.is_empty());
    assert_eq!(reactions(&fixture).await["heart"], 1);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 3]);
}

#[tokio::test]
async fn the_records_of_a_count_that_stays_contended_fail() {
    let hot = uncounted("ben", "heart");
    let fixture = fixture_with(&[&hot]).await;
    let records = [insert(&hot), insert(&uncounted("cara", "heart"))];
    fixture.inject([Fault::TransactionCanceled("TransactionConflict"); 12]);
    assert_eq!(deliver(&fixture, &records).await, ["1", "2"]);
    assert_eq!(reactions(&fixture).await["heart"], 0);
    assert!(deliver(&fixture, &records).await.is_empty());
    assert_eq!(reactions(&fixture).await["heart"], 1);
}

#[tokio::test]
async fn deletes_reactions_whose_photo_is_gone() {
    for is_replaced in [true, false] {
        let (left, counted) = (uncounted("ben", "heart"), reaction("cara", "heart", "ada", ADAS_PHOTO));
        let fixture = fixture_with(&[&left, &counted]).await;
        let deleted = photo_deletion("ada", ADAS_PHOTO, 1);
        if is_replaced {
            fixture.put(deleted.clone()).await;
        } else {
            fixture.delete(Key::photo(&"ada".parse().unwrap(), &ADAS_PHOTO.parse().unwrap())).await;
        }
        let mut expected = fixture.all_items().await;
        expected.remove(&format!("REACTION#ben#heart PHOTO#ada#{ADAS_PHOTO}")).unwrap();
        let records = [insert(&left), insert(&mark_uncounted(counted))];
        for _ in 0..2 {
            assert!(deliver(&fixture, &records).await.is_empty());
            assert_eq!(fixture.all_items().await, expected);
        }
    }
}

#[tokio::test]
async fn deletes_friendships_whose_followed_user_is_gone() {
    let (first, second) = (mark_uncounted(friendship("ada", "ben")), mark_uncounted(friendship("ada", "dora")));
    let fixture = fixture_with(&[&first, &second]).await;
    fixture.put(deletion("ada")).await;
    let mut ben = user("ben");
    ben.insert("following".into(), aws_sdk_dynamodb::types::AttributeValue::N("1".into()));
    fixture.put(ben).await;
    for _ in 0..2 {
        assert!(deliver(&fixture, &[insert(&first), insert(&second)]).await.is_empty());
        assert_eq!(user_count(&fixture, "ben", "following").await, 0, "dora does not exist");
        assert_eq!(marked(&fixture.all_items().await), [""; 0]);
    }
}

/// ben followed ada before her deletion, and follows the new user of that name. The record of the
/// first friendship comes when neither exists, and the second friendship is put before the delete.
#[tokio::test]
async fn does_not_delete_a_newer_friendship() {
    let first = mark_uncounted(friendship("ada", "ben"));
    let fixture = fixture_with(&[&first]).await;
    fixture.put(deletion("ada")).await;
    tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    let second = mark_uncounted(friendship("ada", "ben"));
    fixture.write_concurrently(1, vec![user("ada"), second.clone()], vec![]);
    assert!(deliver(&fixture, &[insert(&first)]).await.is_empty());
    assert_eq!(user_count(&fixture, "ada", "followers").await, 0);
    assert!(deliver(&fixture, &[insert(&second)]).await.is_empty());
    assert_eq!(user_count(&fixture, "ada", "followers").await, 1);
}

#[tokio::test]
async fn ignores_counted_items_and_removed_marks() {
    let item = uncounted("ben", "heart");
    let mut counted = item.clone();
    counted.remove("uncounted");
    let fixture = fixture_with(&[&item]).await;
    let records = [record(item.clone(), counted), record(item, Item::new())];
    assert!(deliver(&fixture, &records).await.is_empty());
    assert!(fixture.operations().is_empty());
}

#[tokio::test]
async fn an_item_that_cannot_be_parsed_fails_only_its_own_record() {
    let (mut malformed, item) = (uncounted("ben", "heart"), uncounted("cara", "heart"));
    malformed.remove("reactionType");
    let fixture = fixture_with(&[&malformed, &item]).await;
    assert_eq!(deliver(&fixture, &[insert(&malformed), insert(&item)]).await, ["1"]);
    assert_eq!(reactions(&fixture).await["heart"], 1);
}

#[tokio::test]
async fn deletes_the_engagements_of_reactions_whose_photo_is_gone() {
    let items = [uncounted("ben", "heart"), uncounted("ben", "smiley"), uncounted("cara", "heart")];
    let fixture = fixture_with(&items.each_ref()).await;
    fixture.put(photo_deletion("ada", ADAS_PHOTO, 0)).await;
    for (caller, id) in [("ben", ADAS_PHOTO), ("cara", ADAS_PHOTO), ("ben", "2024-06-09T13:49:13")] {
        fixture.put_in(FEED, engagement(caller, "ada", id, &["heart"])).await;
    }
    assert!(deliver(&fixture, &items.each_ref().map(insert)).await.is_empty());
    let feeds = fixture.all_items_of(FEED).await;
    let left: Vec<&String> = feeds.keys().filter(|key| key.starts_with("Engagement#")).collect();
    assert_eq!(left, ["Engagement#ben ada#2024-06-09T13:49:13"]);
}

/// The engagement has exactly the reactions that there are, and still says that the photo is saved.
#[tokio::test]
async fn the_engagement_of_a_saved_photo_loses_the_reactions_that_are_deleted() {
    let items = [uncounted("ben", "heart"), uncounted("cara", "heart")];
    let fixture = fixture_with(&items.each_ref()).await;
    fixture.put(photo_deletion("ada", ADAS_PHOTO, 0)).await;
    for (caller, reactions) in [("ben", &["heart"][..]), ("cara", &["heart", "smiley"])] {
        let mut engagement = engagement(caller, "ada", ADAS_PHOTO, reactions);
        if caller == "ben" {
            engagement.insert("saved".into(), aws_sdk_dynamodb::types::AttributeValue::Bool(true));
        }
        fixture.put_in(FEED, engagement).await;
    }
    assert!(deliver(&fixture, &items.each_ref().map(insert)).await.is_empty());
    let feeds = fixture.all_items_of(FEED).await;
    let engagement = |caller: &str| {
        let mut item = feeds[&format!("Engagement#{caller} ada#{ADAS_PHOTO}")].clone();
        item.as_object_mut().unwrap().retain(|name, _| name != "pk" && name != "sk");
        item
    };
    assert_eq!((engagement("ben"), engagement("cara")), (json!({"saved": true}), json!({"reactions": ["smiley"]})));
}

/// The records of reactions to a photo and of a comment come only after the photo was deleted and
/// imported again. Two were given to the imported photo.
#[tokio::test]
async fn counts_nothing_that_was_given_to_an_earlier_photo_of_the_same_key() {
    let given = |item: Item, time: &str| testing::with(item, "timestamp", time);
    let (earlier, later) = ("2026-01-01T10:00:00.000Z", "2026-01-04T10:00:00.000Z");
    let comment = |author: &str, time: &str| mark_uncounted(testing::comment(author, time, "ada", ADAS_PHOTO));
    let old = [
        given(in_shard(uncounted("ben", "heart")), earlier),
        given(uncounted("cara", "smiley"), earlier),
        comment("cara", earlier),
    ];
    let new = [given(uncounted("cara", "heart"), later), comment("ben", later)];
    let fixture = fixture_with(&old.iter().chain(&new).collect::<Vec<_>>()).await;
    let imported = testing::with(photo("ada", ADAS_PHOTO), "responsesSince", "2026-01-03T09:00:00.000Z");
    fixture.put(imported).await;
    fixture.put(testing::with_count(user("cara"), "commentsWritten", 3)).await;
    for (caller, reactions) in [("ben", &["heart"][..]), ("cara", &["heart", "smiley"])] {
        fixture.put_in(FEED, engagement(caller, "ada", ADAS_PHOTO, reactions)).await;
    }
    let records: Vec<Record> = old.iter().chain(&new).map(insert).collect();
    for _ in 0..2 {
        assert!(deliver(&fixture, &records).await.is_empty());
        let photo = fixture.item(Key::photo(&"ada".parse().unwrap(), &ADAS_PHOTO.parse().unwrap())).await;
        assert_eq!(photo["reactions"], testing::counts(&[("heart", 1)]));
        assert_eq!(photo["comments"], 1);
        assert_eq!(user_count(&fixture, "cara", "commentsWritten").await, 2);
        assert_eq!(marked(&fixture.all_items().await), [""; 0]);
        let feeds = fixture.all_items_of(FEED).await;
        assert_eq!(feeds.get(&format!("Engagement#ben ada#{ADAS_PHOTO}")), None);
        assert_eq!(feeds[&format!("Engagement#cara ada#{ADAS_PHOTO}")]["reactions"], json!(["heart"]));
    }
}
