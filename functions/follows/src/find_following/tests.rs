use super::*;
use serde_json::json;
use shared::values::Level;
use testing::{Fixture, block, friendship, request, user, with_count};

#[tokio::test]
async fn returns_the_followed_users() {
    let fixture = Fixture::new("find-following").await;
    let answer = fixture.call_with_sample_event(FindFollowing::start).await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.body,
        json!({
            "following": [{"username": "ada", "timestamp": "2024-06-01T08:00:00Z"}], "people": {}, "nextCursor": null,
        })
    );
}

#[tokio::test]
async fn returns_an_empty_list_for_a_user_who_follows_nobody() {
    let fixture = Fixture::new("find-following").await;
    for name in ["ada", "nobody"] {
        let answer =
            fixture.call(FindFollowing::start, request("GET", format!("/users/{name}/following")).by("ada")).await;
        assert_eq!((answer.status, answer.body), (200, json!({"following": [], "people": {}, "nextCursor": null})));
    }
}

#[tokio::test]
async fn returns_every_followed_user_once_during_concurrent_writes() {
    let fixture = Fixture::new("find-following").await;
    fixture.put(friendship("cara", "ben")).await;
    fixture.put(friendship("dora", "ben")).await;
    let following = fixture
        .pages(FindFollowing::start, "/users/ben/following", "following", async |fixture: &Fixture| {
            fixture.put(friendship("aaron", "ben")).await;
            fixture.put(friendship("cleo", "benny")).await;
            fixture.put(friendship("cleo", "cara")).await;
        })
        .await;
    let names: Vec<_> = following.iter().map(|followed| followed["username"].as_str().unwrap()).collect();
    assert_eq!(names, ["ada", "cara", "dora"]);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("find-following").await;
    fixture.put(friendship("cara", "ben")).await;
    fixture.needs_a_caller(FindFollowing::start, request("GET", "/users/ben/following")).await;
    fixture
        .refuses_bad_usernames(FindFollowing::start, "username", |name| {
            request("GET", format!("/users/{name}/following"))
        })
        .await;
    fixture.refuses_bad_pages(FindFollowing::start, "/users/ben/following").await;
}

#[tokio::test]
async fn includes_people_and_relations_by_one_more_request() {
    let fixture = Fixture::new("find-following").await;
    fixture.put(friendship("ada", "cara")).await;
    for (include, people, viewer) in [("people", true, false), ("viewer", false, true), ("people,viewer", true, true)] {
        let uri = format!("/users/ben/following?include={include}");
        let answer = fixture.call(FindFollowing::start, request("GET", uri).by("cara")).await;
        let entry = &answer.body["following"][0];
        assert_eq!(entry["username"], "ada");
        let follows = json!({"follows": true, "followsYou": false});
        assert_eq!(entry.get("viewer"), viewer.then_some(&follows), "{include}");
        assert_eq!(answer.body["people"].get("ada").is_some(), people, "{include}");
        if people {
            let card = &answer.body["people"]["ada"];
            assert!(card["name"].is_string() && card.get("email").is_none(), "{card}");
        }
        assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
    }
    fixture
        .refuses_field(
            FindFollowing::start,
            request("GET", "/users/ben/following?include=comments").by("cara"),
            "include",
        )
        .await;
}

#[tokio::test]
async fn a_page_with_people_and_relations_fits_into_one_batch() {
    let fixture = Fixture::new("find-following").await;
    for number in 0..40 {
        let name = format!("person{number:02}");
        fixture.put(user(&name)).await;
        fixture.put(friendship(&name, "ben")).await;
    }
    let answer = fixture
        .call(FindFollowing::start, request("GET", "/users/ben/following?include=people,viewer&limit=100").by("cara"))
        .await;
    assert_eq!(answer.body["following"].as_array().unwrap().len(), 33);
    assert!(answer.body["nextCursor"].is_string());
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
}

#[tokio::test]
async fn the_list_of_a_user_who_blocks_the_caller_is_empty() {
    let fixture = Fixture::new("find-following").await;
    let list_of_ben = |query: &str| request("GET", format!("/users/ben/following{query}")).by("cara");
    for (level, length) in [(Level::Mute, 1), (Level::Block, 0)] {
        fixture.put(block("ben", "cara", level)).await;
        for query in ["", "?include=people", "?include=viewer", "?include=people,viewer"] {
            let answer = fixture.call(FindFollowing::start, list_of_ben(query)).await;
            assert_eq!((answer.status, answer.body["following"].as_array().unwrap().len()), (200, length), "{query}");
            let people = answer.body["people"].as_object().unwrap().len();
            assert_eq!(people, if query.contains("people") { length } else { 0 }, "{query}");
        }
    }
}

#[tokio::test]
async fn has_no_cards_of_people_who_block_the_caller_or_whom_the_caller_blocks() {
    let fixture = Fixture::new("find-following").await;
    fixture.put_all(vec![friendship("cara", "ben"), friendship("dora", "ben")]);
    fixture.put_all(vec![with_count(user("ada"), "blocks", 1), with_count(user("cara"), "blockedBy", 1), user("dora")]);
    fixture.put_all(vec![block("ada", "eve", Level::Block), block("eve", "cara", Level::Block)]);
    for (caller, cards) in [("eve", vec!["dora"]), ("ben", vec!["ada", "cara", "dora"])] {
        for include in ["people", "people,viewer"] {
            let uri = format!("/users/ben/following?include={include}");
            let answer = fixture.call(FindFollowing::start, request("GET", uri).by(caller)).await;
            assert_eq!(answer.body["people"].as_object().unwrap().keys().collect::<Vec<_>>(), cards, "{caller}");
            assert_eq!(answer.body["following"].as_array().unwrap().len(), 3, "names stay");
            assert_eq!(fixture.operations(), ["Query", "BatchGetItem", "BatchGetItem"]);
        }
    }
}
