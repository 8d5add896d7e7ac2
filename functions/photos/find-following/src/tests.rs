use super::*;
use serde_json::json;
use testing::{Fixture, friendship, request};

#[tokio::test]
async fn returns_the_followed_users() {
    let fixture = Fixture::new("find-following").await;
    let answer = fixture.call_with_sample_event(find_following).await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.body,
        json!({"following": [{"followedUser": "ada", "timestamp": "2024-06-01T08:00:00"}], "nextCursor": null})
    );
}

#[tokio::test]
async fn returns_an_empty_list_for_a_user_who_follows_nobody() {
    let fixture = Fixture::new("find-following").await;
    for name in ["ada", "nobody"] {
        let answer = fixture.call(find_following, request("GET", format!("/users/{name}/following")).by("ada")).await;
        assert_eq!((answer.status, answer.body), (200, json!({"following": [], "nextCursor": null})));
    }
}

#[tokio::test]
async fn returns_every_followed_user_once_during_concurrent_writes() {
    let fixture = Fixture::new("find-following").await;
    fixture.put(friendship("cara", "ben")).await;
    fixture.put(friendship("dora", "ben")).await;
    let following = fixture
        .pages(find_following, "/users/ben/following", "following", async |fixture: &Fixture| {
            fixture.put(friendship("aaron", "ben")).await;
            fixture.put(friendship("cleo", "benny")).await;
            fixture.put(friendship("cleo", "cara")).await;
        })
        .await;
    let names: Vec<_> = following.iter().map(|followed| followed["followedUser"].as_str().unwrap()).collect();
    assert_eq!(names, ["ada", "cara", "dora"]);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("find-following").await;
    fixture.put(friendship("cara", "ben")).await;
    fixture.needs_a_caller(find_following, request("GET", "/users/ben/following")).await;
    fixture
        .refuses_bad_usernames(find_following, "username", |name| request("GET", format!("/users/{name}/following")))
        .await;
    fixture.refuses_bad_pages(find_following, "/users/ben/following").await;
}
