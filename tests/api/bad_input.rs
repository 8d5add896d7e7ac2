//! Bad input that no function sees, or that only the whole system shows. The tests of the functions
//! check what each field rejects.

use local::template::Template;
use serde_json::{Value, json};
use tests::stack::root;

use crate::api::{Api, gateway_error, problem};

#[tokio::test]
async fn every_route_rejects_a_path_that_cannot_be_decoded() {
    let api = Api::start().await;
    let template = Template::read(&Template::find().unwrap()).unwrap();
    for route in template.functions.iter().flat_map(|function| &function.routes) {
        for bad in ["%zz", "%f", "%ff", "%"] {
            let path = route.path.split('/').map(|part| if part.starts_with('{') { bad } else { part });
            let path = path.collect::<Vec<_>>().join("/");
            if path.contains('%') {
                gateway_error(api.request("ada", &route.method, &path).send().await.unwrap(), 400).await;
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
async fn returns_404_for_other_paths_and_methods() {
    let api = Api::start().await;
    for (method, path) in [
        ("DELETE", "/users"),
        ("PUT", "/users/ada"),
        ("OPTIONS", "/users/ada"),
        ("GET", "/users/ada/"),
        ("GET", "/Users/ada"),
        ("POST", "/"),
    ] {
        gateway_error(api.request("ada", method, path).send().await.unwrap(), 404).await;
    }
    // An answer to HEAD has no body.
    assert_eq!(api.request("ada", "HEAD", "/users/ada").send().await.unwrap().status(), 404);
    api.stack.shutdown().await;
}

#[tokio::test]
async fn a_function_rejects_large_bodies_and_keeps_serving() {
    let api = Api::start().await;
    // The event of a body of 6 MB is too large for Lambda, so the gateway refuses it.
    for megabytes in [1, 5, 7, 11] {
        let body = json!({"username": "dora", "name": "x".repeat(megabytes << 20)});
        let answer = api.request("dora", "POST", "/users").json(&body).send().await.unwrap();
        if megabytes < 6 {
            problem(answer, 413).await;
        } else {
            gateway_error(answer, 413).await;
        }
    }
    let good = json!({"username": "dora", "name": "Dora"});
    assert_eq!(api.request("dora", "POST", "/users").json(&good).send().await.unwrap().status(), 201);
    api.stack.shutdown().await;
}

#[tokio::test]
async fn a_binary_body_is_parsed_like_a_text_body() {
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

/// A list of the sample data and a caller who may read it.
struct List {
    caller: String,
    uri: String,
}

impl List {
    fn new(caller: &str, uri: impl Into<String>) -> Self {
        Self { caller: caller.to_owned(), uri: uri.into() }
    }

    /// Returns the URI with another parameter in its query string.
    fn with(&self, parameter: &str) -> String {
        let separator = if self.uri.contains('?') { '&' } else { '?' };
        format!("{}{separator}{parameter}", self.uri)
    }
}

/// Returns the list of every function that answers with pages, as its sample event requests it.
async fn lists_of_events(api: &Api) -> Vec<List> {
    let mut lists = vec![];
    for function in Template::read(&Template::find().unwrap()).unwrap().functions {
        let event = std::fs::read(root().join(format!("events/{}.json", function.name))).unwrap();
        let event: Value = serde_json::from_slice(&event).unwrap();
        let claims = &event["requestContext"]["authorizer"]["jwt"]["claims"];
        // The tests of list-reports check its cursors, because it needs a token of a member.
        if event["requestContext"]["http"]["method"] != "GET" || claims["cognito:groups"].is_string() {
            continue;
        }
        let query = event["rawQueryString"].as_str().unwrap_or_default().split('&');
        let query: Vec<&str> = query.filter(|part| !part.is_empty() && !part.starts_with("limit=")).collect();
        let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
        let caller = claims["username"].as_str().unwrap();
        let list = List::new(caller, format!("{}{query}", event["rawPath"].as_str().unwrap()));
        if api.get(caller, &list.uri).await.get("nextCursor").is_none() {
            continue;
        }
        let page = api.get(caller, &list.with("limit=1")).await;
        let fits = !page["nextCursor"].is_null();
        assert!(fits, "events/{}.json: choose a list with two entries or more on the sample data", function.name);
        lists.push(list);
    }
    lists
}

/// Returns lists that a cursor of another owner, another sort order or another query must not fit.
async fn similar_lists(api: &Api) -> Vec<List> {
    let mut lists = vec![];
    for user in ["ines", "tara"] {
        for list in ["profile", "photos", "followers", "following", "following/profiles"] {
            lists.push(List::new("ben", format!("/users/{user}/{list}")));
        }
    }
    let photos = api.get("ben", "/users/jonas/photos").await;
    for photo in photos["photos"].as_array().unwrap() {
        let count: u64 = photo["reactions"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
        if count > 1 {
            lists.push(List::new("ben", format!("/users/jonas/photos/{}", photo["timestamp"].as_str().unwrap())));
        }
    }
    assert!(lists.len() > 11, "two photos with two reactions each: {photos}");
    for list in [
        "favorites",
        "favorites/types/image",
        "favorites/search?q=tag:birds",
        "favorites/search?q=s",
        "favorites/kestrel/tags",
        "tags",
        "tags?sort=created",
        "tags?order=desc",
        "tags/birds/favorites",
        "tags/later/favorites",
        "tags/birds/favorites/types/image",
    ] {
        lists.push(List::new("ben", format!("/users/ben/{list}")));
    }
    lists
}

#[tokio::test]
async fn a_cursor_is_valid_only_for_the_list_and_the_owner_that_it_was_made_for() {
    let api = Api::start().await;
    let mut lists = lists_of_events(&api).await;
    for list in similar_lists(&api).await {
        if lists.iter().all(|other| other.uri != list.uri) {
            lists.push(list);
        }
    }
    for made_for in &lists {
        let first = api.get(&made_for.caller, &made_for.with("limit=1")).await;
        let cursor = first["nextCursor"].as_str().unwrap_or_else(|| panic!("{} has one page", made_for.uri));
        for list in &lists {
            let uri = list.with(&format!("cursor={cursor}"));
            let answer = api.request(&list.caller, "GET", &uri).send().await.unwrap();
            let expected = if made_for.uri == list.uri { 200 } else { 400 };
            assert_eq!(answer.status(), expected, "the cursor of {} at {}", made_for.uri, list.uri);
        }
    }
    api.stack.shutdown().await;
}
