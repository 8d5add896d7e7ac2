//! Every route of template.yaml once: its answer, its repetition, a stranger's token, no token.

use std::collections::BTreeSet;

use local::template::{Route, Template};
use serde_json::{Value, json};

use crate::{Api, problem};

/// A request that succeeds on the sample data.
struct Case {
    route: &'static str,
    path: &'static str,
    caller: &'static str,
    body: Option<Value>,
    /// What it answers first, and what when it is repeated.
    answers: [u16; 2],
    /// Who may: anybody, this caller, or members of the group `editors`.
    who: Who,
    /// Where in the answer to look, and what is there.
    shows: (&'static str, Value),
}

#[derive(Clone, Copy, PartialEq)]
enum Who {
    Any,
    Owner,
    Editors,
}

const PHOTO: &str = "/users/ada/photos/2024-05-30T15:42:38";

fn cases() -> Vec<Case> {
    [photos(), favorites(), catalogues()].into_iter().flatten().collect()
}

fn photos() -> Vec<Case> {
    let delete = |route, path, caller, who| Case {
        route,
        path,
        caller,
        body: None,
        answers: [204; 2],
        who,
        shows: ("", Value::Null),
    };
    let read =
        |route, path, shows| Case { route, path, caller: "ben", body: None, answers: [200; 2], who: Who::Any, shows };
    vec![
        Case {
            route: "POST /users",
            path: "/users",
            caller: "dora",
            body: Some(json!({"username": "dora", "name": "Dora"})),
            answers: [201, 200],
            who: Who::Owner,
            shows: ("/name", json!("Dora")),
        },
        read("GET /users/{username}", "/users/ada", ("/username", json!("ada"))),
        Case {
            route: "PATCH /users/{username}",
            path: "/users/ada",
            caller: "ada",
            body: Some(json!({"status": "Away"})),
            answers: [200; 2],
            who: Who::Owner,
            shows: ("/status", json!("Away")),
        },
        read(
            "GET /users/{username}/profile",
            "/users/ada/profile",
            ("/photos/1/timestamp", json!("2024-06-09T13:49:13")),
        ),
        Case {
            route: "POST /users/{username}/photos",
            path: "/users/cara/photos",
            caller: "cara",
            body: Some(json!({"format": "heic"})),
            answers: [201; 2],
            who: Who::Owner,
            shows: ("/username", json!("cara")),
        },
        read(
            "GET /users/{username}/photos",
            "/users/ada/photos",
            ("/photos/1/timestamp", json!("2024-05-30T15:42:38")),
        ),
        read("GET /users/{username}/photos/{timestamp}", PHOTO, ("/reactions/0/reactingUser", json!("cara"))),
        Case {
            route: "PUT /users/{username}/photos/{timestamp}/reactions/{type}",
            path: "/users/ada/photos/2024-05-30T15:42:38/reactions/+1",
            caller: "ben",
            body: None,
            answers: [201, 200],
            who: Who::Any,
            shows: ("/reactionType", json!("+1")),
        },
        Case {
            route: "PUT /users/{username}/followers/{follower}",
            path: "/users/ada/followers/cara",
            caller: "cara",
            body: None,
            answers: [201, 200],
            who: Who::Owner,
            shows: ("/followingUser", json!("cara")),
        },
        read("GET /users/{username}/followers", "/users/ada/followers", ("/followers/0/followingUser", json!("ben"))),
        read("GET /users/{username}/following", "/users/ben/following", ("/following/0/followedUser", json!("ada"))),
        read(
            "GET /users/{username}/following/profiles",
            "/users/ben/following/profiles",
            ("/following/0/username", json!("ada")),
        ),
        delete(
            "DELETE /users/{username}/photos/{timestamp}/reactions/{type}",
            "/users/ada/photos/2024-05-30T15:42:38/reactions/heart",
            "cara",
            Who::Any,
        ),
        delete("DELETE /users/{username}/followers/{follower}", "/users/ada/followers/ben", "ben", Who::Owner),
        delete(
            "DELETE /users/{username}/photos/{timestamp}",
            "/users/ben/photos/2024-06-26T03:59:33",
            "ben",
            Who::Owner,
        ),
        delete("DELETE /users/{username}", "/users/ada", "ada", Who::Owner),
    ]
}

fn favorites() -> Vec<Case> {
    let write = |route, path, body: Option<Value>, answers, shows| Case {
        route,
        path,
        caller: "ada",
        body,
        answers,
        who: Who::Owner,
        shows,
    };
    let read = |route, path, shows| write(route, path, None, [200; 2], shows);
    let delete = |route, path| write(route, path, None, [204; 2], ("", Value::Null));
    vec![
        write(
            "POST /users/{username}/favorites",
            "/users/ada/favorites",
            Some(json!({"dataType": "link", "title": "Tiles", "dataId": "tiles"})),
            [201, 200],
            ("/dataId", json!("tiles")),
        ),
        read("GET /users/{username}/favorites", "/users/ada/favorites", ("/favorites/0/dataId", json!("viewpoint"))),
        read(
            "GET /users/{username}/favorites/types/{type}",
            "/users/ada/favorites/types/note",
            ("/favorites/0/title", json!("我的收藏夹：想读的书")),
        ),
        read(
            "GET /users/{username}/favorites/search",
            "/users/ada/favorites/search?q=%E8%97%8F%E5%A4%B9",
            ("/favorites/0/dataId", json!("books")),
        ),
        read(
            "GET /users/{username}/favorites/{dataId}",
            "/users/ada/favorites/tram",
            ("/clipTime", json!(1_717_212_000_000_u64)),
        ),
        delete("DELETE /users/{username}/favorites/{dataId}", "/users/ada/favorites/tram"),
        write(
            "POST /users/{username}/favorites/{dataId}/restore",
            "/users/ada/favorites/old-map/restore",
            None,
            [201, 200],
            ("/clipTime", json!(1_717_203_000_000_u64)),
        ),
        write(
            "POST /users/{username}/tags",
            "/users/ada/tags",
            Some(json!({"tagName": "Mañana"})),
            [201, 200],
            ("/tagName", json!("Mañana")),
        ),
        read(
            "GET /users/{username}/tags",
            "/users/ada/tags?sort=accessed&order=desc",
            ("/tags/0/tagName", json!("Travel")),
        ),
        write(
            "PATCH /users/{username}/tags/{tagId}",
            "/users/ada/tags/recipes",
            Some(json!({"tagName": "Rezepte"})),
            [200; 2],
            ("/tagName", json!("Rezepte")),
        ),
        delete("DELETE /users/{username}/tags/{tagId}", "/users/ada/tags/travel"),
        write(
            "PUT /users/{username}/favorites/{dataId}/tags/{tagId}",
            "/users/ada/favorites/dinner/tags/family",
            None,
            [201, 200],
            ("/tagId", json!("family")),
        ),
        delete("DELETE /users/{username}/favorites/{dataId}/tags/{tagId}", "/users/ada/favorites/fado/tags/travel"),
        read(
            "GET /users/{username}/favorites/{dataId}/tags",
            "/users/ada/favorites/viewpoint/tags",
            ("/tags/0/tagName", json!("Семья")),
        ),
        read(
            "GET /users/{username}/tags/{tagId}/favorites",
            "/users/ada/tags/travel/favorites",
            ("/favorites/1/dataId", json!("fado")),
        ),
        read(
            "GET /users/{username}/tags/{tagId}/favorites/types/{type}",
            "/users/ada/tags/travel/favorites/types/video",
            ("/favorites/0/dataId", json!("tram")),
        ),
    ]
}

fn catalogues() -> Vec<Case> {
    let write = |route, path, body: Option<Value>, answers, shows| Case {
        route,
        path,
        caller: "cara",
        body,
        answers,
        who: Who::Editors,
        shows,
    };
    let read = |route, path, shows| Case { caller: "cara", who: Who::Any, ..write(route, path, None, [200; 2], shows) };
    vec![
        write(
            "PUT /music/{artist}/{songTitle}",
            "/music/Jo/New%20Song",
            Some(json!({"Genre": "Folk"})),
            [201, 200],
            ("/SongTitle", json!("New Song")),
        ),
        read(
            "GET /music/{artist}/{songTitle}",
            "/music/The%20Harbour%20Lights/Slow%20Ferry",
            ("/Charts/Places/Leeds", json!(7)),
        ),
        write(
            "DELETE /music/{artist}/{songTitle}",
            "/music/The%20Harbour%20Lights/Slow%20Ferry",
            None,
            [204; 2],
            ("", Value::Null),
        ),
        read(
            "GET /music/{artist}",
            "/music/The%20Harbour%20Lights?titlePrefix=Sl",
            ("/songs/0/SongTitle", json!("Slow Ferry")),
        ),
        read(
            "GET /genres/{genre}/albums",
            "/genres/Folk/albums?titlePrefix=B",
            ("/albums/1/SongTitle", json!("Slow Ferry")),
        ),
        write("PUT /people/{personId}", "/people/7", Some(json!({"Name": "Jo"})), [201, 200], ("/PersonID", json!(7))),
        read("GET /people/{personId}", "/people/1", ("/Address/City", json!("Ashford"))),
        write(
            "PATCH /people/{personId}",
            "/people/1",
            Some(json!({"Address": {"Street": "12 Mill Lane"}})),
            [200; 2],
            ("/Address/City", json!("Ashford")),
        ),
        write("DELETE /people/{personId}", "/people/2", None, [204; 2], ("", Value::Null)),
    ]
}

#[test]
fn every_route_of_the_template_has_a_case() {
    let template = Template::read(&Template::find().unwrap()).unwrap();
    let routes: BTreeSet<String> = template.functions.iter().flat_map(|f| &f.routes).map(Route::key).collect();
    let cases: BTreeSet<String> = cases().into_iter().map(|case| case.route.to_owned()).collect();
    assert_eq!(routes, cases);
}

#[tokio::test]
async fn every_route_answers() {
    for case in cases() {
        let api = Api::start().await;
        let method = case.route.split(' ').next().unwrap();
        let request = |caller: &str| {
            let request = match case.who {
                Who::Editors if caller == case.caller => {
                    let token = api.stack.token_in(caller, "editors").unwrap();
                    api.anonymous(method, case.path).bearer_auth(token)
                }
                _ => api.request(caller, method, case.path),
            };
            if let Some(body) = &case.body { request.json(body) } else { request }
        };

        problem(api.anonymous(method, case.path).send().await.unwrap(), 401).await;
        problem(api.anonymous(method, case.path).bearer_auth("e30.e30.e30").send().await.unwrap(), 401).await;
        let somebody_else = request("jo").send().await.unwrap();
        if case.who != Who::Any {
            problem(somebody_else, 403).await;
        } else if method == "GET" {
            assert_eq!(somebody_else.status(), 200, "{}", case.route);
        }

        for status in case.answers {
            let answer = request(case.caller).send().await.unwrap();
            assert_eq!(answer.status(), status, "{}", case.route);
            if status == 204 {
                assert_eq!(answer.bytes().await.unwrap(), "", "{}", case.route);
                continue;
            }
            assert_eq!(answer.headers()["content-type"], "application/json", "{}", case.route);
            assert_eq!(answer.headers().contains_key("location"), status == 201, "{}", case.route);
            let body: Value = answer.json().await.unwrap();
            let (pointer, value) = &case.shows;
            assert_eq!(body.pointer(pointer), Some(value), "{} in {body}", case.route);
        }
        api.stack.shutdown().await;
    }
}
