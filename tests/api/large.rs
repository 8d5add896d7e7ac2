//! Pages of the largest entries that the documented limits allow. An answer of Lambda has at most 6
//! MB.

use aws_sdk_dynamodb::types::AttributeValue::{self, L, Null, S};
use local::sample;
use serde_json::json;

use crate::api::Api;

/// Reads the list at `uri` with all pages, and returns the number of pages and the names of the
/// entries.
async fn read_all(api: &Api, uri: &str, list: &str, name: &str) -> (usize, Vec<String>) {
    let (mut pages, mut names, mut cursor) = (0, vec![], String::new());
    loop {
        let page = api.get("ben", &format!("{uri}?limit=100{cursor}")).await;
        pages += 1;
        names.extend(page[list].as_array().unwrap().iter().map(|entry| entry[name].as_str().unwrap().to_owned()));
        let Some(next) = page["nextCursor"].as_str() else { return (pages, names) };
        cursor = format!("&cursor={next}");
    }
}

/// Imports three songs of an artist, each with this attribute, and reads all of them. put-song would
/// give up on a machine that does much else, because the engine takes such an item slowly.
async fn three_songs(attribute: &AttributeValue) -> usize {
    let api = Api::start().await;
    let song = |title: &str| {
        let key = [("Artist", "Duo"), ("SongTitle", title)].map(|(name, text)| (name, S(text.to_owned())));
        key.into_iter().chain([("Large", attribute.clone())]).map(|(name, value)| (name.to_owned(), value)).collect()
    };
    api.stack.import(sample::MUSIC, ["A", "B", "C"].map(song).into()).unwrap();
    let (pages, titles) = read_all(&api, "/music/Duo", "songs", "SongTitle").await;
    assert_eq!(titles, ["A", "B", "C"]);
    api.stack.shutdown().await;
    pages
}

#[tokio::test]
async fn songs_of_control_characters_are_listed() {
    // Lambda counts seven bytes for each character: the six of `\u0001`, and one more for the
    // escaped backslash.
    assert_eq!(three_songs(&S("\u{1}".repeat(330_000))).await, 2);
}

#[tokio::test]
async fn songs_of_many_values_are_listed() {
    assert_eq!(three_songs(&L(vec![Null(true); 165_000])).await, 1);
}

#[tokio::test]
async fn profiles_of_quotation_marks_are_listed() {
    let api = Api::start().await;
    let names: Vec<String> = (0..52).map(|number| format!("user{number:02}")).collect();
    // A body has at most 64 KiB, in which each quotation mark takes two bytes.
    let attributes = json!({"text": "\"".repeat(32_700)});
    let jo = json!({"username": "jo", "name": "Jo"});
    assert_eq!(api.request("jo", "POST", "/users").json(&jo).send().await.unwrap().status(), 201);
    for name in &names {
        let user = json!({"username": name, "name": name, "attributes": attributes});
        let created = api.request(name, "POST", "/users").json(&user).send().await.unwrap();
        assert_eq!(created.status(), 201);
        assert_eq!(api.put("jo", &format!("/users/{name}/followers/jo")).await, 201);
    }
    let (pages, following) = read_all(&api, "/users/jo/following/profiles", "following", "username").await;
    assert_eq!((pages, following), (2, names));
    api.stack.shutdown().await;
}
