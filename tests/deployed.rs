//! One session of a new user with the environments that the functions got when template.yaml was
//! deployed.
//!
//! The environment variable `QUICK_PHOTOS_DEPLOYED` names the file of these environments, which
//! deploy.py writes. A test whose variable is not set does nothing. Only endpoints, credentials and
//! the variables that Lambda sets are local.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use local::lambda::build;
use local::lambda::runtime::{self, Endpoints};
use local::stack::{Options, Stack};
use local::template::{Function, Template};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use testing::PNG;
use tests::stack;
use tests::upload::send_file;

/// The environment of each function by its name.
type Environments = BTreeMap<String, BTreeMap<String, String>>;

/// Writes a program for each function into `directory`, which starts the function with its
/// environment of the deployment.
fn write_functions(directory: &Path, environments: &Environments) {
    let binaries = build::directory().unwrap();
    let endpoints = Endpoints { dynamodb: String::new(), s3: String::new(), api: String::new() };
    let functions = Template::read(&Template::find().unwrap()).unwrap().functions;
    for function in functions {
        let deployed = environments.get(&function.name).unwrap_or_else(|| panic!("no {} was deployed", function.name));
        let bare = Function { environment: BTreeMap::new(), ..function.clone() };
        let local = runtime::environment(&bare, directory, &endpoints).into_keys();
        let local = local.chain(["AWS_LAMBDA_RUNTIME_API".to_owned(), "_X_AMZN_TRACE_ID".to_owned()]);
        let mut variables: BTreeMap<String, String> =
            deployed.iter().map(|(name, value)| (name.clone(), format!("'{value}'"))).collect();
        let is_endpoint = |name: &String| {
            name.starts_with("AWS_ENDPOINT_URL")
                || ["PHOTO_BUCKET_URL", "PICTURES_URL", "PICTURES_KEY", "CURSORS_KEY"].contains(&&**name)
                || [
                    "LINKS_URL",
                    "LIVE_URL",
                    "LINKS_KEY",
                    "APP_LINK",
                    "VAPID_KEY",
                    "WEB_PUSH_SERVICES",
                    "PUSH_APPLICATION",
                ]
                .contains(&&**name)
        };
        let endpoints: Vec<_> = deployed.keys().filter(|name| is_endpoint(name)).cloned().collect();
        variables.extend(local.chain(endpoints).map(|name| (name.clone(), format!("\"${name}\""))));
        let variables: Vec<_> = variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let binary = binaries.join(&function.name);
        let script = format!("#!/bin/sh\nexec env -i {} '{}'\n", variables.join(" "), binary.display());
        let path = directory.join(&function.name);
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    }
}

/// A local stack in which one user is signed in.
struct Session {
    stack: Stack,
    http: Client,
    user: &'static str,
}

impl Session {
    /// Sends a request, asserts the status, and returns the body.
    async fn send(&self, method: Method, path: &str, body: Value, status: u16) -> Value {
        let what = format!("{method} {path}");
        let request = self.http.request(method, format!("{}{path}", self.stack.api()));
        let request = request.bearer_auth(self.stack.token_in(self.user, "editors").unwrap());
        let request = if body.is_null() { request } else { request.json(&body) };
        let answer = request.send().await.unwrap();
        let (found, text) = (answer.status(), answer.text().await.unwrap());
        assert_eq!(found, status, "{what}: {text}");
        serde_json::from_str(&text).unwrap_or_default()
    }

    async fn get(&self, path: &str) -> Value {
        self.send(Method::GET, path, Value::Null, 200).await
    }

    async fn put(&self, path: &str) {
        self.send(Method::PUT, path, Value::Null, 201).await;
    }
}

#[tokio::test]
async fn a_session_of_a_new_user_succeeds_with_the_deployed_environments() {
    let Some(path) = std::env::var_os("QUICK_PHOTOS_DEPLOYED") else {
        println!("skipped: QUICK_PHOTOS_DEPLOYED names no file of environments");
        return;
    };
    let environments: Environments = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    write_functions(directory.path(), &environments);
    let options = Options { functions: Some(directory.path().to_owned()), ..Options::default() };
    let stack = stack::start(options).await;
    let session = Session { stack, http: Client::new(), user: "dora" };

    session.send(Method::POST, "/users", json!({"username": "dora", "name": "Dora Okafor"}), 201).await;
    session.put("/users/ada/followers/dora").await;
    let created = session.send(Method::POST, "/users/dora/photos", json!({}), 201).await;
    send_file(&session.http, &created["upload"], PNG).await;
    session.stack.idle().await;
    let profile = session.get("/users/dora/profile").await;
    let photo = &profile["photos"][0];
    assert_eq!(photo["status"], "ready");
    let picture = session.http.get(photo["urls"][0]["url"].as_str().unwrap()).send().await.unwrap();
    assert_eq!(picture.status(), 200);

    let feed = session.get("/users/dora/feed").await;
    let of_ada = &feed["photos"][0];
    assert_eq!(of_ada["username"], "ada");
    let path = format!("/users/ada/photos/{}", of_ada["id"].as_str().unwrap());
    session.put(&format!("{path}/reactions/heart")).await;
    let reactions = session.get(&path).await["reactions"].take();
    assert!(reactions.as_array().unwrap().iter().any(|reaction| reaction["username"] == "dora"), "{reactions}");
    assert_eq!(session.get("/users/dora/following").await["following"][0]["username"], "ada");

    let tiles = json!({"dataId": "tiles", "dataType": "link", "title": "Tiles of Lisbon", "creatorId": "ben"});
    session.send(Method::POST, "/users/dora/favorites", tiles, 201).await;
    let tag = session.send(Method::POST, "/users/dora/tags", json!({"tagName": "Portugal"}), 201).await;
    let tag = tag["tagId"].as_str().unwrap();
    session.put(&format!("/users/dora/favorites/tiles/tags/{tag}")).await;
    session.stack.idle().await;
    let found = session.get("/users/dora/favorites/search?q=lisb%20tag:portugal").await;
    assert_eq!(found["favorites"][0]["dataId"], "tiles");

    session
        .send(Method::PUT, "/music/Nina~20Moreau/Harbour", json!({"Genre": "Jazz", "AlbumTitle": "Boats"}), 201)
        .await;
    assert_eq!(session.get("/genres/Jazz/albums").await["albums"][0]["AlbumTitle"], "Boats");
    session.stack.shutdown().await;
}
