use super::*;
use crate::samples::{decisions, hidden_key};
use serde_json::{Value, json};
use testing::{Fault, Fixture, TestRequest, request};

fn decide(tag: &str, body: &Value) -> TestRequest {
    request("PUT", format!("/tags/{tag}/decision")).by("mona").of_group("moderators").json(body)
}

#[tokio::test]
async fn answers_the_sample_event_and_hides_the_hashtag() {
    let fixture = Fixture::new("decide-hashtag").await;
    let answer = fixture.call_with_sample_event(DecideHashtag::start).await;
    assert_eq!((answer.status, fixture.operations()), (204, vec!["TransactWriteItems".to_owned()]));
    let items = fixture.all_items().await;
    let hidden = &items[&hidden_key("selfie")];
    let decided = decisions(&items, "selfie").remove(0);
    assert_eq!((&hidden["hashtag"], &hidden["timestamp"]), (&json!("selfie"), &decided["timestamp"]));
    assert_eq!((&decided["decision"], &decided["moderator"]), (&json!("hide"), &json!("ada")));
}

#[tokio::test]
async fn each_decision_is_kept_and_a_repetition_is_none() {
    let fixture = Fixture::new("decide-hashtag").await;
    let before = fixture.all_items().await;
    let mut kinds = vec![];
    for (tag, kind) in [("caf~C3~A9", "hide"), ("CAFE", "hide"), ("cafe", "show"), ("cafe", "show"), ("cafe", "hide")] {
        if kinds.last() != Some(&kind) {
            kinds.push(kind);
        }
        let note = format!("To {kind} it");
        let answer = fixture.call(DecideHashtag::start, decide(tag, &json!({"decision": kind, "note": note}))).await;
        assert_eq!(answer.status, 204);
        let items = fixture.all_items().await;
        assert_eq!(items.contains_key(&hidden_key("cafe")), kind == "hide");
        let decided = decisions(&items, "cafe");
        let said = |name: &str| decided.iter().map(|one| one[name].as_str().unwrap().to_owned()).collect::<Vec<_>>();
        assert_eq!(
            (said("decision"), said("note").last()),
            (kinds.iter().map(ToString::to_string).collect(), Some(&note))
        );
        let time = |one: &Value| one["timestamp"].as_str().unwrap().parse::<Timestamp>().unwrap();
        assert!(decided.iter().all(|one| one["ttl"] == Decision::expiry(&time(one))));
    }
    assert_eq!(fixture.all_items().await.len(), before.len() + kinds.len() + 1);
}

#[tokio::test]
async fn the_answer_to_a_decision_may_get_lost() {
    let fixture = Fixture::new("decide-hashtag").await;
    fixture.inject([Fault::AnswerLost]);
    assert_eq!(fixture.call(DecideHashtag::start, decide("dawn", &json!({"decision": "hide"}))).await.status, 204);
    assert_eq!(decisions(&fixture.all_items().await, "dawn").len(), 1);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("decide-hashtag").await;
    let hide = json!({"decision": "hide"});
    fixture.needs_a_caller(DecideHashtag::start, decide("dawn", &hide)).await;
    fixture.refuses_bad_bodies(DecideHashtag::start, decide("dawn", &hide)).await;
    for tag in ["1", "a-b", "~23a", "a~20b", "a.b", &"a".repeat(51)] {
        fixture.refuses_field(DecideHashtag::start, decide(tag, &hide), "tag").await;
    }
    for (body, field) in [
        (json!({}), "decision"),
        (json!({"decision": "remove"}), "decision"),
        (json!({"decision": "hide", "note": 5}), "note"),
        (json!({"decision": "hide", "note": "a".repeat(1001)}), "note"),
    ] {
        fixture.refuses_field(DecideHashtag::start, decide("dawn", &body), field).await;
    }
    let by_ada = || request("PUT", "/tags/dawn/decision").by("ada").json(&hide);
    for request in [by_ada(), by_ada().of_group("editors")] {
        fixture.refuses(DecideHashtag::start, request, 403).await;
    }
}
