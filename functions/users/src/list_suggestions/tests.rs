use super::*;
use serde_json::{Value, json};
use shared::entities::user_from_item;
use shared::values::Level;
use testing::{FEED, Fixture, approving_user, block, deletion, follow_request, friendship, request, user, with_count};

/// Puts users with their entries in the directory, by their numbers of followers.
async fn put(fixture: &Fixture, people: &[(&str, u64)]) {
    for (name, followers) in people {
        let item = with_count(user(name), "followers", *followers);
        list(fixture, &item).await;
        fixture.put(item).await;
    }
}

async fn list(fixture: &Fixture, item: &Item) {
    let user = user_from_item(item.clone()).unwrap().unwrap();
    for entry in Listing::new(&user.username, &user.name, user.followers).entries() {
        fixture.put_in(FEED, entry.item().unwrap()).await;
    }
}

async fn suggested(fixture: &Fixture, caller: &str) -> Vec<Value> {
    let answer = fixture.call(ListSuggestions::start, request("GET", "/users/me/suggestions").by(caller)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let users = answer.body["users"].as_array().unwrap();
    let names: Vec<Value> = users.iter().map(|user| user["username"].clone()).collect();
    assert_eq!(answer.body["people"].as_object().unwrap().len(), names.len());
    assert!(names.iter().all(|name| answer.body["people"][name.as_str().unwrap()]["name"].is_string()));
    names
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("list-suggestions").await;
    let answer = fixture.call_with_sample_event(ListSuggestions::start).await;
    assert_eq!((answer.status, &answer.headers["cache-control"]), (200, &"no-store".parse().unwrap()));
    assert_eq!((&answer.body["users"], &answer.body["nextCursor"]), (&json!([{"username": "ada"}]), &Value::Null));
    assert_eq!(answer.body["people"]["ada"]["name"], "Ada Marsh");
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
}

#[tokio::test]
async fn the_most_followed_come_first() {
    let fixture = Fixture::new("list-suggestions").await;
    put(&fixture, &[("m1", 9), ("m2", 1_000), ("m3", 99), ("m4", 0), ("m5", 5_000_000)]).await;
    assert_eq!(suggested(&fixture, "m3").await, ["m5", "m2", "ada", "m1"], "without those whom nobody follows");
    let page = request("GET", "/users/me/suggestions?include=viewer&limit=2").by("ben");
    let page = fixture.call(ListSuggestions::start, page).await.body;
    let viewer = json!({"follows": false, "followsYou": false});
    assert_eq!(page["users"], json!(["m5", "m2"].map(|name| json!({"username": name, "viewer": viewer}))));
    assert!(page["nextCursor"].is_string());
}

#[tokio::test]
async fn leaves_out_those_whom_the_caller_knows_or_keeps_away() {
    let fixture = Fixture::new("list-suggestions").await;
    let names = ["followed", "asked", "blocked", "muted", "blocking", "muting", "follower", "stranger"];
    put(&fixture, &names.map(|name| (name, 10))).await;
    put(&fixture, &[("caller", 10), ("other", 10)]).await;
    fixture.put(with_count(approving_user("asked", 0), "followers", 10)).await;
    fixture.put_all(vec![friendship("followed", "caller"), friendship("caller", "follower")]);
    fixture.put_all(vec![follow_request("asked", "caller"), block("caller", "blocked", Level::Block)]);
    fixture.put_all(vec![block("caller", "muted", Level::Mute), block("muting", "caller", Level::Mute)]);
    fixture.put(block("blocking", "caller", Level::Block)).await;
    let shown = ["follower", "muting", "other", "stranger", "ada"];
    for count in ["blocks", "mutes", "blockedBy"] {
        fixture.put(with_count(with_count(user("caller"), "followers", 10), count, 1)).await;
        assert_eq!(suggested(&fixture, "caller").await, shown, "{count}");
        assert_eq!(fixture.operations(), ["Query", "BatchGetItem", "BatchGetItem", "BatchGetItem"]);
    }
    let of_other = suggested(&fixture, "other").await;
    assert_eq!(of_other.len(), names.len() + 2, "{of_other:?}");
}

#[tokio::test]
async fn leaves_out_those_who_are_gone() {
    let fixture = Fixture::new("list-suggestions").await;
    put(&fixture, &[("zoe", 10), ("yve", 10), ("xen", 10)]).await;
    fixture.put(deletion("zoe")).await;
    fixture.delete(Key::user(&"yve".parse().unwrap())).await;
    // The entry of before, while the user is being moved.
    list(&fixture, &with_count(user("xen"), "followers", 9)).await;
    assert_eq!(suggested(&fixture, "ben").await, ["xen"]);
}

#[tokio::test]
async fn a_page_reads_on_past_those_whom_the_caller_follows() {
    let fixture = Fixture::new("list-suggestions").await;
    let names: Vec<String> = (0..12).map(|number| format!("p{number:02}")).collect();
    let people: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 10)).collect();
    put(&fixture, &people).await;
    fixture.put_all(names[..4].iter().map(|name| friendship(name, "ben")).collect());
    let page = request("GET", "/users/me/suggestions?limit=2").by("ben");
    let page = fixture.call(ListSuggestions::start, page).await.body;
    let shown: Vec<&Value> = page["users"].as_array().unwrap().iter().map(|user| &user["username"]).collect();
    assert_eq!(shown, ["p04", "p05"]);
    fixture.put_all(names[..8].iter().map(|name| friendship(name, "ben")).collect());
    let page =
        fixture.call(ListSuggestions::start, request("GET", "/users/me/suggestions?limit=2").by("ben")).await.body;
    assert!(page["users"].as_array().unwrap().is_empty() && page["nextCursor"].is_string(), "four rounds: {page}");
}

#[tokio::test]
async fn returns_everybody_once_during_concurrent_writes() {
    let fixture = Fixture::new("list-suggestions").await;
    put(&fixture, &[("d1", 10), ("d2", 10), ("d3", 10), ("d4", 5), ("d5", 5)]).await;
    let found = fixture
        .pages(ListSuggestions::start, "/users/ben/suggestions", "users", async |fixture: &Fixture| {
            put(fixture, &[("d0", 1_000), ("d9", 100)]).await;
        })
        .await;
    let names: Vec<&str> = found.iter().map(|person| person["username"].as_str().unwrap()).collect();
    assert_eq!(names, ["d1", "d2", "d3", "d4", "d5"]);
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = Fixture::new("list-suggestions").await;
    put(&fixture, &[("d1", 10), ("d2", 10), ("d3", 10)]).await;
    let list_of = |name: &str| request("GET", format!("/users/{name}/suggestions")).by("ben");
    fixture.needs_a_caller(ListSuggestions::start, list_of("ben")).await;
    fixture.refuses(ListSuggestions::start, list_of("ada"), 403).await;
    fixture.refuses_bad_usernames(ListSuggestions::start, "username", list_of).await;
    fixture.refuses_bad_pages(ListSuggestions::start, "/users/ben/suggestions").await;
    fixture.refuses_field(ListSuggestions::start, list_of("ben").query("include", "people"), "include").await;
}
