//! A page of another origin than the API's: `front_end.html`, which signs in, lists, writes, and
//! uploads a picture.

use std::net::SocketAddr;

use axum::{Router, response::Html, routing::get};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::browser::webdriver::Browser;
use crate::browser::{start_browser, start_stack};

/// Serves the page from a free port and returns its address.
async fn serve_page() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let app = Router::new().route("/", get(async || Html(include_str!("front_end.html"))));
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

/// Loads the page and returns what it has got from the API.
async fn load(browser: &Browser, origin: &str, api: &str) -> Value {
    browser.go(&format!("{origin}/?api={api}")).await;
    browser.wait_for("return window.result ?? null", json!([])).await
}

#[tokio::test]
async fn a_page_of_an_allowed_origin_signs_in_lists_writes_and_uploads() {
    let Some(browser) = start_browser().await else { return };
    let origin = format!("http://{}", serve_page().await);
    let stack = start_stack(Some(origin.clone())).await;
    let result = load(&browser, &origin, stack.api()).await;
    assert_eq!(result["error"], Value::Null, "{result}");
    let answers = &result["answers"];
    let statuses = [
        ("noToken", 401),
        ("badToken", 401),
        ("token", 200),
        ("editorsToken", 200),
        ("photosBefore", 200),
        ("photo", 201),
        ("photoAgain", 200),
        ("upload", 204),
        ("ready", 200),
        ("small", 200),
        ("reaction", 201),
        ("photosAfter", 200),
        ("reactionRemoved", 204),
        ("status", 200),
        ("favorite", 201),
        ("favorites", 200),
        ("song", 201),
        ("songRead", 200),
        ("songChanged", 200),
        ("songConflict", 412),
    ];
    for (name, status) in statuses {
        assert_eq!(answers[name]["status"], status, "{name}: {}", answers[name]);
    }
    // All answers but the image, which has no status.
    assert_eq!(answers.as_object().unwrap().len(), statuses.len() + 1);
    assert_eq!(answers["image"], json!({"width": 320, "height": 240}));

    // The page can read why it failed.
    assert_eq!(answers["noToken"]["headers"]["www-authenticate"], "Bearer");
    assert_eq!(answers["noToken"]["json"]["message"], "Unauthorized");
    assert!(answers["noToken"]["headers"]["apigw-requestid"].is_string());
    let challenge = answers["badToken"]["headers"]["www-authenticate"].as_str().unwrap();
    assert!(challenge.contains("error=\"invalid_token\""), "{challenge}");
    assert_eq!(answers["songConflict"]["headers"]["content-type"], "application/problem+json");
    assert_eq!(answers["songConflict"]["json"]["type"], "tag:quick-photos.example,2026:precondition-failed");

    // It has written one photo, a reaction to it, and a favorite.
    let photos = |name: &str| answers[name]["json"]["photos"].as_array().unwrap().clone();
    assert_eq!(photos("photosAfter").len(), photos("photosBefore").len() + 1);
    assert_eq!(photos("photosAfter")[0]["reactions"]["heart"], 1);
    assert_eq!(answers["photoAgain"]["json"]["timestamp"], answers["photo"]["json"]["timestamp"]);
    assert_eq!(answers["favorites"]["json"]["favorites"][0]["title"], "Written in a browser");
    assert_eq!(answers["songRead"]["headers"]["etag"], answers["song"]["headers"]["etag"]);
    assert_ne!(answers["songChanged"]["headers"]["etag"], answers["song"]["headers"]["etag"]);
    stack.shutdown().await;
}

#[tokio::test]
async fn a_page_of_another_origin_fails() {
    let Some(browser) = start_browser().await else { return };
    let origin = format!("http://{}", serve_page().await);
    for allowed in [None, Some("http://localhost:5173".to_owned())] {
        let stack = start_stack(allowed).await;
        let result = load(&browser, &origin, stack.api()).await;
        assert_eq!(result["error"], "TypeError: Failed to fetch");
        assert_eq!(result["answers"], json!({}));
        stack.shutdown().await;
    }
}
