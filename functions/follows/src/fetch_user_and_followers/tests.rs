use super::*;
use serde_json::json;
use shared::values::Level;
use testing::{Fixture, block, deletion, friendship, request, user, with_count};

#[tokio::test]
async fn returns_the_user_and_their_followers() {
    let fixture = Fixture::new("fetch-user-and-followers").await;
    let answer = fixture.call_with_sample_event(FetchUserAndFollowers::start).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body["user"]["username"], "ada");
    assert!(answer.body["user"].get("email").is_none(), "the caller is not ada");
    assert_eq!(answer.body["followers"], json!([{"username": "ben", "timestamp": "2024-06-01T08:00:00Z"}]));
    assert_eq!(answer.body["nextCursor"], json!(null));
}

#[tokio::test]
async fn returns_a_user_without_followers() {
    let fixture = Fixture::new("fetch-user-and-followers").await;
    let answer = fixture.call(FetchUserAndFollowers::start, request("GET", "/users/ben/followers").by("ben")).await;
    assert!(answer.body["user"]["email"].is_string());
    assert_eq!(answer.body["followers"], json!([]));
}

#[tokio::test]
async fn returns_every_follower_once_during_concurrent_writes() {
    let fixture = Fixture::new("fetch-user-and-followers").await;
    fixture.put(friendship("ada", "cara")).await;
    fixture.put(friendship("ada", "dora")).await;
    let followers = fixture
        .pages(FetchUserAndFollowers::start, "/users/ada/followers", "followers", async |fixture: &Fixture| {
            fixture.put(friendship("ada", "zoe")).await;
            fixture.put(friendship("adam", "bob")).await;
            fixture.put(friendship("ben", "bob")).await;
        })
        .await;
    let names: Vec<_> = followers.iter().map(|follower| follower["username"].as_str().unwrap()).collect();
    assert_eq!(names, ["dora", "cara", "ben"]);
}

#[tokio::test]
async fn returns_the_user_on_the_first_page_only() {
    let fixture = Fixture::new("fetch-user-and-followers").await;
    fixture.put(friendship("ada", "cara")).await;
    let uri = "/users/ada/followers?limit=1";
    let first = fixture.call(FetchUserAndFollowers::start, request("GET", uri).by("ben")).await;
    assert_eq!(first.body["user"]["username"], "ada");
    let cursor = first.body["nextCursor"].as_str().unwrap();
    let second =
        fixture.call(FetchUserAndFollowers::start, request("GET", format!("{uri}&cursor={cursor}")).by("ben")).await;
    assert!(second.body.get("user").is_none());
    assert_eq!(second.body["followers"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn returns_404_for_an_unknown_or_deleted_user() {
    let fixture = Fixture::new("fetch-user-and-followers").await;
    fixture.put(friendship("ghost", "ada")).await;
    fixture.put(user("ghostly")).await;
    fixture.put(deletion("ada")).await;
    for name in ["nobody", "ghost", "ada"] {
        let uri = format!("/users/{name}/followers");
        let answer = fixture.call(FetchUserAndFollowers::start, request("GET", uri).by("ada")).await;
        assert_eq!((answer.status, answer.problem()), (404, if name == "ada" { "no-profile" } else { "no-user" }));
    }
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("fetch-user-and-followers").await;
    fixture.put(friendship("ada", "cara")).await;
    fixture.needs_a_caller(FetchUserAndFollowers::start, request("GET", "/users/ada/followers")).await;
    fixture
        .refuses_bad_usernames(FetchUserAndFollowers::start, "username", |name| {
            request("GET", format!("/users/{name}/followers"))
        })
        .await;
    fixture.refuses_bad_pages(FetchUserAndFollowers::start, "/users/ada/followers").await;
}

#[tokio::test]
async fn includes_people_and_relations_by_one_more_request() {
    let fixture = Fixture::new("fetch-user-and-followers").await;
    fixture.put(friendship("ben", "cara")).await;
    for (include, people, viewer) in [("people", true, false), ("viewer", false, true), ("people,viewer", true, true)] {
        let uri = format!("/users/ada/followers?include={include}");
        let answer = fixture.call(FetchUserAndFollowers::start, request("GET", uri).by("cara")).await;
        let entry = &answer.body["followers"][0];
        assert_eq!(entry["username"], "ben");
        let follows = json!({"follows": true, "followsYou": false});
        assert_eq!(entry.get("viewer"), viewer.then_some(&follows), "{include}");
        assert_eq!(answer.body["people"].get("ben").is_some(), people, "{include}");
        if people {
            let card = &answer.body["people"]["ben"];
            assert!(card["name"].is_string() && card.get("email").is_none(), "{card}");
        }
        assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
    }
    fixture
        .refuses_field(
            FetchUserAndFollowers::start,
            request("GET", "/users/ada/followers?include=comments").by("cara"),
            "include",
        )
        .await;
}

#[tokio::test]
async fn a_page_with_people_and_relations_fits_into_one_batch() {
    let fixture = Fixture::new("fetch-user-and-followers").await;
    for number in 0..40 {
        let name = format!("person{number:02}");
        fixture.put(user(&name)).await;
        fixture.put(friendship("ada", &name)).await;
    }
    let answer = fixture
        .call(
            FetchUserAndFollowers::start,
            request("GET", "/users/ada/followers?include=people,viewer&limit=100").by("cara"),
        )
        .await;
    assert_eq!(answer.body["followers"].as_array().unwrap().len(), 33);
    assert!(answer.body["nextCursor"].is_string());
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
}

#[tokio::test]
async fn a_user_who_blocks_the_caller_is_unknown_to_them() {
    let fixture = Fixture::new("fetch-user-and-followers").await;
    fixture.put(friendship("ada", "cara")).await;
    let followers = |query: &str| request("GET", format!("/users/ada/followers?limit=1{query}")).by("ben");
    let first = fixture.call(FetchUserAndFollowers::start, followers("")).await;
    let cursor = format!("&cursor={}", first.body["nextCursor"].as_str().unwrap());
    fixture.put(with_count(user("ada"), "blocks", 1)).await;
    fixture.put(block("ada", "ben", Level::Block)).await;
    for query in ["", "&include=people", &cursor] {
        let answer = fixture.call(FetchUserAndFollowers::start, followers(query)).await;
        assert_eq!((answer.status, &answer.body["detail"]), (404, &json!("There is no user ada.")), "{query}");
    }
}

#[tokio::test]
async fn has_no_cards_of_people_who_block_the_caller_or_whom_the_caller_blocks() {
    let fixture = Fixture::new("fetch-user-and-followers").await;
    fixture.put_all(vec![friendship("ada", "cara"), friendship("ada", "dora")]);
    fixture.put_all(vec![with_count(user("ben"), "blocks", 1), with_count(user("cara"), "blockedBy", 1), user("dora")]);
    fixture.put_all(vec![block("ben", "eve", Level::Block), block("eve", "cara", Level::Block)]);
    for (caller, cards) in [("eve", vec!["dora"]), ("ada", vec!["ben", "cara", "dora"])] {
        for include in ["people", "people,viewer"] {
            let uri = format!("/users/ada/followers?include={include}");
            let answer = fixture.call(FetchUserAndFollowers::start, request("GET", uri).by(caller)).await;
            assert_eq!(answer.body["people"].as_object().unwrap().keys().collect::<Vec<_>>(), cards, "{caller}");
            assert_eq!(answer.body["followers"].as_array().unwrap().len(), 3, "names stay");
            assert_eq!(fixture.operations(), ["Query", "BatchGetItem", "BatchGetItem"]);
        }
    }
}
