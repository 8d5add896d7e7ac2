//! Bad input that no function sees, or that only the whole system shows. The tests of the functions
//! check what each field rejects.

use local::template::Template;
use serde_json::json;

use crate::api::{Api, Bare, gateway_error, problem};

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
async fn an_encoded_hash_or_space_does_not_reach_another_key() {
    let api = Api::start().await;
    for name in ["ada%23", "ada%20", "ada%5C"] {
        let answer = api.request("ada", "GET", &format!("/users/{name}")).send().await.unwrap();
        assert_eq!(problem(answer, 400).await["errors"][0]["field"], "username", "{name}");
    }
    api.stack.shutdown().await;
}

#[tokio::test]
async fn a_text_that_is_no_token_gets_the_answer_of_a_link_that_does_not_exist() {
    let api = Api::start().await;
    let guessed = "AAAAAAAAAAAAAAAAAAAAAA";
    for (method, path) in
        [("GET", "/s/{}"), ("GET", "/s/{}/picture"), ("POST", "/s/{}/report"), ("GET", "/oembed?url={}")]
    {
        let send = async |token: &str| {
            let token =
                if path.contains("url=") { format!("https://links.example/s/{token}") } else { token.to_owned() };
            let request = api.anonymous(method, &path.replace("{}", &token)).header("accept", "application/json");
            let request = if method == "POST" { request.json(&json!({"reason": "spam"})) } else { request };
            Bare::read(request.send().await.unwrap()).await
        };
        let expected = send(guessed).await;
        assert_eq!(expected.status, 404, "{path}: {}", expected.text);
        for bad in
            ["a", "AAAAAAAAAAAAAAAAAAAAAB", "USER%23ada", "Zm9yLW9ubHktdGVzdGluZw%3D%3D", "%00", &"A".repeat(2000)]
        {
            assert_eq!(send(bad).await, expected, "{path}: {bad}");
        }
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
