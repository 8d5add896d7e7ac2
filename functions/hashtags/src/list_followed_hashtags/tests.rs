use super::*;
use crate::samples::{follow, hide};
use serde_json::json;
use testing::{Fixture, request};

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("list-followed-hashtags").await;
    follow(&fixture, "cara", &["selfie", "coffee"]).await;
    let answer = fixture.call_with_sample_event(ListFollowedHashtags::start).await;
    assert_eq!((answer.status, answer.body), (200, json!({"hashtags": ["coffee", "selfie"]})));
    assert_eq!(fixture.operations(), ["GetItem"]);
}

#[tokio::test]
async fn returns_the_hashtags_of_the_caller_by_name() {
    let fixture = Fixture::new("list-followed-hashtags").await;
    follow(&fixture, "ada", &["dusk", "cafe", "dawn"]).await;
    follow(&fixture, "ben", &["noon"]).await;
    // Who follows a hashtag does not learn that it is hidden.
    hide(&fixture, "dawn").await;
    for (user, expected) in [("ada", json!(["cafe", "dawn", "dusk"])), ("ben", json!(["noon"])), ("cara", json!([]))] {
        let list = request("GET", "/users/me/hashtags").by(user);
        let answer = fixture.call(ListFollowedHashtags::start, list).await;
        assert_eq!((answer.status, answer.body), (200, json!({ "hashtags": expected })), "{user}");
    }
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = Fixture::new("list-followed-hashtags").await;
    let good = |user: &str| request("GET", format!("/users/{user}/hashtags")).by("ada");
    fixture.needs_a_caller(ListFollowedHashtags::start, good("ada")).await;
    fixture.refuses_other_users(ListFollowedHashtags::start, good("ada")).await;
    fixture.refuses_bad_usernames(ListFollowedHashtags::start, "username", good).await;
}
