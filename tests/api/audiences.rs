//! Compares the table "Who sees what" in docs/api.md with the answers of the API over HTTP.
//!
//! The columns are callers, by their relation to one user, the owner, who has a photo for each audience. Each test begins with
//! the same relations, which the API itself makes.

use std::collections::BTreeMap;
use std::fs;

use local::stack::{Data, Options};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use testing::PNG;
use tests::stack::root;

use crate::api::Api;

/// The callers, which are the columns of the table. Each is the username of a user.
const CALLERS: [&str; 8] = ["owner", "follower", "muting", "requested", "stranger", "blocking", "blocked", MODERATOR];
/// The caller who is a member of the group of moderators, and otherwise a stranger.
const MODERATOR: &str = "moderating";
/// The audiences of the photos of the owner, with the letters of the cells. A moderator has removed the
/// last one.
const AUDIENCES: [(&str, &str); 4] = [("E", "everyone"), ("F", "followers"), ("M", "me"), (REMOVED, "everyone")];
const REMOVED: &str = "R";

/// Returns the rows of the table: the request, and the cell of each caller.
fn table() -> Vec<(String, Vec<String>)> {
    let document = fs::read_to_string(root().join("docs/api.md")).unwrap();
    let (_, section) = document.split_once("\n## Who sees what\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let mut rows = section.lines().filter(|line| line.starts_with('|')).map(|line| {
        let mut cells = line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned());
        (cells.next().unwrap(), cells.collect::<Vec<_>>())
    });
    assert_eq!(rows.next(), Some(("request".to_owned(), CALLERS.map(str::to_owned).to_vec())));
    rows.skip(1).collect()
}

/// The photos of the owner, each with the letter of its audience, and the photo of another user.
struct World {
    api: Api,
    photos: Vec<(&'static str, String)>,
    photo_of_other: String,
}

impl World {
    async fn start() -> Self {
        let api = Api::with(Options { data: Data::Seed, ..Options::default() }).await;
        for name in CALLERS.iter().chain(&["other"]) {
            let user = json!({"username": name, "name": name, "approvesFollowers": *name == "owner"});
            assert_eq!(api.request(name, "POST", "/users").json(&user).send().await.unwrap().status(), 201, "{name}");
        }
        let mut photos = vec![];
        for (letter, _) in AUDIENCES {
            photos.push((letter, api.upload("owner", PNG).await));
        }
        let photo_of_other = api.upload("other", PNG).await;
        api.stack.idle().await;
        let world = Self { api, photos, photo_of_other };
        world.begin().await;
        world
    }

    /// Makes the relations, and restricts the photos, which everybody has saved before.
    async fn begin(&self) {
        for (_, photo) in &self.photos {
            for caller in CALLERS {
                assert_eq!(self.send(caller, "POST", &format!("/users/{caller}/favorites"), &saved(photo)).await, 201);
            }
            assert_eq!(self.put("other", &format!("{photo}/reactions/heart")).await, 201);
            assert_eq!(self.send("other", "POST", &format!("{photo}/comments"), &json!({"text": "Nice"})).await, 201);
        }
        assert_eq!(self.put("owner", "/users/other/followers/owner").await, 201);
        assert_eq!(self.put("owner", &format!("{}/reactions/heart", self.photo_of_other)).await, 201);
        let comments = format!("{}/comments", self.photo_of_other);
        assert_eq!(self.send("owner", "POST", &comments, &json!({"text": "Yours"})).await, 201);
        for name in ["follower", "muting", "requested", "blocking", "blocked"] {
            assert_eq!(self.put(name, &format!("/users/owner/followers/{name}")).await, 202, "{name}");
        }
        for name in ["follower", "muting", "blocking"] {
            assert_eq!(self.put("owner", &format!("/users/owner/requests/{name}")).await, 201, "{name}");
        }
        for (caller, other, level) in
            [("muting", "owner", "mute"), ("blocking", "owner", "block"), ("owner", "blocked", "block")]
        {
            let path = format!("/users/{caller}/blocks/{other}");
            assert_eq!(self.send(caller, "PUT", &path, &json!({"level": level})).await, 201, "{path}");
        }
        for ((_, photo), (_, audience)) in self.photos.iter().zip(AUDIENCES) {
            assert_eq!(self.send("owner", "PATCH", photo, &json!({"audience": audience})).await, 200);
        }
        let (_, removed) = self.photos.iter().find(|(letter, _)| *letter == REMOVED).unwrap();
        assert_eq!(self.send("other", "POST", "/reports", &report_about(removed)).await, 201);
        let report = format!("/reports/owner~{}", timestamp_of(removed));
        assert_eq!(self.send(MODERATOR, "PUT", &report, &json!({"decision": "remove"})).await, 200);
        self.api.stack.idle().await;
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

    /// Returns the status and the body of a GET.
    async fn get(&self, caller: &str, path: &str) -> (u16, Value) {
        let answer = self.request(caller, "GET", path).send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap_or_default())
    }

    /// Returns the letters of the photos that are among `listed`.
    fn letters(&self, listed: &Value) -> String {
        let text = |photo: &Value, name: &str| photo[name].as_str().unwrap_or_default().to_owned();
        let listed: Vec<String> = listed
            .as_array()
            .into_iter()
            .flatten()
            .map(|photo| {
                assert!(photo.is_null() || photo["urls"]["small"].is_string(), "{photo}");
                format!("/users/{}/photos/{}", text(photo, "username"), text(photo, "timestamp"))
            })
            .collect();
        cell(self.photos.iter().filter(|(_, photo)| listed.contains(photo)).map(|(letter, _)| *letter))
    }

    /// Returns the letters of the photos of the owner for which a request has a status below 300.
    async fn photos_where(&self, request: impl AsyncFn(&str) -> u16) -> String {
        let mut letters = vec![];
        for (letter, photo) in &self.photos {
            if request(photo).await < 300 {
                letters.push(*letter);
            }
        }
        cell(letters.into_iter())
    }

    /// Sends the request of a row as this caller, and returns the cell.
    async fn cell(&self, row: &str, caller: &str) -> String {
        let yes = |shows: bool| if shows { "yes" } else { "no" }.to_owned();
        let has = |list: &Value, name: &str| list.as_array().into_iter().flatten().any(|one| one[name] == "owner");
        let path = row.split(' ').nth(1).unwrap().replace("{caller}", caller).replace("{owner}", "owner");
        match row {
            "GET /users/{owner}/photos" | "GET /users/{owner}/profile" | "GET /users/{caller}/feed" => {
                self.letters(&self.get(caller, &path).await.1["photos"])
            }
            "GET /users/{owner}/photos/{timestamp}" => {
                self.photos_where(async |photo| self.get(caller, photo).await.0).await
            }
            "GET /users/{owner}/photos/{timestamp}/comments" => {
                self.photos_where(async |photo| {
                    let comments = self.get(caller, &format!("{photo}/comments")).await.1;
                    if comments["comments"].as_array().unwrap().is_empty() { 404 } else { 200 }
                })
                .await
            }
            "GET /users/{other}/photos/{timestamp}/similar" => {
                let similar = format!("{}/similar?limit=50", self.photo_of_other);
                self.letters(&self.get(caller, &similar).await.1["photos"])
            }
            "GET /users/{other}/reactions" => {
                self.letters(&self.get(caller, "/users/other/reactions").await.1["photos"])
            }
            "GET /users/{caller}/favorites" => {
                let favorites = self.get(caller, &path).await.1["favorites"].take();
                let photos = favorites.as_array().unwrap().iter().map(|favorite| favorite["photo"].clone()).collect();
                self.letters(&Value::Array(photos))
            }
            "PUT /users/{owner}/photos/{timestamp}/reactions/smiley" => {
                self.photos_where(async |photo| self.put(caller, &format!("{photo}/reactions/smiley")).await).await
            }
            "POST /users/{owner}/photos/{timestamp}/comments" => {
                let body = json!({"text": "Seen"});
                self.photos_where(async |photo| self.send(caller, "POST", &format!("{photo}/comments"), &body).await)
                    .await
            }
            "POST /users/{caller}/favorites" => {
                self.photos_where(async |photo| {
                    let body = saved(photo);
                    let id = format!("{path}/photo~owner~{}", body["photo"]["timestamp"].as_str().unwrap());
                    assert_eq!(self.send(caller, "DELETE", &id, &json!({})).await, 204);
                    self.send(caller, "POST", &path, &body).await
                })
                .await
            }
            "GET /users/{owner}" | "GET /users/{owner}/followers" | "GET /reports" => {
                self.get(caller, &path).await.0.to_string()
            }
            "GET /users/{owner}/following" | "GET /users/{owner}/following/profiles" => {
                yes(!self.get(caller, &path).await.1["following"][0].is_null())
            }
            "GET /users?q={owner}" => yes(has(&self.get(caller, &path).await.1["people"], "username")),
            "GET /users/{other}/photos/{timestamp}" => {
                let photo = self.get(caller, &self.photo_of_other).await;
                assert_eq!(photo.0, 200);
                let with_people = format!("{}?include=people,comments,viewer", self.photo_of_other);
                let with_people = self.get(caller, &with_people).await.1;
                let shown = has(&photo.1["reactions"], "reactingUser");
                let parts = [has(&with_people["reactions"], "reactingUser"), has(&with_people["comments"], "author")];
                assert_eq!([parts[0], parts[1], with_people["people"].get("owner").is_some()], [shown; 3]);
                yes(shown)
            }
            "GET /users/{other}/photos/{timestamp}/comments" => {
                yes(has(&self.get(caller, &format!("{}/comments", self.photo_of_other)).await.1["comments"], "author"))
            }
            "PUT /users/{owner}/followers/{caller}" => self.put(caller, &path).await.to_string(),
            "PUT /users/{caller}/blocks/{owner}" => {
                self.send(caller, "PUT", &path, &json!({"level": "block"})).await.to_string()
            }
            "POST /reports" => {
                self.photos_where(async |photo| self.send(caller, "POST", &path, &report_about(photo)).await).await
            }
            "PUT /reports/{id}" => {
                let path = format!("/reports/owner~{}", timestamp_of(&self.photos.last().unwrap().1));
                self.send(caller, "PUT", &path, &json!({"decision": "remove"})).await.to_string()
            }
            _ => panic!("docs/api.md has a row without a test: {row}"),
        }
    }
}

/// Returns the timestamp of the photo at a path.
fn timestamp_of(photo: &str) -> &str {
    photo.rsplit('/').next().unwrap()
}

/// Returns the body of the POST that saves a photo.
fn saved(photo: &str) -> Value {
    let photo = json!({"username": "owner", "timestamp": timestamp_of(photo)});
    json!({"dataType": "image", "title": "Saved", "photo": photo})
}

/// Returns the body of the POST that reports a photo.
fn report_about(photo: &str) -> Value {
    json!({"user": "owner", "photo": timestamp_of(photo), "reason": "spam"})
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
    assert_eq!(is, expected, "docs/api.md says something else; this is what happened:\n{}", is.join("\n"));
    for (row, _) in &table {
        let (method, path) = row.split_once(' ').unwrap();
        let path = path.replace(['{', '}'], "");
        let path = path.replace("timestamp", "2026-01-01T00:00:00");
        assert_eq!(world.api.anonymous(method, &path).send().await.unwrap().status(), 401, "{row}");
    }
    world.api.stack.shutdown().await;
}
