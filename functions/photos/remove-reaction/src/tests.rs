use super::*;
use serde_json::json;
use testing::{Fault, Fixture, TestRequest, photo, reaction, request};

fn take_back(reaction: &str) -> TestRequest {
    request("DELETE", format!("/users/ada/photos/2024-05-30T15:42:38/reactions/{reaction}")).by("cara")
}

async fn counts(fixture: &Fixture) -> serde_json::Value {
    let photo = Key::photo(&"ada".parse().unwrap(), &"2024-05-30T15:42:38".parse().unwrap());
    fixture.item(photo).await["reactions"].take()
}

#[tokio::test]
async fn takes_the_reaction_and_its_count_away() {
    let fixture = Fixture::new("remove-reaction").await;
    let before = fixture.all_items().await.len();
    let answer = fixture.call_with_sample_event(remove_reaction).await;
    assert_eq!((answer.status, answer.body), (204, json!(null)));
    assert_eq!(counts(&fixture).await, json!({"+1": 0, "heart": 0, "smiley": 0, "sunglasses": 0}));
    assert_eq!(fixture.all_items().await.len(), before - 1);
}

#[tokio::test]
async fn changes_nothing_the_second_time_or_where_there_was_none() {
    let fixture = Fixture::new("remove-reaction").await;
    fixture.put(reaction("ben", "heart", "ada", "2024-05-30T15:42:38")).await;
    assert_eq!(fixture.call(remove_reaction, take_back("heart")).await.status, 204);
    let before = fixture.all_items().await;
    for request in [
        take_back("heart"),
        take_back("smiley"),
        request("DELETE", "/users/ada/photos/2020-01-01T00:00:00/reactions/heart").by("cara"),
        request("DELETE", "/users/nobody/photos/2024-05-30T15:42:38/reactions/heart").by("nobody"),
    ] {
        assert_eq!(fixture.call(remove_reaction, request).await.status, 204);
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_lost_answer_and_a_conflict_take_away_one() {
    let fixture = Fixture::new("remove-reaction").await;
    let mut two = photo("ada", "2024-05-30T15:42:38");
    two.insert("reactions".into(), AttributeValue::M([("heart".into(), AttributeValue::N("2".into()))].into()));
    fixture.put(two).await;
    fixture.inject([Fault::TransactionCanceled(&["None", "TransactionConflict"]), Fault::AnswerLost]);
    assert_eq!(fixture.call(remove_reaction, take_back("heart")).await.status, 204);
    assert_eq!(counts(&fixture).await, json!({"heart": 1}));
}

#[tokio::test]
async fn what_is_not_counted_goes_without_a_count_below_zero() {
    let fixture = Fixture::new("remove-reaction").await;
    // Counted by nobody: a photo whose count is 0, and one that is gone.
    for (reaction_type, timestamp) in [("smiley", "2024-05-30T15:42:38"), ("heart", "2020-01-01T00:00:00")] {
        fixture.put(reaction("ben", reaction_type, "ada", timestamp)).await;
        let before = fixture.all_items().await;
        let uri = format!("/users/ada/photos/{timestamp}/reactions/{reaction_type}");
        assert_eq!(fixture.call(remove_reaction, request("DELETE", uri).by("ben")).await.status, 204);
        assert_eq!(fixture.all_items().await.len(), before.len() - 1);
        assert_eq!(counts(&fixture).await, json!({"+1": 0, "heart": 1, "smiley": 0, "sunglasses": 0}));
    }
}

#[tokio::test]
async fn nobody_takes_back_anothers_reaction() {
    let fixture = Fixture::new("remove-reaction").await;
    fixture.needs_a_caller(remove_reaction, take_back("heart")).await;
    let before = fixture.all_items().await;
    assert_eq!(fixture.call(remove_reaction, take_back("heart").by("ben")).await.status, 204);
    assert_eq!(fixture.all_items().await, before, "ben had none, cara keeps hers");
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("remove-reaction").await;
    fixture
        .refuses_bad_usernames(remove_reaction, "username", |name| {
            request("DELETE", format!("/users/{name}/photos/2024-05-30T15:42:38/reactions/heart"))
        })
        .await;
    fixture
        .refuses_bad_timestamps(remove_reaction, |timestamp| {
            request("DELETE", format!("/users/ada/photos/{timestamp}/reactions/heart"))
        })
        .await;
    fixture.refuses_field(remove_reaction, take_back("like"), "type").await;
}
