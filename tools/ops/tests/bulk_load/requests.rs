//! How the items travel: in batches, several at a time, in order, and again when the table is busy.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::load;
use load::{Error, Event, Report};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::engine::{Engine, Reply, lines};

#[tokio::test]
async fn the_last_of_lines_with_one_key_wins() {
    let engine = Engine::start().await;
    let (under_way, overlaps) = (Arc::new(Mutex::new(HashSet::new())), Arc::new(Mutex::new(0)));
    let client = {
        let overlaps = Arc::clone(&overlaps);
        engine.front(move |_, writes| {
            let keys: Vec<String> =
                writes.iter().map(|write| write["PutRequest"]["Item"]["PK"]["S"].to_string()).collect();
            let mut sent = under_way.lock().unwrap();
            *overlaps.lock().unwrap() += keys.iter().filter(|key| !sent.insert((*key).clone())).count();
            let under_way = Arc::clone(&under_way);
            let landed = move || under_way.lock().unwrap().retain(|key| !keys.contains(key));
            async { Reply::ForwardAndThen(Box::new(landed)) }
        })
    }
    .await;
    // The same 25 keys in eight batches on end, then one key right after itself.
    let lines = lines((0..200).map(|i| (i % 25, i)).chain([(3, 1000), (3, 1001), (3, 1002)]));
    let report = load::file(&client, "things", &engine.file(lines), |_| {}).await.unwrap();
    assert_eq!(report, Report { loaded: 203, bad: 0 });
    assert_eq!(*overlaps.lock().unwrap(), 0, "keys that were sent while they were under way");
    let expected = (0..25).map(|key| (format!("key {key}"), if key == 3 { 1002 } else { 175 + key }.to_string()));
    assert_eq!(engine.values().await, expected.collect());
}

#[tokio::test]
async fn eight_batches_of_25_are_under_way_at_a_time() {
    let engine = Engine::start().await;
    let (together, sizes) = (Arc::new(Barrier::new(8)), Arc::new(Mutex::new(Vec::new())));
    let client = {
        let sizes = Arc::clone(&sizes);
        engine.front(move |number, writes| {
            sizes.lock().unwrap().push(writes.len());
            let together = Arc::clone(&together);
            async move {
                if number < 8 {
                    together.wait().await;
                }
                Reply::Forward
            }
        })
    }
    .await;
    let file = engine.file(lines((0..310).map(|i| (i, i))));
    let load = load::file(&client, "things", &file, |_| {});
    let report =
        tokio::time::timeout(Duration::from_secs(30), load).await.expect("eight batches at the same time").unwrap();
    assert_eq!(report, Report { loaded: 310, bad: 0 });
    assert_eq!(engine.values().await, (0..310).map(|i| (format!("key {i}"), i.to_string())).collect());
    let mut sizes = sizes.lock().unwrap().clone();
    sizes.sort_unstable();
    assert_eq!(sizes, [vec![10], vec![25; 12]].concat());
}

#[tokio::test]
async fn a_request_stays_below_16_mb() {
    let engine = Engine::start().await;
    // Six bytes in JSON for each byte in the item: 2.4 MB a line.
    let control = "\\u0001".repeat(400 * 1000);
    let lines = (0..7)
        .map(|i| format!("{{\"PK\": \"{i}\", \"SK\": \"-\", \"v\": \"{control}\"}}\n"))
        .collect::<Vec<_>>()
        .concat();
    let client = engine
        .front(async |_, writes: Vec<Value>| {
            let size = json!(writes).to_string().len();
            assert!(size < 16 << 20, "{} items in {size} bytes", writes.len());
            Reply::Forward
        })
        .await;
    let report = load::file_within(Duration::from_secs(10), &client, "things", &engine.file(lines), |_| {}).await;
    assert_eq!(report.unwrap(), Report { loaded: 7, bad: 0 });
    assert_eq!(engine.items("things").await.len(), 7);
}

#[tokio::test]
async fn what_a_busy_table_leaves_is_sent_again() {
    let engine = Engine::start().await;
    let client = engine
        .front(async |number, writes: Vec<Value>| match number {
            0 => Reply::Only(10),
            1 => Reply::Error(400, "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"),
            2..=8 => Reply::Error(400, "com.amazon.coral.availability#ThrottlingException"),
            9..=12 => Reply::Error(500, "com.amazonaws.dynamodb.v20120810#InternalServerError"),
            13 => Reply::Only(0),
            14 => Reply::Only(writes.len() / 2),
            _ => Reply::Forward,
        })
        .await;
    let report = load::file(&client, "things", &engine.file(lines((0..60).map(|i| (i, i)))), |_| {}).await.unwrap();
    assert_eq!(report, Report { loaded: 60, bad: 0 });
    assert_eq!(engine.values().await, (0..60).map(|i| (format!("key {i}"), i.to_string())).collect());
}

#[tokio::test]
async fn a_table_that_takes_nothing_is_given_up() {
    let engine = Engine::start().await;
    let file = engine.file(lines((0..60).map(|i| (i, i))));
    for silent in [false, true] {
        let client = engine.front(move |_, _| async move { if silent { Reply::Never } else { Reply::Only(0) } }).await;
        let load = load::file_within(Duration::from_millis(300), &client, "things", &file, |_| {});
        let error = tokio::time::timeout(Duration::from_secs(30), load).await.expect("an end").unwrap_err();
        assert!(matches!(error, Error::Stalled(..)), "{error:?}");
    }

    let client = engine.front(async |_, _| Reply::Error(400, "AccessDeniedException")).await;
    let error = load::file(&client, "things", &file, |_| {}).await.unwrap_err();
    assert_eq!(error.to_string(), "writing failed: AccessDeniedException: so says the test");
}

#[tokio::test]
async fn a_line_that_only_the_table_refuses_is_named() {
    let engine = Engine::start().await;
    let client = engine
        .front(async |_, writes: Vec<Value>| {
            if writes.iter().any(|write| write["PutRequest"]["Item"]["PK"]["S"] == "key 30") {
                Reply::Error(400, "com.amazon.coral.validate#ValidationException")
            } else {
                Reply::Forward
            }
        })
        .await;
    let mut told = Vec::new();
    let file = engine.file(lines((0..60).map(|i| (i, i))));
    let report = load::file(&client, "things", &file, |event| {
        if let Event::BadLine { line, reason } = event {
            told.push(format!("{line}: {reason}"));
        }
    });
    assert_eq!(report.await.unwrap(), Report { loaded: 59, bad: 1 });
    assert_eq!(told, ["31: ValidationException: so says the test"]);
    assert_eq!(engine.values().await.len(), 59);
}
