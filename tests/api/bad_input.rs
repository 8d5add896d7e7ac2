//! What no function gets to see, and what only the whole can show of bad input. What each field refuses stands in the
//! tests of the functions.

use local::template::Template;
use serde_json::{Value, json};

use crate::{Api, problem};

#[tokio::test]
async fn a_path_that_cannot_be_decoded_is_refused_on_every_route() {
    let api = Api::start().await;
    let template = Template::read(&Template::find().unwrap()).unwrap();
    for route in template.functions.iter().flat_map(|function| &function.routes) {
        for bad in ["%zz", "%f", "%ff", "%"] {
            let path = route.path.split('/').map(|part| if part.starts_with('{') { bad } else { part });
            let path = path.collect::<Vec<_>>().join("/");
            if path.contains('%') {
                problem(api.request("ada", &route.method, &path).send().await.unwrap(), 400).await;
            }
        }
    }
    api.stack.shutdown().await;
}

#[tokio::test]
async fn an_encoded_slash_or_hash_does_not_reach_another_route_or_key() {
    let api = Api::start().await;
    for name in ["ada%2Fprofile", "ada%23", "ada%3Fx", "ada%20"] {
        let answer = api.request("ada", "GET", &format!("/users/{name}")).send().await.unwrap();
        assert_eq!(problem(answer, 400).await["errors"][0]["field"], "username", "{name}");
    }
    api.stack.shutdown().await;
}

#[tokio::test]
async fn other_paths_and_methods_are_not_there() {
    let api = Api::start().await;
    for (method, path) in
        [("GET", "/"), ("GET", "/users"), ("DELETE", "/users"), ("GET", "/users/ada/"), ("GET", "/Users/ada")]
    {
        problem(api.request("ada", method, path).send().await.unwrap(), 404).await;
    }
    api.stack.shutdown().await;
}

#[tokio::test]
async fn large_bodies_are_refused_and_the_function_lives_on() {
    let api = Api::start().await;
    for megabytes in [1, 5, 7, 11] {
        let body = json!({"username": "dora", "name": "x".repeat(megabytes << 20)});
        let answer = api.request("dora", "POST", "/users").json(&body).send().await.unwrap();
        problem(answer, 413).await;
    }
    let good = json!({"username": "dora", "name": "Dora"});
    assert_eq!(api.request("dora", "POST", "/users").json(&good).send().await.unwrap().status(), 201);
    api.stack.shutdown().await;
}

#[tokio::test]
async fn a_body_in_bytes_is_read_like_one_in_text() {
    let api = Api::start().await;
    let send = |content_type: &str, body: Vec<u8>| {
        api.request("dora", "POST", "/users").header("content-type", content_type).body(body).send()
    };
    let nested = format!("{}{}", "[".repeat(200), "]".repeat(200)).into_bytes();
    for body in
        [b"\xff\xfe{}".to_vec(), b"{\"name\": \"\xc3\x28\"}".to_vec(), br#"{"name": "\udc00"}"#.to_vec(), nested]
    {
        problem(send("application/json", body).await.unwrap(), 400).await;
    }
    problem(send("application/octet-stream", b"{}".to_vec()).await.unwrap(), 415).await;
    let good = br#"{"username": "dora", "name": "Dora"}"#.to_vec();
    assert_eq!(send("application/json; charset=utf-8", good).await.unwrap().status(), 201);
    api.stack.shutdown().await;
}

#[tokio::test]
async fn a_cursor_is_good_for_its_own_list_of_its_own_owner_alone() {
    let api = Api::start().await;
    let mut lists = vec![];
    for user in ["ines", "tara"] {
        for list in ["profile", "photos", "followers", "following", "following/profiles"] {
            lists.push(format!("/users/{user}/{list}"));
        }
    }
    let photos = api.get("ben", "/users/jonas/photos").await;
    for photo in photos["photos"].as_array().unwrap() {
        let count: u64 = photo["reactions"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
        if count > 1 {
            lists.push(format!("/users/jonas/photos/{}", photo["timestamp"].as_str().unwrap()));
        }
    }
    assert!(lists.len() > 11, "two photos with two reactions each: {photos}");
    for list in ["favorites", "favorites/types/image", "favorites/search?q=tag:birds", "favorites/search?q=s"] {
        lists.push(format!("/users/ben/{list}"));
    }
    for list in ["tags", "tags?sort=created", "tags?order=desc", "tags/birds/favorites", "tags/later/favorites"] {
        lists.push(format!("/users/ben/{list}"));
    }
    lists.extend(
        ["/users/ben/tags/birds/favorites/types/image", "/users/ben/favorites/kestrel/tags"].map(str::to_owned),
    );
    let with = |list: &str, parameter: &str| format!("{list}{}{parameter}", if list.contains('?') { '&' } else { '?' });
    for of in &lists {
        let first = api.get("ben", &with(of, "limit=1")).await;
        let cursor = first["nextCursor"].as_str().unwrap_or_else(|| panic!("{of} has one page"));
        for list in &lists {
            let answer = api.request("ben", "GET", &with(list, &format!("cursor={cursor}"))).send().await.unwrap();
            assert_eq!(answer.status(), if of == list { 200 } else { 400 }, "cursor of {of} at {list}");
        }
    }
    api.stack.shutdown().await;
}
