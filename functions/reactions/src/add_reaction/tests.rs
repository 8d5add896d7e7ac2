use std::time::Duration;

use super::*;
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;
use shared::entities::Picture;
use testing::{
    FEED, Fault, Fixture, TestRequest, deletion, engagement, photo_deletion, photo_with, ready, request, user,
};

fn put_reaction(reaction: &str) -> TestRequest {
    request("PUT", format!("/users/ada/photos/2024-05-30T15:42:38/reactions/{reaction}")).by("ben")
}

/// Returns the reaction counts of the photo.
async fn counts(fixture: &Fixture) -> serde_json::Value {
    let photo = Key::photo(&"ada".parse().unwrap(), &"2024-05-30T15:42:38".parse().unwrap());
    fixture.item(photo).await["reactions"].take()
}

#[tokio::test]
async fn adds_the_reaction_and_increments_its_count() {
    let fixture = Fixture::new("add-reaction").await;
    let before = fixture.all_items().await;
    let begin = Timestamp::now();
    let answer = fixture.call_with_sample_event(AddReaction::start).await;
    let timestamp = answer.body["timestamp"].as_str().unwrap();
    assert!(begin.as_ref() <= timestamp && timestamp <= Timestamp::now().as_ref());
    assert_eq!(answer.status, 201);
    assert!(!answer.headers.contains_key("location"), "no GET returns it");
    assert_eq!(counts(&fixture).await, testing::counts(&[("heart", 1), ("sunglasses", 1)]));

    let reaction = Key::reaction(
        &"ben".parse().unwrap(),
        ReactionType::Sunglasses,
        &"ada".parse().unwrap(),
        &"2024-05-30T15:42:38".parse().unwrap(),
    );
    assert_eq!(
        fixture.item(reaction).await,
        json!({
            "PK": "REACTION#ben#sunglasses", "SK": "PHOTO#ada#2024-05-30T15:42:38", "reactingUser": "ben",
            "reactionType": "sunglasses", "photo": "PHOTO#ada#2024-05-30T15:42:38",
            "timestamp": answer.body["timestamp"],
        })
    );
    assert_eq!(
        answer.body,
        json!({"username": "ben", "reactionType": "sunglasses", "timestamp": answer.body["timestamp"]})
    );
    assert_eq!(fixture.all_items().await.len(), before.len() + 1);
}

#[tokio::test]
async fn counts_each_type_separately() {
    let fixture = Fixture::new("add-reaction").await;
    for reaction in ["+1", "%2B1", "heart", "smiley", "sunglasses"] {
        let answer = fixture.call(AddReaction::start, put_reaction(reaction)).await;
        assert!([200, 201].contains(&answer.status), "{reaction}: {}", answer.body);
    }
    assert_eq!(counts(&fixture).await, testing::counts(&[("+1", 1), ("heart", 2), ("smiley", 1), ("sunglasses", 1)]));
}

#[tokio::test]
async fn a_repeated_request_counts_once() {
    let fixture = Fixture::new("add-reaction").await;
    let first = fixture.call(AddReaction::start, put_reaction("heart")).await;
    let before = fixture.all_items().await;
    let second = fixture.call(AddReaction::start, put_reaction("heart")).await;
    assert_eq!((first.status, second.status), (201, 200));
    assert_eq!(first.body, second.body);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_counts_once() {
    let fixture = Fixture::new("add-reaction").await;
    fixture.inject([Fault::AnswerLost]);
    let answer = fixture.call(AddReaction::start, put_reaction("heart")).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);
    assert_eq!(counts(&fixture).await["heart"], 2);
}

#[tokio::test]
async fn retries_after_a_transaction_conflict() {
    let fixture = Fixture::new("add-reaction").await;
    fixture.inject([
        Fault::TransactionCanceled("TransactionConflict"),
        Fault::TransactionCanceled("TransactionConflict"),
        Fault::TransactionCanceled("ThrottlingError"),
    ]);
    let answer = fixture.call(AddReaction::start, put_reaction("heart")).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 4]);
    assert_eq!(counts(&fixture).await["heart"], 2);
}

#[tokio::test]
async fn starts_a_count_that_the_photo_does_not_have() {
    let fixture = Fixture::new("add-reaction").await;
    let mut photo = testing::photo("ada", "2024-05-30T15:42:38");
    photo.insert("reactions".into(), AttributeValue::M([].into()));
    fixture.put(photo).await;
    assert_eq!(fixture.call(AddReaction::start, put_reaction("+1")).await.status, 201);
    assert_eq!(counts(&fixture).await, json!({"+1": 1}));
}

#[tokio::test]
async fn returns_404_for_an_unknown_photo_or_caller() {
    let fixture = Fixture::new("add-reaction").await;
    fixture.put(user("dora")).await;
    let before = fixture.all_items().await;
    for (uri, caller, detail) in [
        (
            "/users/ada/photos/2020-01-01T00:00:00/reactions/heart",
            "ben",
            "There is no photo 2020-01-01T00:00:00 of ada.",
        ),
        (
            "/users/nobody/photos/2024-05-30T15:42:38/reactions/heart",
            "ben",
            "There is no photo 2024-05-30T15:42:38 of nobody.",
        ),
        (
            "/users/dora/photos/2024-05-30T15:42:38/reactions/heart",
            "ben",
            "There is no photo 2024-05-30T15:42:38 of dora.",
        ),
        ("/users/ada/photos/2024-05-30T15:42:38/reactions/heart", "nobody", "POST /users creates it."),
    ] {
        let answer = fixture.call(AddReaction::start, request("PUT", uri).by(caller)).await;
        assert_eq!(answer.status, 404, "{uri}");
        assert_eq!(answer.body["hint"], detail);
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("add-reaction").await;
    fixture.needs_a_caller(AddReaction::start, put_reaction("heart")).await;
    fixture
        .refuses_bad_usernames(AddReaction::start, "username", |name| {
            request("PUT", format!("/users/{name}/photos/2024-05-30T15:42:38/reactions/heart"))
        })
        .await;
    fixture
        .refuses_bad_photo_ids(AddReaction::start, |id| {
            request("PUT", format!("/users/ada/photos/{id}/reactions/heart"))
        })
        .await;
    for reaction in ["Heart", "1", "heart%23", "-1", "%20"] {
        fixture.refuses_field(AddReaction::start, put_reaction(reaction), "type").await;
    }
}

#[tokio::test]
async fn returns_404_for_a_photo_in_deletion() {
    let fixture = Fixture::new("add-reaction").await;
    fixture.put(photo_deletion("ada", "2024-05-30T15:42:38", 1)).await;
    let before = fixture.all_items().await;
    let answer = fixture.call(AddReaction::start, put_reaction("smiley")).await;
    assert_eq!((answer.status, &answer.body["hint"]), (404, &json!("There is no photo 2024-05-30T15:42:38 of ada.")));
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn returns_404_for_a_caller_who_is_being_deleted() {
    let fixture = Fixture::new("add-reaction").await;
    fixture.put(deletion("ben")).await;
    let before = fixture.all_items().await;
    let answer = fixture.call(AddReaction::start, put_reaction("heart")).await;
    assert_eq!((answer.status, answer.problem()), (404, "no-profile"));
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_photo_that_is_not_ready_takes_no_reactions() {
    let fixture = Fixture::new("add-reaction").await;
    let put = |by| request("PUT", "/users/ada/photos/2026-01-01T00:00:00/reactions/heart").by(by);
    for picture in [Picture::Pending, testing::rejected()] {
        fixture.put(photo_with("ada", "2026-01-01T00:00:00", picture)).await;
        let before = fixture.all_items().await;
        for by in ["ben", "ada"] {
            let answer = fixture.call(AddReaction::start, put(by)).await;
            let detail = "There is no photo 2026-01-01T00:00:00 of ada.";
            assert_eq!((answer.status, &answer.body["hint"]), (404, &json!(detail)), "{by}");
        }
        assert_eq!(fixture.all_items().await, before);
    }
    fixture.put(photo_with("ada", "2026-01-01T00:00:00", ready(b"file"))).await;
    assert_eq!(fixture.call(AddReaction::start, put("ben")).await.status, 201);
}

/// Makes the transaction with the count conflict as often as the function sends it.
const CONTENDED: [Fault; 4] = [Fault::TransactionCanceled("TransactionConflict"); 4];

#[tokio::test]
async fn a_reaction_to_a_photo_with_too_many_writes_is_put_uncounted() {
    let fixture = Fixture::new("add-reaction").await;
    fixture.inject(CONTENDED);
    let first = fixture.call(AddReaction::start, put_reaction("smiley")).await;
    assert_eq!(first.status, 201, "{}", first.body);
    let operations = [vec!["TransactWriteItems"; 4], vec!["GetItem", "TransactWriteItems"]].concat().join(" ");
    assert_eq!(fixture.operations().join(" "), operations);
    assert_eq!(counts(&fixture).await["smiley"], 0);
    let key = Key::reaction(
        &"ben".parse().unwrap(),
        ReactionType::Smiley,
        &"ada".parse().unwrap(),
        &"2024-05-30T15:42:38".parse().unwrap(),
    );
    // In place of the partition of the photo in the inverted index.
    let key = key.sharded();
    let expected = json!({
        "PK": "REACTION#ben#smiley", "SK": "PHOTO#ada#2024-05-30T15:42:38#0", "reactingUser": "ben",
        "reactionType": "smiley", "photo": "PHOTO#ada#2024-05-30T15:42:38", "timestamp": first.body["timestamp"],
        "uncounted": true,
    });
    assert_eq!(fixture.item(key.clone()).await, expected);

    // A repetition changes nothing, whether the photo still takes too many writes or not.
    let before = fixture.all_items().await;
    for faults in [&CONTENDED[..], &[]] {
        fixture.inject(faults.iter().copied());
        let second = fixture.call(AddReaction::start, put_reaction("smiley")).await;
        assert_eq!((second.status, &second.body), (200, &first.body));
        assert_eq!(fixture.all_items().await, before);
    }
}

#[tokio::test]
async fn a_counted_reaction_is_not_put_again_into_a_shard() {
    let fixture = Fixture::new("add-reaction").await;
    let first = fixture.call(AddReaction::start, put_reaction("smiley")).await;
    let before = fixture.all_items().await;
    fixture.inject(CONTENDED);
    let second = fixture.call(AddReaction::start, put_reaction("smiley")).await;
    assert_eq!((first.status, second.status, &second.body), (201, 200, &first.body));
    assert_eq!(fixture.all_items().await, before);
}

/// Only the audit can tell which of the two is right.
#[tokio::test]
async fn an_engagement_without_its_reaction_is_no_success() {
    let fixture = Fixture::new("add-reaction").await;
    let engaged = |reactions| engagement("ben", "ada", "2024-05-30T15:42:38", reactions);
    fixture.put_in(FEED, engaged(&["smiley"])).await;
    let answer = fixture.call(AddReaction::start, put_reaction("smiley")).await;
    assert_eq!(answer.status, 503, "{}", answer.body);
    fixture.put_in(FEED, engaged(&[])).await;
    assert_eq!(fixture.call(AddReaction::start, put_reaction("smiley")).await.status, 201);
    assert_eq!(counts(&fixture).await["smiley"], 1);
}

#[tokio::test]
async fn a_throttled_transaction_is_replaced_like_one_that_conflicts() {
    let fixture = Fixture::new("add-reaction").await;
    let canceled = Fault::TransactionCanceled("ThrottlingError");
    for faults in [vec![canceled; 4], vec![Fault::Error("ProvisionedThroughputExceededException"); 5]] {
        fixture.inject(faults);
        assert_eq!(fixture.call(AddReaction::start, put_reaction("heart").by("ada")).await.status, 201);
        assert_eq!(counts(&fixture).await["heart"], 1);
        let reaction = Key::reaction(
            &"ada".parse().unwrap(),
            ReactionType::Heart,
            &"ada".parse().unwrap(),
            &"2024-05-30T15:42:38".parse().unwrap(),
        );
        assert_eq!(fixture.item(reaction.clone().sharded()).await["uncounted"], true);
        fixture.delete(reaction.sharded()).await;
        fixture.put_in(FEED, engagement("ada", "ada", "2024-05-30T15:42:38", &[])).await;
    }
}

#[tokio::test]
async fn an_uncounted_reaction_is_put_once_after_a_lost_answer() {
    let fixture = Fixture::new("add-reaction").await;
    fixture.inject(CONTENDED.into_iter().chain([Fault::None, Fault::AnswerLost]));
    assert_eq!(fixture.call(AddReaction::start, put_reaction("smiley")).await.status, 201);
}

#[tokio::test]
async fn an_uncounted_reaction_needs_a_ready_photo_and_a_caller_with_a_profile() {
    let fixture = Fixture::new("add-reaction").await;
    fixture.put(photo_deletion("ada", "2020-01-01T00:00:00", 1)).await;
    fixture.put(photo_with("ada", "2026-01-01T00:00:00", Picture::Pending)).await;
    let before = fixture.all_items().await;
    for (id, caller) in [
        ("2019-01-01T00:00:00", "ben"),
        ("2020-01-01T00:00:00", "ben"),
        ("2026-01-01T00:00:00", "ben"),
        ("2024-05-30T15:42:38", "nobody"),
    ] {
        fixture.inject(CONTENDED);
        let put = request("PUT", format!("/users/ada/photos/{id}/reactions/heart")).by(caller);
        assert_eq!(fixture.call(AddReaction::start, put).await.status, 404, "{id} {caller}");
    }
    assert_eq!(fixture.all_items().await, before);
}

/// The read may be out of date, so only a transaction says that there is no such photo.
#[tokio::test]
async fn a_photo_that_the_read_misses_is_asked_for_in_the_transaction() {
    let fixture = Fixture::new("add-reaction").await;
    fixture.put(photo_with("ada", "2026-01-01T00:00:00", Picture::Pending)).await;
    fixture.inject(CONTENDED);
    fixture.write_concurrently(5, vec![photo_with("ada", "2026-01-01T00:00:00", ready(b"file"))], vec![]);
    let put = request("PUT", "/users/ada/photos/2026-01-01T00:00:00/reactions/heart").by("ben");
    assert_eq!(fixture.call(AddReaction::start, put).await.status, 201);
    let photo = Key::photo(&"ada".parse().unwrap(), &"2026-01-01T00:00:00".parse().unwrap());
    assert_eq!(fixture.item(photo).await["reactions"]["heart"], 1);
}

#[tokio::test]
async fn refuses_other_accounts() {
    Fixture::new("add-reaction").await.refuses_other_accounts(AddReaction::start).await;
}

#[tokio::test]
async fn the_engagement_of_the_caller_has_counted_and_uncounted_reactions() {
    let fixture = Fixture::new("add-reaction").await;
    assert_eq!(fixture.call(AddReaction::start, put_reaction("smiley")).await.status, 201);
    fixture.inject(CONTENDED);
    assert_eq!(fixture.call(AddReaction::start, put_reaction("heart")).await.status, 201);
    assert_eq!(fixture.call(AddReaction::start, put_reaction("heart")).await.status, 200);
    let feeds = fixture.all_items_of(FEED).await;
    assert_eq!(feeds["Engagement#ben ada#2024-05-30T15:42:38"]["reactions"], json!(["heart", "smiley"]));
    assert_eq!(feeds["Engagement#cara ada#2024-05-30T15:42:38"]["reactions"], json!(["heart"]));
}

#[tokio::test]
async fn only_those_who_may_see_a_photo_can_react() {
    let fixture = Fixture::new("add-reaction").await;
    let types = ["heart", "smiley", "sunglasses", "+1"];
    fixture
        .depends_on_access(AddReaction::start, |number| {
            let reaction = types[number % types.len()];
            request("PUT", format!("/users/ada/photos/2024-05-30T15:42:38/reactions/{reaction}")).by("cara")
        })
        .await;
}

#[tokio::test]
async fn the_access_is_checked_with_at_most_one_more_request() {
    let fixture = Fixture::new("add-reaction").await;
    let photo = testing::photo("ada", "2024-05-30T15:42:38");
    fixture.put(testing::with(photo, "audience", "followers")).await;
    assert_eq!(fixture.call(AddReaction::start, put_reaction("heart")).await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);
    // The owner needs no access.
    let own = request("PUT", "/users/ada/photos/2024-05-30T15:42:38/reactions/heart").by("ada");
    assert_eq!(fixture.call(AddReaction::start, own).await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
}

#[tokio::test]
async fn an_uncounted_reaction_needs_access_too() {
    let fixture = Fixture::new("add-reaction").await;
    let photo = testing::photo("ada", "2024-05-30T15:42:38");
    fixture.put(testing::with(photo, "audience", "followers")).await;
    let before = fixture.all_items().await;
    fixture.inject(CONTENDED);
    let cara = request("PUT", "/users/ada/photos/2024-05-30T15:42:38/reactions/smiley").by("cara");
    assert_eq!(fixture.call(AddReaction::start, cara).await.status, 404);
    assert_eq!(fixture.all_items().await, before);
    fixture.inject(CONTENDED);
    assert_eq!(fixture.call(AddReaction::start, put_reaction("smiley")).await.status, 201);
}

#[tokio::test]
async fn a_process_that_has_met_a_hot_photo_goes_the_other_way_for_ten_seconds() {
    let fixture = Fixture::new("add-reaction").await;
    let process = fixture.service(AddReaction::start);
    fixture.inject(CONTENDED);
    assert_eq!(fixture.send(&process, put_reaction("smiley")).await.status, 201);
    assert_eq!(fixture.operations().len(), 6);
    assert_eq!(fixture.send(&process, put_reaction("heart")).await.status, 201);
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems"]);
    let other = request("PUT", "/users/ada/photos/2024-06-09T13:49:13/reactions/heart").by("ben");
    assert_eq!(fixture.send(&process, other).await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);

    testing::pass(Duration::from_secs(10)).await;
    assert_eq!(fixture.send(&process, put_reaction("sunglasses")).await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    assert_eq!(counts(&fixture).await, testing::counts(&[("heart", 1), ("sunglasses", 1)]));
}
