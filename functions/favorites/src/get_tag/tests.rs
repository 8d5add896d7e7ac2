use super::*;
use serde_json::json;
use testing::{Fixture, TestRequest, request};

fn get(username: &str, tag_id: &str) -> TestRequest {
    request("GET", format!("/users/{username}/tags/{tag_id}")).by(username)
}

#[tokio::test]
async fn returns_all_fields_and_no_key() {
    let fixture = Fixture::new("get-tag").await;
    let answer = fixture.call_with_sample_event(GetTag::start).await;
    assert_eq!(answer.status, 200);
    let (created, accessed) = ("2024-06-01T00:10:00.000Z", "2024-06-07T06:00:00.000Z");
    assert_eq!(
        answer.body,
        json!({"tagId": "travel", "tagName": "Travel", "createTime": created, "lastAccessTime": accessed})
    );
}

#[tokio::test]
async fn returns_the_tag_of_the_user_in_the_path() {
    let fixture = Fixture::new("get-tag").await;
    assert_eq!(fixture.call(GetTag::start, get("ben", "work")).await.body["tagName"], "work");
    assert_eq!(fixture.call(GetTag::start, get("ada", "family")).await.body["tagName"], "Семья");
}

#[tokio::test]
async fn returns_404_for_an_unknown_tag() {
    let fixture = Fixture::new("get-tag").await;
    for (username, tag_id) in [("ada", "nothing"), ("ada", "work"), ("nobody", "travel")] {
        let answer = fixture.call(GetTag::start, get(username, tag_id)).await;
        assert_eq!(answer.status, 404, "{username} {tag_id}");
        assert_eq!(answer.body["hint"], format!("There is no tag {tag_id}."));
    }
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("get-tag").await;
    fixture.needs_a_caller(GetTag::start, get("ada", "travel")).await;
    fixture.refuses_other_users(GetTag::start, get("ada", "travel")).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("get-tag").await;
    fixture
        .refuses_bad_usernames(GetTag::start, "username", |name| request("GET", format!("/users/{name}/tags/travel")))
        .await;
    fixture.refuses_bad_ids(GetTag::start, "tagId", |id| request("GET", format!("/users/ben/tags/{id}"))).await;
}
