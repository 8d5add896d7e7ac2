use super::*;
use serde_json::{Value, json};
use testing::{FEED, Fault, Fixture, deletion, request};

const TIME: &str = "2024-06-10T08:30:00.000Z";

fn seen(user: &str, until: &Value) -> testing::TestRequest {
    request("PUT", format!("/users/{user}/notifications/seen")).by(user).json(&json!({ "until": until }))
}

async fn stored(fixture: &Fixture, user: &str) -> Value {
    let mut items = fixture.all_items_of(FEED).await;
    items.remove(&format!("Inbox#{user} SEEN")).map_or(Value::Null, |mut item| item["seen"].take())
}

#[tokio::test]
async fn notes_the_latest_time_of_each_user() {
    let fixture = Fixture::new("see-notifications").await;
    for (time, until) in [
        (TIME, TIME),
        (TIME, TIME),
        ("2024-06-09T08:30:00Z", TIME),
        ("2024-06-10T08:30:00.001Z", "2024-06-10T08:30:00.001Z"),
    ] {
        let answer = fixture.call(SeeNotifications::start, seen("ada", &json!(time))).await;
        assert_eq!((answer.status, answer.body), (200, json!({ "until": until })), "{time}");
        assert_eq!(fixture.operations(), ["TransactWriteItems"]);
        assert_eq!(stored(&fixture, "ada").await, until);
    }
    assert_eq!(fixture.call(SeeNotifications::start, seen("ben", &json!("2024-06-03T00:00:00Z"))).await.status, 200);
    assert_eq!(
        (stored(&fixture, "ben").await, stored(&fixture, "cara").await),
        (json!("2024-06-03T00:00:00"), Value::Null)
    );
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("see-notifications").await;
    let answer = fixture.call_with_sample_event(SeeNotifications::start).await;
    assert_eq!((answer.status, answer.body), (200, json!({ "until": TIME })));
}

#[tokio::test]
async fn a_lost_answer_changes_nothing() {
    let fixture = Fixture::new("see-notifications").await;
    fixture.inject([Fault::AnswerLost]);
    assert_eq!(fixture.call(SeeNotifications::start, seen("ada", &json!(TIME))).await.status, 200);
    assert_eq!(stored(&fixture, "ada").await, TIME);
}

#[tokio::test]
async fn refuses_a_user_who_does_not_exist_and_another_account() {
    let fixture = Fixture::new("see-notifications").await;
    fixture.put(deletion("emil")).await;
    for user in ["dora", "emil"] {
        assert_eq!(fixture.call(SeeNotifications::start, seen(user, &json!(TIME))).await.status, 404, "{user}");
        assert_eq!(stored(&fixture, user).await, Value::Null);
    }
    fixture.put(testing::with(testing::user("dora"), "subject", "another")).await;
    assert_eq!(fixture.call(SeeNotifications::start, seen("dora", &json!(TIME))).await.status, 403);
    assert_eq!(stored(&fixture, "dora").await, Value::Null);
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = Fixture::new("see-notifications").await;
    let good = |user: &str| {
        request("PUT", format!("/users/{user}/notifications/seen")).by("ada").json(&json!({"until": TIME}))
    };
    fixture.needs_a_caller(SeeNotifications::start, good("ada")).await;
    fixture.refuses(SeeNotifications::start, good("ben"), 403).await;
    fixture.refuses_bad_usernames(SeeNotifications::start, "username", good).await;
    for bad in [json!(null), json!("today"), json!(5), json!("2999-01-01T00:00:00Z"), json!("2024-06-09T08:30:00")] {
        fixture.refuses_field(SeeNotifications::start, seen("ada", &bad), "until").await;
    }
    let unknown = request("PUT", "/users/ada/notifications/seen").by("ada").json(&json!({"until": TIME, "all": true}));
    fixture.refuses_field(SeeNotifications::start, unknown, "all").await;
    let empty = request("PUT", "/users/ada/notifications/seen").by("ada");
    fixture.refuses_bad_bodies(SeeNotifications::start, empty).await;
}
