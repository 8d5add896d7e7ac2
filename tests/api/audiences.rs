//! Compares the table "Who sees what" in docs/api.md with the answers of the API over HTTP.
//!
//! The columns are callers, by their relation to one user, the owner, who has a photo for each audience. Each test begins with
//! the same relations, which the API itself makes. Each route of template.yaml has a row, or stands in [`WITHOUT_ROW`].

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use local::stack::{Data, Options};
use local::template::{Route, Template};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use testing::PNG;
use testing::access_patterns::{self, Callers};
use tests::stack::root;

use crate::api::Api;

/// The callers, which are the columns of the table. Each is the username of a user.
const CALLERS: [&str; 9] =
    ["owner", "follower", "muting", "muted", "requested", "stranger", "blocking", "blocked", MODERATOR];
/// The caller who is a member of the group of moderators, and otherwise a stranger.
const MODERATOR: &str = "moderating";
/// The audiences of the photos of the owner, with the letters of the cells. A moderator has removed the
/// last one.
const AUDIENCES: [(&str, &str); 4] = [("E", "everyone"), ("F", "followers"), ("M", "me"), (REMOVED, "everyone")];
const REMOVED: &str = "R";

/// The routes without a row in the table.
const WITHOUT_ROW: [&[&str]; 2] = [OWN, CATALOGUES];
/// Routes for the user alone whom they name, and whose answers show nothing of others.
const OWN: &[&str] = &[
    "POST /users",
    "PATCH /users/{username}",
    "DELETE /users/{username}",
    "POST /users/{username}/photos",
    "DELETE /users/{username}/photos/{timestamp}",
    "PUT /users/{username}/notifications/seen",
    "DELETE /users/{username}/favorites/{dataId}",
    "PUT /users/{username}/favorites/{dataId}/tags/{tagId}",
    "DELETE /users/{username}/favorites/{dataId}/tags/{tagId}",
    "GET /users/{username}/favorites/{dataId}/tags",
    "POST /users/{username}/tags",
    "GET /users/{username}/tags",
    "GET /users/{username}/tags/{tagId}",
    "PATCH /users/{username}/tags/{tagId}",
    "DELETE /users/{username}/tags/{tagId}",
    "POST /users/{username}/exports",
    "GET /users/{username}/exports/{id}",
    "POST /users/{username}/imports",
    "GET /users/{username}/imports/{id}",
];
/// Routes of songs and people, which are no users.
const CATALOGUES: &[&str] = &[
    "PUT /music/{artist}/{songTitle}",
    "GET /music/{artist}/{songTitle}",
    "DELETE /music/{artist}/{songTitle}",
    "GET /music/{artist}",
    "GET /genres/{genre}/albums",
    "PUT /people/{personId}",
    "GET /people/{personId}",
    "PATCH /people/{personId}",
    "DELETE /people/{personId}",
];

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

/// Returns the route of a row or of template.yaml, without its query and with one name for all parameters.
fn without_names(route: &str) -> String {
    let path = route.split('?').next().unwrap();
    let segments = path.split('/').map(|segment| if segment.starts_with('{') { "{}" } else { segment });
    segments.collect::<Vec<_>>().join("/")
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

    /// Saves all photos of the owner with a tag, reacts to them and comments on them, as this caller.
    async fn respond(&mut self, caller: &str) {
        let tag = self.created(caller, &format!("/users/{caller}/tags"), &json!({"tagName": "Kept"})).await;
        let tag = tag["tagId"].as_str().unwrap().to_owned();
        for (_, photo) in &self.photos {
            self.created(caller, &format!("/users/{caller}/favorites"), &saved(photo)).await;
            let tagged = format!("/users/{caller}/favorites/{}/tags/{tag}", favorite_of(photo));
            assert_eq!(self.put(caller, &tagged).await, 201);
            assert_eq!(self.put(caller, &format!("{photo}/reactions/heart")).await, 201);
            let comment = self.created(caller, &format!("{photo}/comments"), &json!({"text": "Nice"})).await;
            self.comments.insert((caller.to_owned(), photo.clone()), comment["id"].as_str().unwrap().to_owned());
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
        let path = row.split_once(' ').unwrap().1;
        let path = path.replace("{caller}", caller).replace("{owner}", "owner").replace("{other}", "other");
        let path =
            path.replace("{tagId}", &self.tags[caller]).replace("favorites/types/{type}", "favorites/types/image");
        if let Some(cell) = self.photos_shown(row, caller, &path).await {
            return cell;
        }
        if let Some(cell) = self.owner_shown(row, caller, &path).await {
            return cell;
        }
        if let Some(cell) = self.photos_taken(row, caller, &path).await {
            return cell;
        }
        self.status(row, caller, &path).await
    }

    /// Returns the cell of a row whose answers show the photos of the owner.
    async fn photos_shown(&self, row: &str, caller: &str, path: &str) -> Option<String> {
        let shown = match row {
            "GET /users/{owner}/photos" | "GET /users/{owner}/profile" | "GET /users/{caller}/feed" => {
                self.letters(&self.get(caller, path).await.1["photos"])
            }
            "GET /users/{other}/photos/{timestamp}/similar" => {
                let similar = format!("{}/similar?limit=50", self.photo_of_other);
                self.letters(&self.get(caller, &similar).await.1["photos"])
            }
            "GET /users/{other}/reactions" => self.letters(&self.get(caller, path).await.1["photos"]),
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
            "GET /users/{caller}/favorites"
            | "GET /users/{caller}/favorites/types/{type}"
            | "GET /users/{caller}/favorites/search?q=saved"
            | "GET /users/{caller}/tags/{tagId}/favorites"
            | "GET /users/{caller}/tags/{tagId}/favorites/types/{type}" => {
                let favorites = self.get(caller, path).await.1["favorites"].take();
                let favorites = favorites.as_array().unwrap();
                assert_eq!(favorites.len(), self.photos.len(), "{path}");
                self.letters(&favorites.iter().map(|favorite| favorite["photo"].clone()).collect())
            }
            "GET /users/{caller}/favorites/{dataId}" => {
                let mut photos = vec![];
                for (_, photo) in &self.photos {
                    let favorite = self.get(caller, &path.replace("{dataId}", &favorite_of(photo))).await;
                    assert_eq!(favorite.0, 200);
                    photos.push(favorite.1["photo"].clone());
                }
                self.letters(&Value::Array(photos))
            }
            _ => return None,
        };
        Some(shown)
    }

    /// Returns the cell of a row whose answers show the owner.
    async fn owner_shown(&self, row: &str, caller: &str, path: &str) -> Option<String> {
        let yes = |shows: bool| if shows { "yes" } else { "no" }.to_owned();
        let has = |list: &Value, name: &str| list.as_array().into_iter().flatten().any(|one| one[name] == "owner");
        let named = |answer: &Value, list: &str, name: &str| {
            let card = answer["people"].get("owner").map(|card| &card["name"]);
            assert!(card.is_none_or(|name| name == "owner"));
            match (has(&answer[list], name), card) {
                (true, Some(_)) => "card",
                (true, None) => "name",
                (false, None) => "no",
                (false, Some(_)) => "card alone",
            }
            .to_owned()
        };
        let with_people = async || self.get(caller, &format!("{path}?include=people")).await.1;
        let shown = match row {
            "GET /users/{owner}/following" | "GET /users/{owner}/following/profiles" => {
                yes(!self.get(caller, path).await.1["following"][0].is_null())
            }
            "GET /users/{other}/following" | "GET /users/{other}/followers" => {
                let (list, name) =
                    if path.ends_with("ing") { ("following", "followedUser") } else { ("followers", "followingUser") };
                assert!(has(&self.get(caller, path).await.1[list], name));
                let cell = named(&with_people().await, list, name);
                let with_viewer = self.get(caller, &format!("{path}?include=people,viewer")).await.1;
                assert_eq!(named(&with_viewer, list, name), cell);
                cell
            }
            "GET /users/{other}/following/profiles" => {
                yes(has(&self.get(caller, path).await.1["following"], "username"))
            }
            "GET /users/{caller}/blocks" => named(&with_people().await, "blocks", "blockedUser"),
            "GET /users/{caller}/requests" => named(&with_people().await, "requests", "askingUser"),
            "GET /users/{caller}/notifications" => {
                let inbox = with_people().await;
                let mut mentions = inbox["notifications"].as_array().unwrap().iter();
                let mentions = mentions.any(|one| one["kind"] == "mention" && one["by"] == json!(["owner"]));
                assert_eq!(inbox["people"].get("owner").is_some(), mentions, "{inbox}");
                yes(mentions)
            }
            "GET /users?q={owner}" => yes(has(&self.get(caller, path).await.1["people"], "username")),
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
                let path = format!("{}/comments", self.photo_of_other);
                let with_people = self.get(caller, &format!("{path}?include=people")).await.1;
                let shown = has(&self.get(caller, &path).await.1["comments"], "author");
                assert_eq!(named(&with_people, "comments", "author"), if shown { "card" } else { "no" });
                yes(shown)
            }
            _ => return None,
        };
        Some(shown)
    }

    /// Returns the cell of a row whose requests write to the photos of the owner.
    async fn photos_taken(&self, row: &str, caller: &str, path: &str) -> Option<String> {
        let (method, path_of_row) = row.split_once(' ')?;
        let request_of = |photo: &str| {
            let comment = || &self.comments[&(caller.to_owned(), photo.to_owned())];
            Some(match path_of_row {
                "/users/{owner}/photos/{timestamp}" => (photo.to_owned(), json!({"caption": "Changed"})),
                "/users/{owner}/photos/{timestamp}/reactions/{type}" => {
                    let reaction = if method == "PUT" { "smiley" } else { "heart" };
                    (format!("{photo}/reactions/{reaction}"), json!({}))
                }
                "/users/{owner}/photos/{timestamp}/comments" => (format!("{photo}/comments"), json!({"text": "Seen"})),
                "/users/{owner}/photos/{timestamp}/comments/{comment}" => {
                    (format!("{photo}/comments/{}", comment()), json!({"text": "Changed"}))
                }
                "/users/{caller}/favorites" => (path.to_owned(), saved(photo)),
                "/users/{caller}/favorites/{dataId}/restore" => {
                    (path.replace("{dataId}", &favorite_of(photo)), json!({}))
                }
                "/reports" if method == "POST" => (path.to_owned(), report_about(photo)),
                _ => return None,
            })
        };
        request_of(&self.photos[0].1)?;
        let taken = self.photos_where(async |photo| {
            if row == "POST /users/{caller}/favorites" {
                let favorite = format!("{path}/{}", favorite_of(photo));
                assert_eq!(self.send(caller, "DELETE", &favorite, &json!({})).await, 204);
            }
            let (path, body) = request_of(photo).unwrap();
            self.send(caller, method, &path, &body).await
        });
        Some(taken.await)
    }

    /// Returns the cell of a row that has the statuses of the answers.
    async fn status(&self, row: &str, caller: &str, path: &str) -> String {
        let (path, body) = match row {
            "GET /users/{owner}"
            | "GET /users/{owner}/followers"
            | "GET /reports"
            | "PUT /users/{owner}/followers/{caller}"
            | "DELETE /users/{owner}/followers/{caller}"
            | "PUT /users/{caller}/requests/{owner}"
            | "DELETE /users/{caller}/requests/{owner}"
            | "DELETE /users/{caller}/blocks/{owner}" => (path.to_owned(), None),
            "PUT /users/{caller}/blocks/{owner}" => (path.to_owned(), Some(json!({"level": "block"}))),
            "PUT /reports/{id}" => {
                let (_, removed) = self.photos.last().unwrap();
                (format!("/reports/owner~{}", timestamp_of(removed)), Some(json!({"decision": "remove"})))
            }
            _ => panic!("docs/api.md has a row without a test: {row}"),
        };
        let request = self.request(caller, row.split(' ').next().unwrap(), &path);
        let request = if let Some(body) = body { request.json(&body) } else { request };
        request.send().await.unwrap().status().as_u16().to_string()
    }
}

/// Returns the timestamp of the photo at a path.
fn timestamp_of(photo: &str) -> &str {
    photo.rsplit('/').next().unwrap()
}

/// Returns the id of the favorite that saves a photo.
fn favorite_of(photo: &str) -> String {
    format!("photo~owner~{}", timestamp_of(photo))
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

#[test]
fn every_route_has_a_row_or_needs_none() {
    let template = Template::read(&Template::find().unwrap()).unwrap();
    let routes = template.functions.iter().flat_map(|function| function.routes.iter().map(Route::key));
    let routes: BTreeSet<String> = routes.collect();
    let without_row: BTreeSet<String> = WITHOUT_ROW.concat().into_iter().map(str::to_owned).collect();
    let unknown: Vec<&String> = without_row.difference(&routes).collect();
    assert!(unknown.is_empty(), "WITHOUT_ROW has routes that template.yaml does not have: {unknown:?}");
    let rows: BTreeSet<String> = table().iter().map(|(row, _)| without_names(row)).collect();
    for route in &routes {
        let has_row = rows.contains(&without_names(route));
        assert!(has_row != without_row.contains(route), "{route}: add a row to the table, or add it to WITHOUT_ROW");
    }
    let own = access_patterns::patterns().into_values().filter(|row| row.callers == Some(Callers::Owner));
    let own: BTreeSet<String> = own.map(|row| row.route).collect();
    assert!(OWN.iter().all(|route| own.contains(*route)), "OWN has a route that is not for one user alone");
}

/// The routes are those for one user, for one of two, or for a group, as docs/access-patterns.md says.
#[tokio::test]
async fn a_route_that_is_not_for_everybody_refuses_everybody_else() {
    let world = World::start().await;
    let patterns = access_patterns::patterns();
    let template = Template::read(&Template::find().unwrap()).unwrap();
    let mut requests = 0;
    for function in template.functions.iter().filter(|function| !function.routes.is_empty()) {
        let event = fs::read_to_string(root().join(format!("events/{}.json", function.name))).unwrap();
        let event: Value = serde_json::from_str(&event).unwrap();
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let others: Vec<&str> = match patterns[&function.name].callers {
            Some(Callers::Owner | Callers::Either) => CALLERS.into_iter().filter(|caller| *caller != "owner").collect(),
            Some(Callers::Members) => {
                let groups = text("/requestContext/authorizer/jwt/claims/cognito:groups");
                CALLERS.into_iter().filter(|caller| *caller != MODERATOR || !groups.contains("moderators")).collect()
            }
            _ => vec![],
        };
        // Everybody whom the request names is the owner.
        let (method, mut path) = (text("/requestContext/http/method"), function.routes[0].path.clone());
        for (name, value) in event["pathParameters"].as_object().into_iter().flatten() {
            let value = match name.as_str() {
                "username" | "follower" | "other" => "owner".to_owned(),
                "comment" => format!("{}~owner", value.as_str().unwrap().split('~').next().unwrap()),
                _ => value.as_str().unwrap().to_owned(),
            };
            path = path.replace(&format!("{{{name}}}"), &value);
        }
        let mut body: Value = serde_json::from_str(text("/body")).unwrap_or_default();
        if body["username"].is_string() {
            body["username"] = "owner".into();
        }
        for caller in others {
            let path = format!("{path}?{}", text("/rawQueryString"));
            let request = world.request(caller, method, &path);
            let request = if body.is_null() { request } else { request.json(&body) };
            assert_eq!(request.send().await.unwrap().status(), 403, "{caller}: {method} {path}");
            requests += 1;
        }
    }
    assert!(requests > 300, "only {requests} requests");
    world.api.stack.shutdown().await;
}
