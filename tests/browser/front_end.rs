//! The first app of `client/examples`, from another origin than the API's and from the same one, and
//! the client that it uses.

use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tests::stack::root;
use tests::tools::tool;
use tokio::net::TcpListener;

use crate::browser::webdriver::Browser;
use crate::browser::{start_browser, start_stack};

/// The path of the app. It loads the client from its place in the project.
const APP: &str = "/client/examples/first-app/";

/// Serves the files of the project from a free port, and below `/api` the API at `api`, as the
/// distribution of edge.yaml does. Returns the origin, and the number of preflights that have come.
async fn serve(api: Option<String>) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    let preflights = Arc::new(AtomicUsize::new(0));
    let (counted, http) = (preflights.clone(), reqwest::Client::new());
    let answer = async move |request: Request| {
        if request.method() == Method::OPTIONS {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        match &api {
            Some(api) if request.uri().path().starts_with("/api/") => forward(&http, api, request).await,
            _ => file(request.uri().path()),
        }
    };
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    (format!("http://{address}"), preflights)
}

/// Answers with a file of the project.
fn file(path: &str) -> Response {
    let name = if path.ends_with('/') { format!("{path}index.html") } else { path.to_owned() };
    let kind = match name.rsplit('.').next() {
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        _ => "text/html",
    };
    match fs::read(root().join(&name[1..])) {
        Ok(content) => ([(header::CONTENT_TYPE, kind)], content).into_response(),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
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

/// Opens the app in the window of a phone.
async fn open(browser: &Browser, origin: &str, api: &str) {
    let window = json!({"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true});
    browser.devtools("Emulation.setDeviceMetricsOverride", window).await;
    browser.go(&format!("{origin}{APP}?api={api}")).await;
}

/// Opens the app and signs in as ada.
async fn enter(browser: &Browser, origin: &str, api: &str) {
    open(browser, origin, api).await;
    browser.click("form button").await;
}

/// Waits until an element of this CSS selector shows a text.
async fn see(browser: &Browser, selector: &str, text: &str) {
    let script = "return [...document.querySelectorAll(arguments[0])].some(({innerText}) => \
        innerText.includes(arguments[1])) || null";
    browser.wait_for(script, json!([selector, text])).await;
}

/// Chooses a picture to upload.
async fn choose_picture(browser: &Browser) {
    let picture = root().join("docs/images/page-light.webp");
    browser.act("value", json!({"text": picture}), "return document.querySelector('[type=file]')", json!([])).await;
}

/// Checks that axe finds nothing, and that nothing is wider than the window.
async fn examine(browser: &Browser) {
    let wide = "return document.documentElement.scrollWidth > innerWidth";
    assert_eq!(browser.run(wide).await, false, "the page scrolls to the side");
    let Some(axe) = tool("QUICK_PHOTOS_AXE") else { return };
    browser.run(&fs::read_to_string(axe).unwrap()).await;
    let script =
        "return axe.run().then(({violations}) => violations.map(({id, nodes}) => [id, nodes.map(({html}) => html)]))";
    assert_eq!(browser.run(script).await, json!([]));
}

#[tokio::test]
async fn the_first_app_is_used_on_a_phone_and_has_less_than_150_lines() {
    let lines =
        ["index.html", "app.js"].map(|name| fs::read_to_string(format!("{}{APP}{name}", root().display())).unwrap());
    assert!(lines.iter().map(|text| text.lines().count()).sum::<usize>() < 150);

    let Some(browser) = start_browser().await else { return };
    let (origin, _) = serve(None).await;
    let stack = start_stack(Some(origin.clone())).await;
    open(&browser, &origin, stack.api()).await;
    see(&browser, "h1", "Sign in").await;
    examine(&browser).await;
    browser.click("form button").await;
    see(&browser, "article img", "").await;
    examine(&browser).await;
    browser.click("article button").await;
    see(&browser, "article button[aria-pressed=true]", "♥").await;

    browser.click("article a").await;
    see(&browser, "h1", "Photo").await;
    browser
        .act("value", json!({"text": "Seen on my phone"}), "return document.querySelector('form input')", json!([]))
        .await;
    browser.click("form button").await;
    see(&browser, "li", "Seen on my phone").await;
    // The reaction was sent.
    browser.reload().await;
    see(&browser, "article button[aria-pressed=true]", "♥").await;
    see(&browser, "li", "Ada Marsh Seen on my phone").await;
    examine(&browser).await;

    choose_picture(&browser).await;
    see(&browser, "#uploads li", "page-light.webp: ready").await;
    browser.click("#uploads a").await;
    see(&browser, "article p", "Ada Marsh").await;
    browser.click("[href='#notifications']").await;
    see(&browser, "main li", "").await;
    examine(&browser).await;
    assert_eq!(browser.console().await, Vec::<String>::new());
    stack.shutdown().await;
}

#[tokio::test]
async fn an_upload_that_fails_goes_on_after_a_reload() {
    let Some(browser) = start_browser().await else { return };
    let (origin, _) = serve(None).await;
    let stack = start_stack(Some(origin.clone())).await;
    enter(&browser, &origin, stack.api()).await;
    see(&browser, "article img", "").await;
    browser.devtools("Network.enable", json!({})).await;
    let block = async |urls: Value| browser.devtools("Network.setBlockedURLs", json!({"urls": urls})).await;
    block(json!(["*/quick-photos-*"])).await;
    choose_picture(&browser).await;
    see(&browser, "#uploads li", "page-light.webp: Try again.").await;
    block(json!([])).await;
    browser.reload().await;
    see(&browser, "#uploads li", "page-light.webp: ready").await;
    // It is not sent once more.
    browser.reload().await;
    see(&browser, "article img", "").await;
    assert_eq!(browser.run("return document.querySelectorAll('#uploads li').length").await, 0);
    stack.shutdown().await;
}

/// Uses the client in a page, and returns what it has seen of the API's headers and of a picture.
const USE: &str = r#"
    const {LocalIssuer, QuickPhotos} = await import("quick-photos-client");
    const api = new URL(location).searchParams.get("api");
    const editor = new QuickPhotos({api, session: new LocalIssuer({api, username: "ada", groups: ["editors"]})});
    const refused = await fetch(api + "/users/ada", {headers: {Authorization: "Bearer x"}});
    const song = "/music/A~20Browser/A~20Page";
    const created = await editor.request("PUT", song, {body: {Price: 1}, headers: {"If-None-Match": "*"}});
    const etag = created.headers.get("etag");
    await editor.request("PUT", song, {body: {Price: 2}, headers: {"If-Match": etag}});
    const conflict = await editor.request("PUT", song, {body: {Price: 3}, headers: {"If-Match": etag}}).catch((problem) => problem);
    const headers = {"Idempotency-Key": crypto.randomUUID()};
    const favorite = () => editor.request("POST", "/users/me/favorites", {body: {dataType: "note", title: "Once"}, headers});
    const [first, second] = [await favorite(), await favorite()];
    const {data} = await editor.GET("/users/{username}/photos/{photo}", {params: {path: {username: "ada", photo: "2024-05-30T15:42:38"}}});
    const [{url}] = data.photo.urls;
    const image = new Image();
    // Without this, the browser keeps an answer that the fetch below may not read, because S3 sends the headers of CORS only
    // if the request has an origin.
    image.crossOrigin = "anonymous";
    image.src = url;
    await image.decode();
    return {
      challenge: refused.headers.get("www-authenticate"), id: refused.headers.get("apigw-requestid"), location: created.headers.get("location"),
      conflict: conflict.is("precondition-failed"), statuses: [created.status, first.status, second.status],
      width: image.naturalWidth, file: (await fetch(url)).status,
    };"#;

/// Runs `USE` in the app and checks what it has seen. `base` is the path of the API.
async fn use_client(browser: &Browser, base: &str) {
    let seen = browser.run(USE).await;
    assert!(seen["challenge"].as_str().unwrap().contains("error=\"invalid_token\""), "{seen}");
    assert!(seen["id"].is_string(), "{seen}");
    assert_eq!(seen["location"], format!("{base}/music/A~20Browser/A~20Page"));
    assert_eq!((&seen["conflict"], &seen["statuses"]), (&json!(true), &json!([201, 201, 200])));
    assert_eq!((&seen["width"], &seen["file"]), (&json!(440), &json!(200)));
}

/// A browser keeps a preflight for one URL. So a page of another origin sends one for each, and a
/// page of the same origin none.
#[tokio::test]
async fn a_page_of_the_same_origin_sends_no_preflight() {
    let Some(browser) = start_browser().await else { return };
    let (other, _) = serve(None).await;
    let stack = start_stack(Some("*".to_owned())).await;
    let (origin, preflights) = serve(Some(stack.api().to_owned())).await;
    enter(&browser, &origin, "/api").await;
    see(&browser, "article img", "").await;
    use_client(&browser, "/api").await;
    assert_eq!(preflights.load(Ordering::Relaxed), 0);

    enter(&browser, &other, &format!("{origin}/api")).await;
    see(&browser, "article img", "").await;
    assert!(preflights.load(Ordering::Relaxed) > 0);
    stack.shutdown().await;
}

#[tokio::test]
async fn a_page_of_another_origin_reads_headers_and_pictures_if_it_is_allowed() {
    let Some(browser) = start_browser().await else { return };
    let (origin, _) = serve(None).await;
    let stack = start_stack(Some(origin.clone())).await;
    enter(&browser, &origin, stack.api()).await;
    see(&browser, "article img", "").await;
    use_client(&browser, "").await;
    stack.shutdown().await;
    for allowed in [None, Some("http://localhost:5173".to_owned())] {
        let stack = start_stack(allowed).await;
        open(&browser, &origin, stack.api()).await;
        see(&browser, "#error", "The server cannot be reached.").await;
        stack.shutdown().await;
    }
}
