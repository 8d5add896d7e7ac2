use super::*;
use serde_json::json;
use shared::values::Level;
use testing::{Fixture, block, follow_request, friendship, request, user, with_count};

#[tokio::test]
async fn returns_the_blocks_and_mutes_of_the_caller() {
    let fixture = Fixture::new("list-blocks").await;
    fixture.put_all(vec![block("ben", "cara", Level::Mute), block("ben", "gone", Level::Block)]);
    fixture.put_all(vec![block("cara", "ben", Level::Block), follow_request("ben", "ada"), friendship("ben", "ada")]);
    let answer = fixture.call(ListBlocks::start, request("GET", "/users/ben/blocks").by("ben")).await;
    assert_eq!((answer.status, fixture.operations()), (200, vec!["Query".to_owned()]));
    let blocks = answer.body["blocks"].as_array().unwrap();
    let blocks: Vec<_> = blocks.iter().map(|block| (&block["username"], &block["level"])).collect();
    assert_eq!(blocks, [(&json!("cara"), &json!("mute")), (&json!("gone"), &json!("block"))]);
    assert!(answer.body["people"] == json!({}) && answer.body["nextCursor"].is_null());

    let with_people = request("GET", "/users/ben/blocks").by("ben").query("include", "people");
    let answer = fixture.call(ListBlocks::start, with_people).await;
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
    let people = answer.body["people"].as_object().unwrap();
    assert_eq!((people.len(), &people["cara"]["name"]), (1, &json!("Cara Lindqvist")));
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("list-blocks").await;
    fixture.put(block("uma", "ben", Level::Block)).await;
    let answer = fixture.call_with_sample_event(ListBlocks::start).await;
    assert_eq!((answer.status, &answer.body["blocks"][0]["username"]), (200, &json!("ben")));
}

#[tokio::test]
async fn returns_every_block_once_during_concurrent_writes() {
    let fixture = Fixture::new("list-blocks").await;
    fixture.put(user("dora")).await;
    for name in ["ada", "cara", "dora"] {
        fixture.put(block("ben", name, Level::Block)).await;
    }
    let mut names = vec![];
    let mut path = "/users/ben/blocks?limit=1".to_owned();
    loop {
        let page = fixture.call(ListBlocks::start, request("GET", path).by("ben")).await.body;
        let blocks = page["blocks"].as_array().unwrap().iter();
        names.extend(blocks.map(|one| one["username"].as_str().unwrap().to_owned()));
        // One before the page, and others that are not blocks of ben.
        fixture.put(block("ben", "aaron", Level::Mute)).await;
        fixture.put(block("benn", "dora", Level::Mute)).await;
        fixture.put(friendship("ben", "aaron")).await;
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        path = format!("/users/ben/blocks?limit=1&cursor={cursor}");
    }
    assert_eq!(names, ["ada", "cara", "dora"]);
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = Fixture::new("list-blocks").await;
    let list_of = |name: &str| request("GET", format!("/users/{name}/blocks")).by("ben");
    fixture.needs_a_caller(ListBlocks::start, list_of("ben")).await;
    fixture.refuses(ListBlocks::start, list_of("ada"), 403).await;
    fixture.refuses_bad_usernames(ListBlocks::start, "username", list_of).await;
    fixture.refuses_field(ListBlocks::start, list_of("ben").query("include", "viewer"), "include").await;
    fixture.refuses_field(ListBlocks::start, list_of("ben").query("limit", "0"), "limit").await;
    fixture.refuses_field(ListBlocks::start, list_of("ben").query("cursor", "x"), "cursor").await;
}

#[tokio::test]
async fn has_no_cards_of_people_who_block_the_caller() {
    let fixture = Fixture::new("list-blocks").await;
    fixture.put_all(vec![with_count(user("ada"), "blocks", 1), with_count(user("cara"), "blocks", 1)]);
    fixture.put_all(vec![block("ben", "ada", Level::Mute), block("ben", "cara", Level::Block)]);
    fixture.put_all(vec![block("ada", "ben", Level::Block), block("cara", "ben", Level::Mute)]);
    let answer = fixture.call(ListBlocks::start, request("GET", "/users/ben/blocks?include=people").by("ben")).await;
    assert_eq!(answer.body["blocks"].as_array().unwrap().len(), 2, "names stay");
    assert_eq!(answer.body["people"].as_object().unwrap().keys().collect::<Vec<_>>(), ["cara"]);
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem", "BatchGetItem"]);
}
