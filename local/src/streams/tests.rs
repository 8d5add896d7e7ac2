//! Event source mappings on a real engine, with functions whose answers the test chooses.

mod expiry;
mod failures;
mod lanes;

use std::{collections::VecDeque, sync::Mutex, time::Duration};

use axum::body::Bytes;
use dynoxide::Database;
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::*;
use crate::lambda::runtime::{Invocation, InvokeError};
use crate::template::filter::Pattern;

/// The timeout of each step of a test: long enough for a busy machine.
const TEST_TIMEOUT: Duration = Duration::from_secs(30);

/// A table with a stream, and a function that reads it.
struct Fixture {
    database: Database,
    outbox: Arc<Outbox>,
    streams: Streams,
    calls: mpsc::UnboundedReceiver<Call>,
}

/// An invocation that waits for its answer.
struct Call {
    event: Value,
    answer: oneshot::Sender<Result<Invocation, InvokeError>>,
}

fn database() -> Database {
    let database = Database::memory().unwrap();
    create_table(&database);
    database
}

fn create_table(database: &Database) {
    let request = json!({
        "TableName": "things",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    });
    database.create_table(serde_json::from_value(request).unwrap()).unwrap();
}

fn put(database: &Database, pk: &str) {
    put_with(database, pk, "");
}

fn put_with(database: &Database, pk: &str, more: &str) {
    let request = json!({"TableName": "things", "Item": {"pk": {"S": pk}, "more": {"S": more}}});
    database.put_item(serde_json::from_value(request).unwrap()).unwrap();
}

/// Returns a mapping whose retries no test exhausts.
fn mapping() -> EventSourceMapping {
    EventSourceMapping {
        table: "things".to_owned(),
        stream_arn: "arn:aws:dynamodb:us-east-1:123456789012:table/things/stream/2026-01-01T00:00:00.000".to_owned(),
        batch_size: 100,
        parallelization: 1,
        retries: 1000,
        on_failure: "lost".to_owned(),
        filters: vec![],
    }
}

/// Returns a function whose invocations the test receives and answers one by one.
fn manual_function() -> (Arc<Invoke>, mpsc::UnboundedReceiver<Call>) {
    let (send, calls) = mpsc::unbounded_channel();
    let invoke = move |_: &str, _: &str, event: Bytes| {
        let (answer, answered) = oneshot::channel();
        let event = serde_json::from_slice(&event).unwrap();
        let _ = send.send(Call { event, answer });
        async { answered.await.unwrap_or(Err(InvokeError::Busy)) }.boxed()
    };
    (Arc::new(invoke), calls)
}

impl Fixture {
    fn new(mapping: EventSourceMapping) -> Self {
        Self::on(database(), mapping, Checkpoints::open(None).unwrap())
    }

    fn on(database: Database, mapping: EventSourceMapping, checkpoints: Checkpoints) -> Self {
        let mut streams = Streams::default();
        let outbox = Arc::new(Outbox::default());
        let (invoke, calls) = manual_function();
        streams.add("listen", mapping, &database, &outbox, Arc::new(checkpoints), &invoke).unwrap();
        Self { database, outbox, streams, calls }
    }

    /// Returns a fixture whose function is busy with a first record, so that the records of the
    /// next writes form batches of their own.
    async fn with_busy_function(mapping: EventSourceMapping) -> (Self, Call) {
        let mut fixture = Self::new(mapping);
        put(&fixture.database, "first");
        let call = fixture.call(&["first"]).await;
        (fixture, call)
    }

    fn put(&self, pks: &[&str]) {
        for pk in pks {
            put(&self.database, pk);
        }
    }

    /// Receives the next call, whose records have to be those of these items.
    async fn call(&mut self, pks: &[&str]) -> Call {
        let call = timeout(TEST_TIMEOUT, self.calls.recv()).await.unwrap().unwrap();
        assert_eq!(call.pks(), pks);
        call
    }

    /// Asserts that no further call comes.
    async fn assert_idle(&mut self) {
        timeout(TEST_TIMEOUT, self.streams.idle()).await.unwrap();
        assert!(self.calls.try_recv().is_err());
    }

    fn failures(&self) -> Value {
        self.outbox.contents()["failures"].clone()
    }
}

impl Call {
    fn pks(&self) -> Vec<&str> {
        let records = self.event["Records"].as_array().unwrap().iter();
        records.map(|record| record["dynamodb"]["Keys"]["pk"]["S"].as_str().unwrap()).collect()
    }

    fn sequence_number(&self, index: usize) -> String {
        self.event["Records"][index]["dynamodb"]["SequenceNumber"].as_str().unwrap().to_owned()
    }

    fn answer(self, payload: &str) {
        let payload = payload.to_owned().into();
        self.answer.send(Ok(Invocation { payload, function_error: false })).unwrap();
    }

    fn succeed(self) {
        self.answer("null");
    }

    fn fail(self) {
        self.answer.send(Ok(Invocation { payload: Bytes::new(), function_error: true })).unwrap();
    }

    /// Reports that the records of these indexes failed.
    fn report(self, indexes: &[usize]) {
        let failures: Vec<_> =
            indexes.iter().map(|index| json!({"itemIdentifier": self.sequence_number(*index)})).collect();
        self.answer(&json!({"batchItemFailures": failures}).to_string());
    }
}

#[tokio::test]
async fn records_have_the_form_of_lambda() {
    let (mut fixture, first) = Fixture::with_busy_function(mapping()).await;
    put_with(&fixture.database, "first", "changed");
    let delete = json!({"TableName": "things", "Key": {"pk": {"S": "first"}}});
    fixture.database.delete_item(serde_json::from_value(delete).unwrap()).unwrap();
    let inserted = first.event["Records"][0].clone();
    first.succeed();
    let call = fixture.call(&["first", "first"]).await;
    let (image, changed) =
        (json!({"pk": {"S": "first"}, "more": {"S": ""}}), json!({"pk": {"S": "first"}, "more": {"S": "changed"}}));
    let records = [&inserted, &call.event["Records"][0], &call.event["Records"][1]];
    for (record, (name, old, new)) in records.into_iter().zip([
        ("INSERT", Value::Null, image.clone()),
        ("MODIFY", image, changed.clone()),
        ("REMOVE", changed, Value::Null),
    ]) {
        assert_eq!(record["eventName"], name);
        assert_eq!((&record["dynamodb"]["OldImage"], &record["dynamodb"]["NewImage"]), (&old, &new));
        assert_eq!(record["dynamodb"]["Keys"], json!({"pk": {"S": "first"}}));
        assert_eq!(record["eventVersion"], "1.1");
        assert_eq!(record["eventSource"], "aws:dynamodb");
        assert_eq!(record["awsRegion"], "us-east-1");
        assert_eq!(record["eventSourceARN"], mapping().stream_arn);
        assert_eq!(record["dynamodb"]["StreamViewType"], "NEW_AND_OLD_IMAGES");
        assert!(record["eventID"].is_string());
        assert!(record["dynamodb"]["SizeBytes"].is_u64());
        assert!(record["dynamodb"]["ApproximateCreationDateTime"].as_f64().unwrap() > 1.7e9);
        assert_eq!(record["dynamodb"]["SequenceNumber"].as_str().unwrap().len(), 21);
    }
    call.succeed();
    fixture.assert_idle().await;
}

#[tokio::test]
async fn batches_are_delivered_in_order_one_at_a_time() {
    let (mut fixture, first) = Fixture::with_busy_function(EventSourceMapping { batch_size: 2, ..mapping() }).await;
    fixture.put(&["a", "b", "c", "d", "e"]);
    first.succeed();
    for pks in [&["a", "b"][..], &["c", "d"], &["e"]] {
        let call = fixture.call(pks).await;
        assert!(fixture.calls.try_recv().is_err());
        call.succeed();
    }
    fixture.assert_idle().await;
}

#[tokio::test]
async fn records_that_match_no_filter_are_skipped() {
    let pattern = |prefix| {
        let pattern = json!({"dynamodb": {"Keys": {"pk": {"S": [{"prefix": prefix}]}}}});
        Pattern::parse(&pattern.to_string()).unwrap()
    };
    let directory = tempfile::tempdir().unwrap();
    let checkpoints = || Checkpoints::open(Some(directory.path())).unwrap();
    let mapping = EventSourceMapping { batch_size: 2, filters: vec![pattern("a"), pattern("b")], ..mapping() };
    let mut fixture = Fixture::on(database(), mapping.clone(), checkpoints());
    fixture.put(&["c1", "a1"]);
    let call = fixture.call(&["a1"]).await;
    fixture.put(&["c2", "a2", "c3", "c4", "b1", "a3", "c5"]);
    call.succeed();
    fixture.call(&["a2", "b1"]).await.succeed();
    fixture.call(&["a3"]).await.succeed();
    fixture.put(&["c6"]);
    fixture.assert_idle().await;
    // The checkpoint has moved past delivered and skipped records alike.
    let end = Source::new(fixture.database.clone(), &mapping).unwrap().end;
    assert_eq!(checkpoints().get("things/listen"), Some(end));
}

#[tokio::test]
async fn an_event_does_not_exceed_the_maximum_size() {
    let (mut fixture, first) = Fixture::with_busy_function(mapping()).await;
    let large = "x".repeat(390 << 10);
    let pks: Vec<_> = (10..30).map(|number| number.to_string()).collect();
    for pk in &pks {
        put_with(&fixture.database, pk, &large);
    }
    first.succeed();
    let mut seen = vec![];
    while seen.len() < pks.len() {
        let call = timeout(TEST_TIMEOUT, fixture.calls.recv()).await.unwrap().unwrap();
        assert!(call.event.to_string().len() <= crate::lambda::runtime::MAX_PAYLOAD_BYTES);
        seen.extend(call.pks().into_iter().map(str::to_owned));
        call.succeed();
    }
    assert_eq!(seen, pks);
    fixture.assert_idle().await;
}

#[tokio::test]
async fn continues_from_the_checkpoint_after_a_kill() {
    let directory = tempfile::tempdir().unwrap();
    let checkpoints = || Checkpoints::open(Some(directory.path())).unwrap();
    let mapping = EventSourceMapping { batch_size: 3, ..mapping() };
    let mut fixture = Fixture::on(database(), mapping.clone(), checkpoints());
    fixture.put(&["a"]);
    fixture.call(&["a"]).await.succeed();
    fixture.put(&["b"]);
    let call = fixture.call(&["b"]).await;
    fixture.put(&["c", "d", "e", "f"]);
    call.succeed();
    fixture.call(&["c", "d", "e"]).await.report(&[1]);
    let _interrupted = fixture.call(&["d", "e"]).await;
    fixture.streams.shutdown().await;

    let mut fixture = Fixture::on(fixture.database, mapping, checkpoints());
    fixture.call(&["d", "e", "f"]).await.succeed();
    fixture.assert_idle().await;
}

#[tokio::test]
async fn misses_no_record_after_a_kill_before_the_first_batch() {
    let directory = tempfile::tempdir().unwrap();
    let checkpoints = || Checkpoints::open(Some(directory.path())).unwrap();
    let database = database();
    put(&database, "before");
    let fixture = Fixture::on(database, mapping(), checkpoints());
    fixture.streams.shutdown().await;
    put(&fixture.database, "concurrent");
    let mut fixture = Fixture::on(fixture.database, mapping(), checkpoints());
    fixture.call(&["concurrent"]).await.succeed();
}

#[tokio::test]
async fn idle_waits_for_records_that_functions_cause() {
    let mut fixture = Fixture::new(mapping());
    let third = Pattern::parse(r#"{"dynamodb": {"Keys": {"pk": {"S": ["third"]}}}}"#).unwrap();
    let (invoke, mut other_calls) = manual_function();
    let checkpoints = Arc::new(Checkpoints::open(None).unwrap());
    let other = EventSourceMapping { filters: vec![third], ..mapping() };
    fixture.streams.add("other", other, &fixture.database, &fixture.outbox, checkpoints, &invoke).unwrap();
    timeout(TEST_TIMEOUT, fixture.streams.idle()).await.unwrap();

    fixture.put(&["first"]);
    let Fixture { database, streams, mut calls, .. } = fixture;
    let mut idle = Box::pin(streams.idle());
    let mut next = async |calls: &mut mpsc::UnboundedReceiver<Call>, pk: &str| {
        let call = timeout(TEST_TIMEOUT, calls.recv()).await.unwrap().unwrap();
        assert_eq!(call.pks(), [pk]);
        assert!(idle.as_mut().now_or_never().is_none(), "{pk}");
        call
    };
    // Each call writes the next record before it ends. The other function gets the last record as
    // well.
    for (pk, caused) in [("first", Some("second")), ("second", Some("third")), ("third", None)] {
        let call = next(&mut calls, pk).await;
        if let Some(pk) = caused {
            put(&database, pk);
        }
        call.succeed();
    }
    next(&mut other_calls, "third").await.succeed();
    timeout(TEST_TIMEOUT, idle).await.unwrap();
}

/// Three invocations of ten fail, in different ways. No record is lost, repeated or out of order.
#[tokio::test]
async fn every_record_is_processed_once_and_in_order() {
    let processed = Arc::new(Mutex::new(vec![]));
    let faults = Arc::new(Mutex::new((0..100).map(|number| number * 7 % 10).collect::<VecDeque<_>>()));
    let invoke: Arc<Invoke> = {
        let (processed, faults) = (processed.clone(), faults.clone());
        Arc::new(move |_: &str, _: &str, event: Bytes| {
            let event: Value = serde_json::from_slice(&event).unwrap();
            let records = event["Records"].as_array().unwrap();
            let pks = |count: usize| {
                let pks = records.iter().take(count).map(|record| &record["dynamodb"]["Keys"]["pk"]["S"]);
                pks.map(|pk| pk.as_str().unwrap().to_owned()).collect::<Vec<_>>()
            };
            let answer = |payload: Value| Ok(Invocation { payload: payload.to_string().into(), function_error: false });
            let fault = faults.lock().unwrap().pop_front();
            let result = match fault {
                Some(7) => Err(InvokeError::Crashed(String::new())),
                Some(8) => Ok(Invocation { payload: Bytes::new(), function_error: true }),
                Some(9) => {
                    let middle = records.len() / 2;
                    processed.lock().unwrap().extend(pks(middle));
                    let failure = json!({"itemIdentifier": records[middle]["dynamodb"]["SequenceNumber"]});
                    answer(json!({"batchItemFailures": [failure]}))
                }
                _ => {
                    processed.lock().unwrap().extend(pks(records.len()));
                    answer(Value::Null)
                }
            };
            async { result }.boxed()
        })
    };
    let database = database();
    let mut streams = Streams::default();
    let checkpoints = Arc::new(Checkpoints::open(None).unwrap());
    let mapping = EventSourceMapping { batch_size: 7, ..mapping() };
    streams.add("listen", mapping, &database, &Arc::default(), checkpoints, &invoke).unwrap();
    let pks: Vec<_> = (100..300).map(|number| number.to_string()).collect();
    for pk in &pks {
        put(&database, pk);
        tokio::task::yield_now().await;
    }
    timeout(TEST_TIMEOUT, streams.idle()).await.unwrap();
    assert_eq!(*processed.lock().unwrap(), pks);
    assert!(faults.lock().unwrap().len() < 80);
}
