use super::*;
use serde_json::json;
use testing::{Fixture, friendship, request, user};

async fn find(table: Table, request: Request) -> Result<Response<FollowedUsers>, Error> {
    Box::pin(find_following(table, request, &testing::signer())).await
}

#[tokio::test]
async fn returns_the_followed_users() {
    let fixture = Fixture::new("find-following").await;
    let answer = fixture.call_with_sample_event(find).await;
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
        let answer = fixture.call(find, request("GET", format!("/users/{name}/following")).by("ada")).await;
        assert_eq!((answer.status, answer.body), (200, json!({"following": [], "nextCursor": null})));
    }
}

#[tokio::test]
async fn returns_every_followed_user_once_during_concurrent_writes() {
    let fixture = Fixture::new("find-following").await;
    fixture.put(friendship("cara", "ben")).await;
    fixture.put(friendship("dora", "ben")).await;
    let following = fixture
        .pages(find, "/users/ben/following", "following", async |fixture: &Fixture| {
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
    fixture.needs_a_caller(find, request("GET", "/users/ben/following")).await;
    fixture.refuses_bad_usernames(find, "username", |name| request("GET", format!("/users/{name}/following"))).await;
    fixture.refuses_bad_pages(find, "/users/ben/following").await;
}

#[tokio::test]
async fn includes_people_and_relations_by_one_more_request() {
    let fixture = Fixture::new("find-following").await;
    fixture.put(friendship("ada", "cara")).await;
    for (include, people, viewer) in [("people", true, false), ("viewer", false, true), ("people,viewer", true, true)] {
        let uri = format!("/users/ben/following?include={include}");
        let answer = fixture.call(find, request("GET", uri).by("cara")).await;
        let entry = &answer.body["following"][0];
        assert_eq!(entry["followedUser"], "ada");
        let follows = json!({"follows": true, "followsYou": false});
        assert_eq!(entry.get("viewer"), viewer.then_some(&follows), "{include}");
        assert_eq!(answer.body.get("people").is_some(), people, "{include}");
        if people {
            let card = &answer.body["people"]["ada"];
            assert!(card["name"].is_string() && card.get("email").is_none(), "{card}");
        }
        assert_eq!(fixture.operations().len(), 3, "one of them reads whether the user blocks the caller");
    }
    fixture.refuses_field(find, request("GET", "/users/ben/following?include=comments").by("cara"), "include").await;
}

#[tokio::test]
async fn a_page_with_people_and_relations_fits_into_one_batch() {
    let fixture = Fixture::new("find-following").await;
    for number in 0..40 {
        let name = format!("person{number:02}");
        fixture.put(user(&name)).await;
        fixture.put(friendship(&name, "ben")).await;
    }
    let answer =
        fixture.call(find, request("GET", "/users/ben/following?include=people,viewer&limit=100").by("cara")).await;
    assert_eq!(answer.body["following"].as_array().unwrap().len(), 33);
    assert!(answer.body["nextCursor"].is_string());
    assert_eq!(fixture.operations().len(), 3, "one of them reads whether the user blocks the caller");
}

#[tokio::test]
async fn the_list_of_a_user_who_blocks_the_caller_is_empty() {
    let fixture = Fixture::new("find-following").await;
    let list_of_ben = || request("GET", "/users/ben/following").by("cara");
    for (level, length) in [(shared::values::Level::Mute, 1), (shared::values::Level::Block, 0)] {
        fixture.put(testing::block("ben", "cara", level)).await;
        let answer = fixture.call(find, list_of_ben()).await;
        assert_eq!((answer.status, answer.body["following"].as_array().unwrap().len()), (200, length));
    }
}
