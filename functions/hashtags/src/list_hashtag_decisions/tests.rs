use super::*;
use crate::samples::{decision, hide};
use serde_json::json;
use testing::{Fixture, TestRequest, request};

fn list(tag: &str) -> TestRequest {
    request("GET", format!("/tags/{tag}/decisions")).by("mona").of_group("moderators")
}

#[tokio::test]
async fn answers_the_sample_event_with_the_history() {
    let fixture = Fixture::new("list-hashtag-decisions").await;
    hide(&fixture, "followback").await;
    hide(&fixture, "dawn").await;
    for (kind, time) in [("hide", "2026-07-16T08:30:00.000Z"), ("show", "2026-07-17T08:30:00.000Z")] {
        fixture.put(decision("followback", kind, "mona", time)).await;
        fixture.put(decision("followback2", kind, "cara", time)).await;
    }
    fixture.put(decision("followback", "hide", "mona", "2024-07-16T08:30:00.000Z")).await;
    let answer = fixture.call_with_sample_event(ListHashtagDecisions::start).await;
    assert_eq!((answer.status, fixture.operations()), (200, vec!["Query".to_owned()]));
    let shown = |decision: &str, time: &str| json!({"decision": decision, "moderator": "mona", "timestamp": time});
    let expected = [shown("show", "2026-07-17T08:30:00.000Z"), shown("hide", "2026-07-16T08:30:00.000Z")];
    assert_eq!(answer.body, json!({"hidden": true, "decisions": expected}));
}

#[tokio::test]
async fn a_hashtag_without_decisions_is_not_hidden() {
    let fixture = Fixture::new("list-hashtag-decisions").await;
    let answer = fixture.call(ListHashtagDecisions::start, list("dawn")).await;
    assert_eq!(answer.body, json!({"hidden": false, "decisions": []}));
}

#[tokio::test]
async fn shows_the_newest_hundred() {
    let fixture = Fixture::new("list-hashtag-decisions").await;
    for minute in 0..102 {
        let time = format!("2026-07-16T{:02}:{:02}:00.000Z", minute / 60, minute % 60);
        fixture.put(decision("dawn", if minute % 2 == 0 { "hide" } else { "show" }, "mona", &time)).await;
    }
    for is_hidden in [false, true] {
        if is_hidden {
            hide(&fixture, "dawn").await;
        }
        let answer = fixture.call(ListHashtagDecisions::start, list("dawn")).await.body;
        let decisions = answer["decisions"].as_array().unwrap().clone();
        assert_eq!((&answer["hidden"], decisions.len()), (&json!(is_hidden), 100));
        assert_eq!(decisions[0]["timestamp"], "2026-07-16T01:41:00.000Z");
    }
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("list-hashtag-decisions").await;
    fixture.needs_a_caller(ListHashtagDecisions::start, list("dawn")).await;
    for tag in ["1", "a-b", "~23a"] {
        fixture.refuses_field(ListHashtagDecisions::start, list(tag), "tag").await;
    }
    fixture.refuses(ListHashtagDecisions::start, request("GET", "/tags/dawn/decisions").by("ada"), 403).await;
}
