use super::*;
use aws_sdk_dynamodb::types::AttributeValue::{M, S};
use serde_json::json;
use shared::dynamodb::Item;
use shared::entities::Key;
use shared::values::Level;
use testing::{Fault, Fixture, block, deletion, friendship, request, user, with_count};

#[tokio::test]
async fn returns_the_profiles_of_the_followed_users() {
    let fixture = Fixture::new("find-and-enrich-following").await;
    let answer = fixture.call_with_sample_event(FindAndEnrichFollowing::start).await;
    assert_eq!(answer.status, 200);
    let profiles = answer.body["following"].as_array().unwrap();
    assert_eq!(profiles.len(), 1);
    assert_eq!(profiles[0]["username"], "ada");
    assert_eq!(profiles[0]["followers"], 1);
    assert!(profiles[0]["pinnedImage"]["id"].as_str().unwrap().starts_with("2024-"));
}

#[tokio::test]
async fn an_entry_has_what_the_list_of_followed_users_shows_and_its_card_is_in_people() {
    let fixture = Fixture::new("find-and-enrich-following").await;
    fixture.put(friendship("cara", "ben")).await;
    for (query, cards) in [("", vec![]), ("?include=people", vec!["ada", "cara"])] {
        let list = request("GET", format!("/users/ben/following/profiles{query}")).by("dora");
        let answer = fixture.call(FindAndEnrichFollowing::start, list).await;
        let times: Vec<_> = answer.body["following"].as_array().unwrap().iter().map(|one| &one["timestamp"]).collect();
        assert_eq!((times.len(), times[0]), (2, &json!("2024-06-01T08:00:00Z")));
        let people = answer.body["people"].as_object().unwrap();
        assert_eq!(people.keys().collect::<Vec<_>>(), cards, "{query}");
        assert!(people.values().all(|card| card["name"].is_string() && card.get("followers").is_none()));
        assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
    }
}

#[tokio::test]
async fn returns_private_fields_only_to_their_owner() {
    let fixture = Fixture::new("find-and-enrich-following").await;
    fixture.put(friendship("cara", "ben")).await;
    let answer =
        fixture.call(FindAndEnrichFollowing::start, request("GET", "/users/ben/following/profiles").by("ada")).await;
    let emails: Vec<_> = answer.body["following"].as_array().unwrap().iter().map(|p| p["email"].is_string()).collect();
    assert_eq!(emails, [true, false], "ada gets her own e-mail address and not that of cara: {}", answer.body);
}

#[tokio::test]
async fn keeps_the_order_of_the_query_and_leaves_out_deleted_users() {
    let fixture = Fixture::new("find-and-enrich-following").await;
    for name in ["zoe", "yan", "bob", "kim"] {
        fixture.put(user(name)).await;
        fixture.put(friendship(name, "ben")).await;
    }
    fixture.delete(Key::user(&"kim".parse().unwrap())).await;
    let answer =
        fixture.call(FindAndEnrichFollowing::start, request("GET", "/users/ben/following/profiles").by("ben")).await;
    let names: Vec<_> = answer.body["following"].as_array().unwrap().iter().map(|p| &p["username"]).collect();
    assert_eq!(names, ["ada", "bob", "yan", "zoe"]);
}

#[tokio::test]
async fn returns_up_to_99_profiles_on_a_page() {
    let fixture = Fixture::new("find-and-enrich-following").await;
    for number in 0..110 {
        let name = format!("u{number:03}");
        fixture.put(user(&name)).await;
        fixture.put(friendship(&name, "cara")).await;
    }
    let uri = "/users/cara/following/profiles?limit=100";
    let first = fixture.call(FindAndEnrichFollowing::start, request("GET", uri).by("ben")).await;
    assert_eq!(first.body["following"].as_array().unwrap().len(), 99);
    let cursor = first.body["nextCursor"].as_str().unwrap();
    let second =
        fixture.call(FindAndEnrichFollowing::start, request("GET", format!("{uri}&cursor={cursor}")).by("ben")).await;
    assert_eq!(second.body["following"].as_array().unwrap().len(), 11);
    assert_eq!(second.body["following"][0]["username"], "u099");
    assert_eq!(second.body["nextCursor"], json!(null));
}

#[tokio::test]
async fn a_page_ends_before_its_response_is_too_large() {
    let fixture = Fixture::new("find-and-enrich-following").await;
    // A quotation mark in `attributes` has four bytes in the response: `\\\"`.
    let attributes = Item::from([("text".to_owned(), S("\"".repeat(32_700)))]);
    let put = async |name: &str| {
        let mut user = user(name);
        user.insert("attributes".to_owned(), M(attributes.clone()));
        fixture.put(user).await;
        fixture.put(friendship(name, "cara")).await;
    };
    let mut names: Vec<String> = (0..60).map(|number| format!("u{number:02}")).collect();
    for name in &names {
        put(name).await;
    }
    let (mut pages, mut seen, mut cursor) = (0, vec![], String::new());
    loop {
        let uri = format!("/users/cara/following/profiles?limit=100{cursor}");
        let page = fixture.call(FindAndEnrichFollowing::start, request("GET", uri).by("ben")).await.body;
        assert!(json!({"body": page.to_string()}).to_string().len() < 6_000_000);
        let profiles = page["following"].as_array().unwrap();
        seen.extend(profiles.iter().map(|profile| profile["username"].as_str().unwrap().to_owned()));
        pages += 1;
        let Some(next) = page["nextCursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
        // Concurrent writes: one user before and one after the end of the page, and the first user
        // who was left out.
        put("u00a").await;
        put("u58a").await;
        fixture.delete(Key::user(&format!("u{:02}", seen.len()).parse().unwrap())).await;
    }
    names.remove(40);
    names.insert(58, "u58a".to_owned());
    assert_eq!((pages, seen.len(), seen), (2, 60, names));
}

#[tokio::test]
async fn reads_no_profiles_for_a_user_who_follows_nobody() {
    let fixture = Fixture::new("find-and-enrich-following").await;
    let answer =
        fixture.call(FindAndEnrichFollowing::start, request("GET", "/users/ada/following/profiles").by("ada")).await;
    assert_eq!((answer.status, answer.body), (200, json!({"following": [], "people": {}, "nextCursor": null})));
    assert_eq!(fixture.operations(), ["Query"]);
}

#[tokio::test]
async fn requests_unprocessed_keys_again() {
    let fixture = Fixture::new("find-and-enrich-following").await;
    fixture.inject([Fault::None, Fault::Unprocessed]);
    let answer =
        fixture.call(FindAndEnrichFollowing::start, request("GET", "/users/ben/following/profiles").by("ben")).await;
    assert_eq!(answer.body["following"][0]["username"], "ada");
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem", "BatchGetItem"]);
}

#[tokio::test]
async fn returns_every_profile_once_during_concurrent_writes() {
    let fixture = Fixture::new("find-and-enrich-following").await;
    fixture.put(friendship("cara", "ben")).await;
    let profiles = fixture
        .pages(
            FindAndEnrichFollowing::start,
            "/users/ben/following/profiles",
            "following",
            async |fixture: &Fixture| {
                fixture.put(user("aaron")).await;
                fixture.put(friendship("aaron", "ben")).await;
                fixture.put(friendship("ada", "benny")).await;
            },
        )
        .await;
    let names: Vec<_> = profiles.iter().map(|profile| profile["username"].as_str().unwrap()).collect();
    assert_eq!(names, ["ada", "cara"]);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("find-and-enrich-following").await;
    fixture.put(friendship("cara", "ben")).await;
    fixture.needs_a_caller(FindAndEnrichFollowing::start, request("GET", "/users/ben/following/profiles")).await;
    fixture
        .refuses_bad_usernames(FindAndEnrichFollowing::start, "username", |name| {
            request("GET", format!("/users/{name}/following/profiles"))
        })
        .await;
    fixture.refuses_bad_pages(FindAndEnrichFollowing::start, "/users/ben/following/profiles").await;
}

#[tokio::test]
async fn leaves_out_users_who_are_being_deleted() {
    let fixture = Fixture::new("find-and-enrich-following").await;
    fixture.put(friendship("cara", "ben")).await;
    fixture.put(deletion("ada")).await;
    let answer =
        fixture.call(FindAndEnrichFollowing::start, request("GET", "/users/ben/following/profiles").by("ben")).await;
    let names: Vec<_> = answer.body["following"].as_array().unwrap().iter().map(|p| &p["username"]).collect();
    assert_eq!(names, ["cara"]);
}

#[tokio::test]
async fn returns_503_when_keys_stay_unprocessed() {
    let fixture = Fixture::new("find-and-enrich-following").await;
    fixture.inject([&[Fault::None][..], &[Fault::Unprocessed; 7]].concat());
    let answer =
        fixture.call(FindAndEnrichFollowing::start, request("GET", "/users/ben/following/profiles").by("ben")).await;
    assert_eq!(answer.status, 503);
}

#[tokio::test]
async fn includes_relations_in_the_same_request() {
    let fixture = Fixture::new("find-and-enrich-following").await;
    fixture.put(friendship("cara", "ada")).await;
    let answer = fixture
        .call(FindAndEnrichFollowing::start, request("GET", "/users/ben/following/profiles?include=viewer").by("cara"))
        .await;
    let ada = &answer.body["following"][0];
    assert_eq!((&ada["username"], &ada["viewer"]), (&json!("ada"), &json!({"follows": false, "followsYou": true})));
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
}

#[tokio::test]
async fn the_list_of_a_user_who_blocks_the_caller_is_empty() {
    let fixture = Fixture::new("find-and-enrich-following").await;
    let list_of_ben = || request("GET", "/users/ben/following/profiles").by("cara");
    for (level, length) in [(Level::Mute, 1), (Level::Block, 0)] {
        fixture.put(block("ben", "cara", level)).await;
        let answer = fixture.call(FindAndEnrichFollowing::start, list_of_ben()).await;
        assert_eq!((answer.status, answer.body["following"].as_array().unwrap().len()), (200, length));
    }
}

#[tokio::test]
async fn leaves_out_people_who_block_the_caller_or_whom_the_caller_blocks() {
    let fixture = Fixture::new("find-and-enrich-following").await;
    fixture.put_all(vec![friendship("cara", "ben"), friendship("dora", "ben")]);
    fixture.put_all(vec![with_count(user("ada"), "blocks", 1), with_count(user("cara"), "blockedBy", 1), user("dora")]);
    fixture.put_all(vec![block("ada", "eve", Level::Block), block("eve", "cara", Level::Block)]);
    for (caller, expected) in [("eve", vec!["dora"]), ("ben", vec!["ada", "cara", "dora"])] {
        let answer = fixture
            .call(FindAndEnrichFollowing::start, request("GET", "/users/ben/following/profiles").by(caller))
            .await;
        let names: Vec<_> = answer.body["following"].as_array().unwrap().iter().map(|one| &one["username"]).collect();
        assert_eq!(names, expected, "{caller}");
        assert_eq!(fixture.operations(), ["Query", "BatchGetItem", "BatchGetItem"]);
    }
}
