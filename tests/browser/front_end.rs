//! A page of another origin than the API's, and a page of the same origin: `front_end.html`, which
//! signs in, lists, writes, and uploads a picture.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderValue, Method, header};
use axum::response::{Html, Response};
use axum::{Router, routing::get};
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

/// Serves the page, and below `/api` the API at `api`, as the distribution of edge.yaml does.
/// Returns the address, and the number of preflights that have come.
async fn serve_page_and_api(api: String) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let preflights = Arc::new(AtomicUsize::new(0));
    let (counted, http) = (preflights.clone(), reqwest::Client::new());
    let forward = async move |request: Request| {
        if request.method() == Method::OPTIONS {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        forward(&http, &api, request).await
    };
    let app = Router::new().route("/", get(async || Html(include_str!("front_end.html")))).fallback(forward);
    tokio::spawn(async move { axum::serve(listener, app).await });
    (address, preflights)
}

/// Sends a request below `/api` to the API, and returns the answer with the path of a new thing as
/// the page sees it.
async fn forward(http: &reqwest::Client, api: &str, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().unwrap().as_str().strip_prefix("/api").unwrap();
    let request = http.request(parts.method, format!("{api}{path}")).headers(parts.headers);
    let answer = request.body(to_bytes(body, usize::MAX).await.unwrap()).send().await.unwrap();
    let (status, mut headers) = (answer.status(), answer.headers().clone());
    if let Some(location) = headers.get_mut(header::LOCATION) {
        *location = HeaderValue::try_from(format!("/api{}", location.to_str().unwrap())).unwrap();
    }
    headers.remove(header::TRANSFER_ENCODING);
    let mut response = Response::new(Body::from(answer.bytes().await.unwrap()));
    (*response.status_mut(), *response.headers_mut()) = (status, headers);
    response
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
    assert_eq!(answers["image"], json!({"width": 440, "height": 330}));

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
    assert_eq!(answers["photoAgain"]["json"]["id"], answers["photo"]["json"]["id"]);
    assert_eq!(answers["favorites"]["json"]["favorites"][0]["title"], "Written in a browser");
    assert_eq!(answers["songRead"]["headers"]["etag"], answers["song"]["headers"]["etag"]);
    assert_ne!(answers["songChanged"]["headers"]["etag"], answers["song"]["headers"]["etag"]);
    stack.shutdown().await;
}

/// A browser keeps a preflight for one URL. So a page of another origin sends one for each, and a
/// page of the same origin none.
#[tokio::test]
async fn a_page_of_the_same_origin_sends_no_preflight() {
    let Some(browser) = start_browser().await else { return };
    let other = format!("http://{}", serve_page().await);
    let stack = start_stack(Some("*".to_owned())).await;
    let (address, preflights) = serve_page_and_api(stack.api().to_owned()).await;
    let result = load(&browser, &format!("http://{address}"), "/api").await;
    assert_eq!((&result["error"], &result["answers"]["songConflict"]["status"]), (&Value::Null, &json!(412)));
    assert_eq!(result["answers"]["image"], json!({"width": 440, "height": 330}));
    assert_eq!(preflights.load(Ordering::Relaxed), 0);

    let result = load(&browser, &other, &format!("http://{address}/api")).await;
    assert_eq!((&result["error"], &result["answers"]["favorites"]["status"]), (&Value::Null, &json!(200)));
    assert!(preflights.load(Ordering::Relaxed) > 5, "{preflights:?}");
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
