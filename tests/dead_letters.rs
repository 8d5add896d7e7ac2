//! `tools/ops/redrive.py` on the local stack: functions give up records and an event because their
//! program crashes, and get them again from the queue. Skipped unless the environment variable
//! `QUICK_PHOTOS_PYTHON` names a Python with boto3 and moto.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use axum::http::StatusCode;
use axum::{Json, Router};
use local::lambda::build;
use local::stack::{self, Options, Stack};
use local::template::Template;
use serde_json::{Value, json};
use tests::stack::{build_functions, root, start};
use tests::tools::{run_script, tool};
use tokio::net::TcpListener;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// The time in which the functions give up: ten retries of two records, and three attempts at one
/// event by two functions.
const GIVE_UP_TIMEOUT: Duration = Duration::from_mins(5);

/// The functions whose programs crash.
const BROKEN: [&str; 3] = ["process-changes", "process-photo", "reject-photo"];

/// A directory with the binaries of the functions.
struct Binaries {
    directory: tempfile::TempDir,
    built: PathBuf,
    names: Vec<String>,
}

impl Binaries {
    async fn new() -> Self {
        build_functions().await;
        let functions = Template::read(&Template::find().unwrap()).unwrap().functions;
        let names = functions.into_iter().map(|function| function.name).collect();
        let binaries = Self { directory: tempfile::tempdir().unwrap(), built: build::directory().unwrap(), names };
        binaries.repair();
        binaries
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Replaces functions by programs that end without an answer.
    fn break_functions(&self) {
        for name in BROKEN {
            fs::remove_file(self.path(name)).unwrap();
            fs::write(self.path(name), "#!/bin/sh\nexit 1\n").unwrap();
            fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    fn repair(&self) {
        for name in &self.names {
            let _ = fs::remove_file(self.path(name));
            symlink(self.built.join(name), self.path(name)).unwrap();
        }
    }
}

/// Runs redrive.py with the endpoints of the stack, but for that of the streams.
async fn redrive(python: &Path, stack: &Stack, streams: &str, arguments: &[&str]) -> (String, Option<i32>) {
    let queue = format!("{}/local/sqs/FailedRecords", stack.api());
    run(python, "../tools/ops/redrive.py", stack, streams, &[&["--queue-url", &queue], arguments].concat()).await
}

/// Runs a Python program with the endpoints of the stack, but for that of the streams.
async fn run(python: &Path, script: &str, stack: &Stack, streams: &str, arguments: &[&str]) -> (String, Option<i32>) {
    let mut command = Command::new(python);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(script)).args(arguments);
    command.envs([("AWS_ACCESS_KEY_ID", "local"), ("AWS_SECRET_ACCESS_KEY", "local"), ("AWS_MAX_ATTEMPTS", "1")]);
    command.env("AWS_DEFAULT_REGION", "us-east-1").env("AWS_ENDPOINT_URL_LAMBDA", stack.api());
    command.env("AWS_ENDPOINT_URL_SQS", format!("{}/local/sqs", stack.api()));
    command.env("AWS_ENDPOINT_URL_DYNAMODB_STREAMS", streams);
    // On a thread of its own, because the stack has to answer on this one.
    let Output { stdout, stderr, status } = spawn_blocking(move || command.output().unwrap()).await.unwrap();
    eprintln!("{}", String::from_utf8(stderr).unwrap());
    (String::from_utf8(stdout).unwrap(), status.code())
}

/// Returns the outcomes of the lines of redrive.py by function, and its last line.
fn outcomes(stdout: &str) -> (Vec<(String, String)>, &str) {
    let (lines, summary) = stdout.trim_end().rsplit_once('\n').unwrap_or(("", stdout.trim_end()));
    let outcome = |line: &str| {
        let function = line.split(' ').nth(1).unwrap().to_owned();
        (function, line.split(": ").nth(1).unwrap().to_owned())
    };
    let mut outcomes: Vec<_> = lines.lines().map(outcome).collect();
    outcomes.sort();
    (outcomes, summary)
}

/// The outcomes if all messages have the same one.
fn all(outcome: &str) -> Vec<(String, String)> {
    // dora is new, ada has a follower more, dora follows somebody more, and the friendship is new.
    let functions = [["process-changes"; 4].as_slice(), &["reject-photo"]].concat();
    functions.into_iter().map(|function| (function.to_owned(), outcome.to_owned())).collect()
}

/// Returns the URL of streams from which everything was trimmed.
async fn trimmed_streams() -> String {
    let answer = async || {
        let error = json!({"__type": "com.amazonaws.dynamodb.v20120810#TrimmedDataAccessException", "message": "gone"});
        (StatusCode::BAD_REQUEST, Json(error))
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    url
}

/// Returns all items of the tables in which the functions write, without the times of their expiry.
async fn items(stack: &Stack) -> BTreeMap<String, String> {
    let client = stack::client(stack.dynamodb());
    let mut all = BTreeMap::new();
    for table in ["quick-photos", "dev.Favorite", "dev.Feed"] {
        let mut pages = client.scan().table_name(table).into_paginator().send();
        while let Some(page) = pages.try_next().await.unwrap() {
            for item in page.items.unwrap_or_default() {
                let mut item: Value = serde_dynamo::from_item(item).unwrap();
                // An entry of a feed that is written again expires later.
                item.as_object_mut().unwrap().remove("ttl");
                let key = ["PK", "SK", "pk", "sk"].map(|name| item[name].as_str().unwrap_or_default().to_owned());
                all.insert(format!("{table} {}", key.join(" ").trim()), item.to_string());
            }
        }
    }
    all
}

#[tokio::test]
async fn redrives_what_functions_gave_up_once_they_are_repaired() {
    let Some(python) = tool("QUICK_PHOTOS_PYTHON") else { return };
    let binaries = Binaries::new().await;
    binaries.break_functions();
    let functions = Some(binaries.directory.path().to_owned());
    let stack = start(Options { functions, ..Options::default() }).await;
    let http = reqwest::Client::new();
    let dora = stack.token("dora").unwrap();

    let user = json!({"username": "dora", "name": "Dora Okafor", "email": "dora@example.com"});
    let created = http.post(format!("{}/users", stack.api())).bearer_auth(&dora).json(&user).send().await.unwrap();
    assert_eq!(created.status(), 201);
    let follow = http.put(format!("{}/users/ada/followers/dora", stack.api())).bearer_auth(&dora);
    assert_eq!(follow.send().await.unwrap().status(), 201);
    let upload = fs::read(root().join("events/process-photo.json")).unwrap();
    let invoke = http.post(format!("{}/2015-03-31/functions/process-photo/invocations", stack.api()));
    let accepted = invoke.header("x-amz-invocation-type", "Event").body(upload).send().await.unwrap();
    assert_eq!(accepted.status(), 202);
    timeout(GIVE_UP_TIMEOUT, stack.idle()).await.unwrap();
    let before = items(&stack).await;
    assert!(!before.keys().any(|key| key.contains("Feed dora")), "nobody has filled the feed of dora: {before:?}");

    // While the functions are broken, every message stays.
    let redrive = |streams: String, arguments: &'static [&str]| {
        let (python, stack) = (&python, &stack);
        async move { self::redrive(python, stack, &streams, arguments).await }
    };
    let streams = || stack.dynamodb().to_owned();
    let (stdout, code) = redrive(streams(), &["--dry-run"]).await;
    assert_eq!((outcomes(&stdout), code), ((all("redrivable"), "5 messages, 5 redrivable"), Some(0)));
    let (stdout, code) = redrive(streams(), &[]).await;
    assert_eq!((outcomes(&stdout), code), ((all("failed"), "5 messages, 5 failed"), Some(1)));
    assert!(stdout.contains("the function failed: {'error"), "{stdout}");
    assert_eq!(items(&stack).await, before);
    let (stdout, code) = redrive("http://127.0.0.1:1".to_owned(), &[]).await;
    assert_eq!((stdout.contains("process-changes"), code), (false, Some(2)), "no stream answers");

    // A message about records that the stream has no more stays too, unless the caller wants to
    // discard it.
    binaries.repair();
    let trimmed = trimmed_streams().await;
    let (stdout, code) = redrive(trimmed.clone(), &["--dry-run", "--discard-trimmed"]).await;
    let (_, summary) = outcomes(&stdout);
    assert_eq!((summary, code), ("5 messages, 1 redrivable, 4 trimmed", Some(0)));
    let (stdout, code) = redrive(trimmed.clone(), &[]).await;
    assert_eq!((outcomes(&stdout).1, code), ("5 messages, 1 redriven, 4 trimmed", Some(1)));
    let photo = "quick-photos USER#uma PHOTO#uma#2024-12-01T09:00:00.000Z";
    assert!(items(&stack).await[photo].contains("rejected"), "{:?}", items(&stack).await[photo]);

    let (stdout, code) = redrive(streams(), &[]).await;
    let redriven = ("process-changes".to_owned(), "redriven".to_owned());
    let expected = vec![redriven; 4];
    assert_eq!((outcomes(&stdout), code), ((expected, "4 messages, 4 redriven"), Some(0)));
    timeout(GIVE_UP_TIMEOUT, stack.idle()).await.unwrap();
    let after = items(&stack).await;
    assert!(after.keys().any(|key| key.contains("Feed") && key.contains("dora")), "{:?}", after.keys());
    let outbox = stack.outbox().contents();
    assert_eq!((&outbox["emails"][0]["to"], &outbox["emails"][1]), (&json!(["dora@example.com"]), &Value::Null));
    assert_eq!(outbox["failures"], json!([]));

    let (stdout, code) = redrive(streams(), &[]).await;
    assert_eq!((stdout.as_str(), code), ("0 messages\n", Some(0)));
    assert_eq!(items(&stack).await, after);
    stack.shutdown().await;
}

#[test]
fn a_message_stays_until_it_is_redriven_or_discarded() {
    let Some(python) = tool("QUICK_PHOTOS_PYTHON") else { return };
    run_script(&python, "dead_letters/messages.py");
}

/// redrive.py sends all records between the first and the last one of a message, whatever the
/// filters of the function are.
#[tokio::test]
async fn a_stream_function_that_gets_its_whole_stream_again_changes_nothing() {
    let Some(python) = tool("QUICK_PHOTOS_PYTHON") else { return };
    let _binaries = Binaries::new().await;
    let stack = start(Options::default()).await;
    let http = reqwest::Client::new();
    let favorite =
        json!({"dataType": "link", "title": "Tiles of Lisbon", "dataId": "tiles", "contentUrl": "https://a.b/c"});
    let title =
        json!({"dataType": "link", "title": "Walls of Lisbon", "dataId": "walls", "contentUrl": "https://a.b/d"});
    let zoe = json!({"username": "zoe", "name": "Zoe", "email": "zoe@example.com"});
    for (user, method, path, body) in [
        ("zoe", "POST", "/users", Some(&zoe)),
        ("zoe", "PUT", "/users/ada/followers/zoe", None),
        ("zoe", "PUT", "/users/ben/followers/zoe", None),
        ("zoe", "DELETE", "/users/ben/followers/zoe", None),
        ("zoe", "PUT", "/users/ada/photos/2024-05-30T15:42:38/reactions/heart", None),
        ("ada", "POST", "/users/ada/favorites", Some(&favorite)),
        ("ada", "POST", "/users/ada/favorites", Some(&title)),
        ("ada", "PUT", "/users/ada/favorites/tiles/tags/travel", None),
        ("ada", "DELETE", "/users/ada/favorites/walls", None),
        ("ada", "DELETE", "/users/ada/tags/travel", None),
        ("ada", "DELETE", "/users/ada/photos/2024-06-09T13:49:13", None),
        ("ben", "DELETE", "/users/ben", None),
    ] {
        let request = http.request(method.parse().unwrap(), format!("{}{path}", stack.api()));
        let request = request.bearer_auth(stack.token(user).unwrap());
        let request = if let Some(body) = body { request.json(body) } else { request };
        let status = request.send().await.unwrap().status();
        assert!(status.is_success(), "{method} {path}: {status}");
    }
    timeout(GIVE_UP_TIMEOUT, stack.idle()).await.unwrap();
    let (before, outbox) = (items(&stack).await, stack.outbox().contents());

    let (stdout, code) = run(&python, "dead_letters/replay.py", &stack, stack.dynamodb(), &[]).await;
    assert_eq!((stdout.lines().count(), code), (4, Some(0)), "{stdout}");
    let records = stdout.lines().map(|line| line.rsplit(' ').next().unwrap().parse::<u32>().unwrap());
    assert!(records.into_iter().all(|number| number > 10), "{stdout}");
    timeout(GIVE_UP_TIMEOUT, stack.idle()).await.unwrap();
    let after = items(&stack).await;
    let changed: Vec<_> = after.keys().chain(before.keys()).filter(|key| after.get(*key) != before.get(*key)).collect();
    assert!(changed.is_empty(), "{changed:?}");
    assert_eq!(stack.outbox().contents(), outbox);
    stack.shutdown().await;
}
