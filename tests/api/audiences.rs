//! Compares `audiences.toml`, who sees what, with the answers of the API over HTTP.
//!
//! The columns are callers, by their relation to one user, the owner, who has a photo for each
//! audience. Each test begins with the same relations, which the API itself makes. Each route of
//! the templates has a row, or shows nothing of other users (`shows-own` in `costs.toml`).

use std::collections::BTreeMap;
use std::fs;

use local::stack::{Data, Options};
use reqwest::RequestBuilder;
use scale::audiences::Audiences;
use serde_json::{Value, json};
use shared::values::{EpochMillis, Time};
use testing::PNG;
use tests::stack::root;

use crate::api::Api;

mod cells;
mod exports;
mod routes;

/// The callers, which are the columns of the table. Each is the username of a user.
const CALLERS: [&str; 9] =
    ["owner", "follower", "muting", "muted", "requested", "stranger", "blocking", "blocked", MODERATOR];
/// The caller who is a member of the group of moderators, and otherwise a stranger.
const MODERATOR: &str = "moderating";
/// The audiences of the photos of the owner, with the letters of the cells. A moderator has removed
/// the last one.
const AUDIENCES: [(&str, &str); 4] = [("E", "everyone"), ("F", "followers"), ("M", "me"), (REMOVED, "everyone")];
const REMOVED: &str = "R";
/// The hashtag of all photos of the owner.
const HASHTAG: &str = "owned";

/// Returns the rows of the table: the request, and the cell of each caller.
fn table() -> Vec<(String, Vec<String>)> {
    let Audiences { callers, rows } = Audiences::read(&root()).unwrap();
    assert_eq!(callers, CALLERS);
    rows.into_iter().map(|mut row| (row.remove(0), row)).collect()
}

/// The photos of the owner, each with the letter of its audience, and the photo of another user.
struct World {
    api: Api,
    photos: Vec<(&'static str, String)>,
    photo_of_other: String,
    /// The ids of the comments by caller and photo.
    comments: BTreeMap<(String, String), String>,
    /// The ids of the tags that the saved photos have, by caller.
    tags: BTreeMap<String, String>,
}

impl World {
    async fn start() -> Self {
        let api = Api::with(Options { data: Data::Seed, ..Options::default() }).await;
        for name in CALLERS.iter().chain(&["other"]) {
            let user = json!({"username": name, "name": name, "approvesFollowers": *name != "other"});
            assert_eq!(api.request(name, "POST", "/users").json(&user).send().await.unwrap().status(), 201, "{name}");
        }
        let mut photos = vec![];
        for (letter, _) in AUDIENCES {
            photos.push((letter, api.upload("owner", PNG).await));
        }
        let photo_of_other = api.upload("other", PNG).await;
        api.stack.idle().await;
        let mut world = Self { api, photos, photo_of_other, comments: BTreeMap::new(), tags: BTreeMap::new() };
        for caller in CALLERS {
            world.respond(caller).await;
        }
        world.begin().await;
        world
    }

    /// Saves all photos of the owner with a tag, reacts to them, comments on them and likes the
    /// comments, as this caller.
    async fn respond(&mut self, caller: &str) {
        let tag = self.created(caller, &format!("/users/{caller}/tags"), &json!({"tagName": "Kept"})).await;
        let tag = tag["tagId"].as_str().unwrap().to_owned();
        for (_, photo) in &self.photos {
            assert_eq!(self.put(caller, &save_of(caller, photo)).await, 201);
            let tagged = format!("/users/{caller}/favorites/{}/tags/{tag}", favorite_of(photo));
            assert_eq!(self.put(caller, &tagged).await, 201);
            assert_eq!(self.put(caller, &format!("{photo}/reactions/heart")).await, 201);
            let comment = self.created(caller, &format!("{photo}/comments"), &json!({"text": "Nice"})).await;
            let comment = comment["id"].as_str().unwrap().to_owned();
            assert_eq!(self.put(caller, &format!("{photo}/comments/{comment}/like")).await, 201);
            self.comments.insert((caller.to_owned(), photo.clone()), comment);
        }
        self.tags.insert(caller.to_owned(), tag);
    }

    /// Makes the relations, and restricts the photos.
    async fn begin(&self) {
        for (_, photo) in &self.photos {
            assert_eq!(self.put("other", &format!("{photo}/reactions/heart")).await, 201);
            assert_eq!(self.send("other", "POST", &format!("{photo}/comments"), &json!({"text": "Nice"})).await, 201);
        }
        assert_eq!(self.put("owner", "/users/other/followers/owner").await, 201);
        assert_eq!(self.put("owner", &format!("{}/reactions/heart", self.photo_of_other)).await, 201);
        let mentions = CALLERS.map(|caller| format!("@{caller}")).join(" ");
        self.created("owner", &format!("{}/comments", self.photo_of_other), &json!({"text": mentions})).await;
        for name in CALLERS.iter().filter(|name| **name != "owner") {
            assert_eq!(self.put("owner", &format!("/users/{name}/followers/owner")).await, 202, "{name}");
        }
        for name in ["follower", "muting", "muted", "requested", "blocking", "blocked", "other"] {
            assert_eq!(self.put(name, &format!("/users/owner/followers/{name}")).await, 202, "{name}");
        }
        for name in ["follower", "muting", "muted", "blocking", "other"] {
            assert_eq!(self.put("owner", &format!("/users/owner/requests/{name}")).await, 201, "{name}");
        }
        for (caller, other, level) in [
            ("muting", "owner", "mute"),
            ("owner", "muted", "mute"),
            ("blocking", "owner", "block"),
            ("owner", "blocked", "block"),
        ] {
            let path = format!("/users/{caller}/blocks/{other}");
            assert_eq!(self.send(caller, "PUT", &path, &json!({"level": level})).await, 201, "{path}");
        }
        for ((_, photo), (_, audience)) in self.photos.iter().zip(AUDIENCES) {
            assert_eq!(
                self.send("owner", "PATCH", photo, &json!({"audience": audience, "caption": format!("#{HASHTAG}")}))
                    .await,
                200
            );
        }
        let (_, removed) = self.photos.iter().find(|(letter, _)| *letter == REMOVED).unwrap();
        assert_eq!(self.send("other", "POST", "/reports", &report_about(removed)).await, 201);
        let report = format!("/reports/owner~{}", id_of(removed));
        assert_eq!(self.send(MODERATOR, "PUT", &report, &json!({"decision": "remove"})).await, 200);
        self.api.stack.idle().await;
        let rank = self.api.anonymous("POST", "/2015-03-31/functions/rank-photos/invocations");
        let ranked = rank.json(&json!({"time": Time::from(EpochMillis::now())})).send().await.unwrap();
        assert_eq!(ranked.json::<Value>().await.unwrap(), Value::Null);
    }

    async fn send(&self, caller: &str, method: &str, path: &str, body: &Value) -> u16 {
        self.request(caller, method, path).json(body).send().await.unwrap().status().as_u16()
    }

    /// Returns a request with a token of the caller.
    fn request(&self, caller: &str, method: &str, path: &str) -> RequestBuilder {
        if caller != MODERATOR {
            return self.api.request(caller, method, path);
        }
        let token = self.api.stack.token_in(caller, "moderators").unwrap();
        self.api.anonymous(method, path).bearer_auth(token)
    }

    async fn put(&self, caller: &str, path: &str) -> u16 {
        self.api.put(caller, path).await
    }

    /// Sends the POST of something new, and returns it.
    async fn created(&self, caller: &str, path: &str, body: &Value) -> Value {
        let answer = self.request(caller, "POST", path).json(body).send().await.unwrap();
        assert_eq!(answer.status(), 201, "{path}");
        answer.json().await.unwrap()
    }

    /// Returns the status and the body of a GET.
    async fn get(&self, caller: &str, path: &str) -> (u16, Value) {
        let answer = self.request(caller, "GET", path).send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap_or_default())
    }
}

/// Returns the id of the photo at a path.
fn id_of(photo: &str) -> &str {
    photo.rsplit('/').next().unwrap()
}

/// Returns the id of the favorite that saves a photo.
fn favorite_of(photo: &str) -> String {
    format!("photo~owner~{}", id_of(photo))
}

/// Returns the path at which a caller saves a photo.
fn save_of(caller: &str, photo: &str) -> String {
    format!("/users/{caller}/saved/owner/{}", id_of(photo))
}

/// Returns the body of the POST that reports a photo.
fn report_about(photo: &str) -> Value {
    json!({"photo": {"username": "owner", "id": id_of(photo)}, "reason": "spam"})
}

fn cell<'a>(letters: impl Iterator<Item = &'a str>) -> String {
    let letters: Vec<&str> = letters.collect();
    if letters.is_empty() { "–".to_owned() } else { letters.join(" ") }
}

#[tokio::test]
async fn everybody_sees_and_may_do_what_the_table_says() {
    let world = World::start().await;
    let mut found = BTreeMap::new();
    let table = table();
    for (row, _) in &table {
        let mut cells = vec![];
        for caller in CALLERS {
            cells.push(world.cell(row, caller).await);
        }
        found.insert(row.clone(), cells);
    }
    let is: Vec<String> = table.iter().map(|(row, _)| format!("| {row} | {} |", found[row].join(" | "))).collect();
    let expected: Vec<String> = table.iter().map(|(row, cells)| format!("| {row} | {} |", cells.join(" | "))).collect();
    assert_eq!(is, expected, "audiences.toml says something else; this is what happened:\n{}", is.join("\n"));
    for (row, _) in &table {
        let (method, path) = row.split_once(' ').unwrap();
        let path = path.replace("{photo}", "2026-01-01T00:00:00").replace(['{', '}'], "");
        assert_eq!(world.api.anonymous(method, &path).send().await.unwrap().status(), 401, "{row}");
    }
    world.api.stack.shutdown().await;
}
