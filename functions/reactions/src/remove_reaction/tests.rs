use super::*;
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use shared::entities::mark_uncounted;
use testing::{FEED, Fault, Fixture, TestRequest, engagement, in_shard, photo, photo_deletion, reaction, request};

fn delete_reaction(reaction: &str) -> TestRequest {
    request("DELETE", format!("/users/ada/photos/2024-05-30T15:42:38/reactions/{reaction}")).by("cara")
}

/// Returns the reaction counts of the photo.
async fn counts(fixture: &Fixture) -> serde_json::Value {
    let photo = Key::photo(&"ada".parse().unwrap(), &"2024-05-30T15:42:38".parse().unwrap());
    fixture.item(photo).await["reactions"].take()
}

#[tokio::test]
async fn deletes_the_reaction_and_decrements_its_count() {
    let fixture = Fixture::new("remove-reaction").await;
    let before = fixture.all_items().await.len();
    let answer = fixture.call_with_sample_event(RemoveReaction::start).await;
    assert_eq!((answer.status, answer.body), (204, json!(null)));
    assert_eq!(counts(&fixture).await, testing::counts(&[]));
    assert_eq!(fixture.all_items().await.len(), before - 1);
}

#[tokio::test]
async fn deletes_a_reaction_in_a_shard_and_decrements_its_count() {
    let fixture = Fixture::new("remove-reaction").await;
    let before = fixture.all_items().await;
    fixture
        .delete(Key::reaction(
            &"cara".parse().unwrap(),
            ReactionType::Heart,
            &"ada".parse().unwrap(),
            &"2024-05-30T15:42:38".parse().unwrap(),
        ))
        .await;
    fixture.put(in_shard(reaction("cara", "heart", "ada", "2024-05-30T15:42:38"))).await;
    for _ in ["first", "repeated"] {
        assert_eq!(fixture.call(RemoveReaction::start, delete_reaction("heart")).await.status, 204);
        assert_eq!(counts(&fixture).await["heart"], 0);
        assert_eq!(engaged(&fixture, "cara").await, json!(null));
        assert_eq!(fixture.all_items().await.len(), before.len() - 1);
    }
}

#[tokio::test]
async fn changes_nothing_without_a_reaction() {
    let fixture = Fixture::new("remove-reaction").await;
    fixture.put(reaction("ben", "heart", "ada", "2024-05-30T15:42:38")).await;
    assert_eq!(fixture.call(RemoveReaction::start, delete_reaction("heart")).await.status, 204);
    let before = fixture.all_items().await;
    for request in [
        delete_reaction("heart"),
        delete_reaction("smiley"),
        request("DELETE", "/users/ada/photos/2020-01-01T00:00:00/reactions/heart").by("cara"),
        request("DELETE", "/users/nobody/photos/2024-05-30T15:42:38/reactions/heart").by("nobody"),
    ] {
        assert_eq!(fixture.call(RemoveReaction::start, request).await.status, 204);
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn decrements_once_after_a_conflict_and_a_lost_answer() {
    let fixture = Fixture::new("remove-reaction").await;
    let mut two = photo("ada", "2024-05-30T15:42:38");
    two.insert("reactions".into(), AttributeValue::M([("heart".into(), AttributeValue::N("2".into()))].into()));
    fixture.put(two).await;
    fixture.inject([Fault::TransactionCanceled("TransactionConflict"), Fault::AnswerLost]);
    assert_eq!(fixture.call(RemoveReaction::start, delete_reaction("heart")).await.status, 204);
    assert_eq!(counts(&fixture).await, json!({"heart": 1}));
}

#[tokio::test]
async fn deletes_a_reaction_that_the_count_lacks_and_keeps_the_counts() {
    let fixture = Fixture::new("remove-reaction").await;
    // Neither reaction is counted: one photo has a count of 0, and the other does not exist.
    for (reaction_type, id) in [("smiley", "2024-05-30T15:42:38"), ("heart", "2020-01-01T00:00:00")] {
        fixture.put(reaction("ben", reaction_type, "ada", id)).await;
        let before = fixture.all_items().await;
        let uri = format!("/users/ada/photos/{id}/reactions/{reaction_type}");
        assert_eq!(fixture.call(RemoveReaction::start, request("DELETE", uri).by("ben")).await.status, 204);
        assert_eq!(fixture.all_items().await.len(), before.len() - 1);
        assert_eq!(counts(&fixture).await, testing::counts(&[("heart", 1)]));
    }
}

#[tokio::test]
async fn decrements_the_count_of_a_photo_in_deletion() {
    let fixture = Fixture::new("remove-reaction").await;
    fixture.put(photo_deletion("ada", "2024-05-30T15:42:38", 2)).await;
    assert_eq!(fixture.call(RemoveReaction::start, delete_reaction("heart")).await.status, 204);
    assert_eq!(counts(&fixture).await["heart"], 1);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
}

#[tokio::test]
async fn keeps_the_reaction_of_another_user() {
    let fixture = Fixture::new("remove-reaction").await;
    fixture.needs_a_caller(RemoveReaction::start, delete_reaction("heart")).await;
    let before = fixture.all_items().await;
    assert_eq!(fixture.call(RemoveReaction::start, delete_reaction("heart").by("ben")).await.status, 204);
    assert_eq!(fixture.all_items().await, before, "ben has no reaction, and cara keeps hers");
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("remove-reaction").await;
    fixture
        .refuses_bad_usernames(RemoveReaction::start, "username", |name| {
            request("DELETE", format!("/users/{name}/photos/2024-05-30T15:42:38/reactions/heart"))
        })
        .await;
    fixture
        .refuses_bad_photo_ids(RemoveReaction::start, |id| {
            request("DELETE", format!("/users/ada/photos/{id}/reactions/heart"))
        })
        .await;
    fixture.refuses_field(RemoveReaction::start, delete_reaction("like"), "type").await;
}

#[tokio::test]
async fn deletes_an_uncounted_reaction_without_a_decrement() {
    let fixture = Fixture::new("remove-reaction").await;
    let uncounted = mark_uncounted(reaction("dora", "heart", "ada", "2024-05-30T15:42:38"));
    let before = fixture.all_items().await;
    fixture.put(uncounted).await;
    fixture.put_in(FEED, engagement("dora", "ada", "2024-05-30T15:42:38", &["heart"])).await;
    assert_eq!(fixture.call(RemoveReaction::start, delete_reaction("heart").by("dora")).await.status, 204);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);
    assert_eq!(fixture.all_items().await, before);
}

/// process-changes counts the reaction between the two transactions.
#[tokio::test]
async fn decrements_the_count_of_a_reaction_that_was_counted_meanwhile() {
    let fixture = Fixture::new("remove-reaction").await;
    let counted = reaction("dora", "heart", "ada", "2024-05-30T15:42:38");
    fixture.put(mark_uncounted(counted.clone())).await;
    fixture.put_in(FEED, engagement("dora", "ada", "2024-05-30T15:42:38", &["heart"])).await;
    let mut two = photo("ada", "2024-05-30T15:42:38");
    two.insert("reactions".into(), AttributeValue::M([("heart".into(), AttributeValue::N("2".into()))].into()));
    fixture.write_concurrently(1, vec![counted, two], vec![]);
    assert_eq!(fixture.call(RemoveReaction::start, delete_reaction("heart").by("dora")).await.status, 204);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 3]);
    assert_eq!(counts(&fixture).await, json!({"heart": 1}));
}

#[tokio::test]
async fn refuses_other_accounts() {
    Fixture::new("remove-reaction").await.refuses_other_accounts(RemoveReaction::start).await;
}

/// Returns the reactions in the engagement of a user with the photo.
async fn engaged(fixture: &Fixture, username: &str) -> Value {
    fixture.all_items_of(FEED).await[&format!("Engagement#{username} ada#2024-05-30T15:42:38")]["reactions"].clone()
}

#[tokio::test]
async fn removes_the_reaction_from_the_engagement_of_the_caller_alone() {
    let fixture = Fixture::new("remove-reaction").await;
    for (username, reactions) in [("cara", &["heart", "smiley"][..]), ("dora", &["heart"])] {
        fixture.put_in(FEED, engagement(username, "ada", "2024-05-30T15:42:38", reactions)).await;
    }
    for _ in 0..2 {
        assert_eq!(fixture.call(RemoveReaction::start, delete_reaction("heart")).await.status, 204);
        assert_eq!(engaged(&fixture, "cara").await, json!(["smiley"]));
        assert_eq!(engaged(&fixture, "dora").await, json!(["heart"]));
    }
}

#[tokio::test]
async fn removes_a_reaction_that_no_engagement_has() {
    let fixture = Fixture::new("remove-reaction").await;
    let of_cara =
        Key::engagement(&"cara".parse().unwrap(), &"ada".parse().unwrap(), &"2024-05-30T15:42:38".parse().unwrap());
    let table = fixture.unrecorded_table(FEED);
    table.client.delete_item().table_name(table.name).set_key(Some(of_cara.into())).send().await.unwrap();
    assert_eq!(fixture.call(RemoveReaction::start, delete_reaction("heart")).await.status, 204);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);
    assert_eq!(counts(&fixture).await["heart"], 0);
}
