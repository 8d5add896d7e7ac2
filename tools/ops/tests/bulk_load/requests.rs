//! The requests: batches, concurrency, the order of lines with the same key, and retries.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::loader;
use loader::{Error, Event, Totals};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::engine::{Engine, Reply, lines};

#[tokio::test]
async fn loads_the_last_of_several_lines_with_the_same_key() {
    let engine = Engine::start().await;
    let (pending, overlaps) = (Arc::new(Mutex::new(HashSet::new())), Arc::new(Mutex::new(0)));
    let client = {
        let overlaps = Arc::clone(&overlaps);
        engine.proxy(move |_, writes| {
            let keys: Vec<String> =
                writes.iter().map(|write| write["PutRequest"]["Item"]["PK"]["S"].to_string()).collect();
            let mut sent = pending.lock().unwrap();
            *overlaps.lock().unwrap() += keys.iter().filter(|key| !sent.insert((*key).clone())).count();
            let pending = Arc::clone(&pending);
            let finished = move || pending.lock().unwrap().retain(|key| !keys.contains(key));
            async { Reply::ForwardAndThen(Box::new(finished)) }
        })
    }
    .await;
    // Eight consecutive batches have the same 25 keys, and then three consecutive lines have the
    // same key.
    let lines = lines((0..200).map(|i| (i % 25, i)).chain([(3, 1000), (3, 1001), (3, 1002)]));
    let totals = loader::load_file(&client, "things", &engine.file(lines), |_| {}).await.unwrap();
    assert_eq!(totals, Totals { loaded: 203, bad: 0 });
    assert_eq!(*overlaps.lock().unwrap(), 0, "keys that were sent while a request with the same key was pending");
    let expected = (0..25).map(|key| (format!("key {key}"), if key == 3 { 1002 } else { 175 + key }.to_string()));
    assert_eq!(engine.values().await, expected.collect());
}

#[tokio::test]
async fn sends_eight_batches_of_25_concurrently() {
    let engine = Engine::start().await;
    let (barrier, sizes) = (Arc::new(Barrier::new(8)), Arc::new(Mutex::new(Vec::new())));
    let client = {
        let sizes = Arc::clone(&sizes);
        engine.proxy(move |number, writes| {
            sizes.lock().unwrap().push(writes.len());
            let barrier = Arc::clone(&barrier);
            async move {
                if number < 8 {
                    barrier.wait().await;
                }
                Reply::Forward
            }
        })
    }
    .await;
    let file = engine.file(lines((0..310).map(|i| (i, i))));
    let load = loader::load_file(&client, "things", &file, |_| {});
    let totals = tokio::time::timeout(Duration::from_secs(30), load).await.expect("eight concurrent batches").unwrap();
    assert_eq!(totals, Totals { loaded: 310, bad: 0 });
    assert_eq!(engine.values().await, (0..310).map(|i| (format!("key {i}"), i.to_string())).collect());
    let mut sizes = sizes.lock().unwrap().clone();
    sizes.sort_unstable();
    assert_eq!(sizes, [vec![10], vec![25; 12]].concat());
}

#[tokio::test]
async fn sends_requests_of_less_than_16_mb() {
    let engine = Engine::start().await;
    // In JSON each byte of the item takes six bytes, so that a line has 2.4 MB.
    let control = "\\u0001".repeat(400 * 1000);
    let lines = (0..7)
        .map(|i| format!("{{\"PK\": \"{i}\", \"SK\": \"-\", \"v\": \"{control}\"}}\n"))
        .collect::<Vec<_>>()
        .concat();
    let client = engine
        .proxy(async |_, writes: Vec<Value>| {
            let size = json!(writes).to_string().len();
            assert!(size < 16 << 20, "{} items in {size} bytes", writes.len());
            Reply::Forward
        })
        .await;
    let totals =
        loader::load_file_with_timeout(Duration::from_secs(10), &client, "things", &engine.file(lines), |_| {}).await;
    assert_eq!(totals.unwrap(), Totals { loaded: 7, bad: 0 });
    assert_eq!(engine.items("things").await.len(), 7);
}

#[tokio::test]
async fn retries_unprocessed_items_and_transient_errors() {
    let engine = Engine::start().await;
    let client = engine
        .proxy(async |number, writes: Vec<Value>| match number {
            0 => Reply::Process(10),
            1 => Reply::Error(400, "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"),
            2..=8 => Reply::Error(400, "com.amazon.coral.availability#ThrottlingException"),
            9..=12 => Reply::Error(500, "com.amazonaws.dynamodb.v20120810#InternalServerError"),
            13 => Reply::Process(0),
            14 => Reply::Process(writes.len() / 2),
            _ => Reply::Forward,
        })
        .await;
    let totals =
        loader::load_file(&client, "things", &engine.file(lines((0..60).map(|i| (i, i)))), |_| {}).await.unwrap();
    assert_eq!(totals, Totals { loaded: 60, bad: 0 });
    assert_eq!(engine.values().await, (0..60).map(|i| (format!("key {i}"), i.to_string())).collect());
}

#[tokio::test]
async fn fails_after_a_stall_or_a_permanent_error() {
    let engine = Engine::start().await;
    let file = engine.file(lines((0..60).map(|i| (i, i))));
    for no_answer in [false, true] {
        let client =
            engine.proxy(move |_, _| async move { if no_answer { Reply::NoAnswer } else { Reply::Process(0) } }).await;
        let load = loader::load_file_with_timeout(Duration::from_millis(300), &client, "things", &file, |_| {});
        let error = tokio::time::timeout(Duration::from_secs(30), load).await.expect("the load ends").unwrap_err();
        assert!(matches!(error, Error::Stalled(..)), "{error:?}");
    }

    let client = engine.proxy(async |_, _| Reply::Error(400, "AccessDeniedException")).await;
    let error = loader::load_file(&client, "things", &file, |_| {}).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "writing failed: injected by the test (AccessDeniedException); add the action to the policy of these credentials"
    );
}

#[tokio::test]
async fn reports_a_line_that_only_the_table_rejects() {
    let engine = Engine::start().await;
    let client = engine
        .proxy(async |_, writes: Vec<Value>| {
            if writes.iter().any(|write| write["PutRequest"]["Item"]["PK"]["S"] == "key 30") {
                Reply::Error(400, "com.amazon.coral.validate#ValidationException")
            } else {
                Reply::Forward
            }
        })
        .await;
    let mut bad_lines = Vec::new();
    let file = engine.file(lines((0..60).map(|i| (i, i))));
    let totals = loader::load_file(&client, "things", &file, |event| {
        if let Event::BadLine { line, reason } = event {
            bad_lines.push(format!("{line}: {reason}"));
        }
    });
    assert_eq!(totals.await.unwrap(), Totals { loaded: 59, bad: 1 });
    assert_eq!(bad_lines, ["31: injected by the test (ValidationException)"]);
    assert_eq!(engine.values().await.len(), 59);
}
