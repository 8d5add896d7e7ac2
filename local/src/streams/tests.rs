//! Mappings on a real engine, with a function that does what the test says.

mod failures;

use std::{collections::VecDeque, sync::Mutex, time::Duration};

use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::*;
use crate::template::filter::Pattern;

/// Long enough for a loaded machine, short enough to notice.
const SOON: Duration = Duration::from_secs(30);

/// A table with a stream, and the function on it.
struct Stage {
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
    put_more(database, pk, "");
}

fn put_more(database: &Database, pk: &str, more: &str) {
    let request = json!({"TableName": "things", "Item": {"pk": {"S": pk}, "more": {"S": more}}});
    database.put_item(serde_json::from_value(request).unwrap()).unwrap();
}

/// Lambda's defaults.
fn mapping() -> Mapping {
    Mapping {
        table: "things".to_owned(),
        stream_arn: "arn:aws:dynamodb:us-east-1:123456789012:table/things/stream/2026-01-01T00:00:00.000".to_owned(),
        batch_size: 100,
        window: Duration::ZERO,
        bisect: false,
        retries: None,
        max_age: None,
        reports_failures: false,
        on_failure: Some("lost".to_owned()),
        filters: vec![],
    }
}

/// What a function returns when it is called by this.
type Answer = BoxFuture<'static, Result<Invocation, InvokeError>>;

/// A function whose calls a test answers one by one.
fn by_hand() -> (impl Fn(Bytes) -> Answer + Send + Sync + 'static, mpsc::UnboundedReceiver<Call>) {
    let (send, calls) = mpsc::unbounded_channel();
    let invoke = move |event: Bytes| {
        let (answer, answered) = oneshot::channel();
        let event = serde_json::from_slice(&event).unwrap();
        let _ = send.send(Call { event, answer });
        async { answered.await.unwrap_or(Err(InvokeError::Busy)) }.boxed()
    };
    (invoke, calls)
}

impl Stage {
    fn new(mapping: Mapping) -> Self {
        Self::on(database(), mapping, Checkpoints::open(None).unwrap())
    }

    fn on(database: Database, mapping: Mapping, checkpoints: Checkpoints) -> Self {
        let mut streams = Streams { pollers: JoinSet::new(), requests: vec![] };
        let outbox = Arc::new(Outbox::default());
        let (invoke, calls) = by_hand();
        streams.add("listen", mapping, &database, outbox.clone(), Arc::new(checkpoints), invoke).unwrap();
        Self { database, outbox, streams, calls }
    }

    /// A stage whose function has a first record in hand, so that what is written now forms batches of its own.
    async fn held(mapping: Mapping) -> (Self, Call) {
        let mut stage = Self::new(mapping);
        put(&stage.database, "first");
        let call = stage.call(&["first"]).await;
        (stage, call)
    }

    fn put(&self, pks: &[&str]) {
        for pk in pks {
            put(&self.database, pk);
        }
    }

    /// The next call, which has to be about these items.
    async fn call(&mut self, pks: &[&str]) -> Call {
        let call = timeout(SOON, self.calls.recv()).await.unwrap().unwrap();
        assert_eq!(call.pks(), pks);
        call
    }

    /// Asserts that nothing comes any more.
    async fn is_quiet(&mut self) {
        timeout(SOON, self.streams.idle()).await.unwrap();
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
async fn records_have_lambdas_form() {
    let (mut stage, first) = Stage::held(mapping()).await;
    put_more(&stage.database, "first", "changed");
    let delete = json!({"TableName": "things", "Key": {"pk": {"S": "first"}}});
    stage.database.delete_item(serde_json::from_value(delete).unwrap()).unwrap();
    let inserted = first.event["Records"][0].clone();
    first.succeed();
    let call = stage.call(&["first", "first"]).await;
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
    stage.is_quiet().await;
}

#[tokio::test]
async fn what_was_there_before_is_not_told() {
    let database = database();
    put(&database, "before");
    let mut stage = Stage::on(database, mapping(), Checkpoints::open(None).unwrap());
    stage.is_quiet().await;
    stage.put(&["after"]);
    stage.call(&["after"]).await.succeed();
}

#[tokio::test]
async fn batches_come_in_order_one_at_a_time() {
    let (mut stage, first) = Stage::held(Mapping { batch_size: 2, ..mapping() }).await;
    stage.put(&["a", "b", "c", "d", "e"]);
    first.succeed();
    for pks in [&["a", "b"][..], &["c", "d"], &["e"]] {
        let call = stage.call(pks).await;
        assert!(stage.calls.try_recv().is_err());
        call.succeed();
    }
    stage.is_quiet().await;
}

#[tokio::test]
async fn a_window_waits_for_a_full_batch() {
    let mut stage = Stage::new(Mapping { batch_size: 3, window: SOON * 100, ..mapping() });
    for pk in ["a", "b", "c"] {
        stage.put(&[pk]);
    }
    stage.call(&["a", "b", "c"]).await.succeed();
}

#[tokio::test]
async fn a_window_closes() {
    let mut stage = Stage::new(Mapping { window: Duration::from_millis(60), ..mapping() });
    stage.put(&["a"]);
    stage.call(&["a"]).await.succeed();
    stage.is_quiet().await;
}

#[tokio::test]
async fn what_no_filter_matches_is_in_no_batch() {
    let pattern = |prefix| {
        let pattern = json!({"dynamodb": {"Keys": {"pk": {"S": [{"prefix": prefix}]}}}});
        Pattern::parse(&pattern.to_string()).unwrap()
    };
    let directory = tempfile::tempdir().unwrap();
    let checkpoints = || Checkpoints::open(Some(directory.path())).unwrap();
    let mapping = Mapping { batch_size: 2, filters: vec![pattern("a"), pattern("b")], ..mapping() };
    let mut stage = Stage::on(database(), mapping.clone(), checkpoints());
    stage.put(&["c1", "a1"]);
    let call = stage.call(&["a1"]).await;
    stage.put(&["c2", "a2", "c3", "c4", "b1", "a3", "c5"]);
    call.succeed();
    stage.call(&["a2", "b1"]).await.succeed();
    stage.call(&["a3"]).await.succeed();
    stage.put(&["c6"]);
    stage.is_quiet().await;
    // The place has moved on, past what was let through as well as past what was not.
    let end = Source::new(stage.database.clone(), &mapping).unwrap().end;
    assert_eq!(checkpoints().get("things/listen"), Some(end));
}

#[tokio::test]
async fn an_event_has_its_limit() {
    let (mut stage, first) = Stage::held(mapping()).await;
    let large = "x".repeat(390 << 10);
    let pks: Vec<_> = (10..30).map(|number| number.to_string()).collect();
    for pk in &pks {
        put_more(&stage.database, pk, &large);
    }
    first.succeed();
    let mut seen = vec![];
    while seen.len() < pks.len() {
        let call = timeout(SOON, stage.calls.recv()).await.unwrap().unwrap();
        assert!(call.event.to_string().len() <= crate::lambda::runtime::MAX_PAYLOAD);
        seen.extend(call.pks().into_iter().map(str::to_owned));
        call.succeed();
    }
    assert_eq!(seen, pks);
    stage.is_quiet().await;
}

#[tokio::test]
async fn a_stack_that_was_killed_goes_on_where_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let checkpoints = || Checkpoints::open(Some(directory.path())).unwrap();
    let mapping = Mapping { batch_size: 3, reports_failures: true, ..mapping() };
    let mut stage = Stage::on(database(), mapping.clone(), checkpoints());
    stage.put(&["a"]);
    stage.call(&["a"]).await.succeed();
    stage.put(&["b"]);
    let call = stage.call(&["b"]).await;
    stage.put(&["c", "d", "e", "f"]);
    call.succeed();
    stage.call(&["c", "d", "e"]).await.report(&[1]);
    let _under_way = stage.call(&["d", "e"]).await;
    stage.streams.shutdown().await;

    let mut stage = Stage::on(stage.database, mapping, checkpoints());
    stage.call(&["d", "e", "f"]).await.succeed();
    stage.is_quiet().await;
}

#[tokio::test]
async fn a_stack_that_was_killed_at_once_has_missed_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let checkpoints = || Checkpoints::open(Some(directory.path())).unwrap();
    let database = database();
    put(&database, "before");
    let stage = Stage::on(database, mapping(), checkpoints());
    stage.streams.shutdown().await;
    put(&stage.database, "meanwhile");
    let mut stage = Stage::on(stage.database, mapping(), checkpoints());
    stage.call(&["meanwhile"]).await.succeed();
}

#[tokio::test]
async fn quiet_is_when_nothing_is_left_and_nothing_follows() {
    let mut stage = Stage::new(mapping());
    let filters = vec![Pattern::parse(r#"{"dynamodb": {"Keys": {"pk": {"S": ["third"]}}}}"#).unwrap()];
    let (invoke, mut other_calls) = by_hand();
    let checkpoints = Arc::new(Checkpoints::open(None).unwrap());
    let other = Mapping { filters, ..mapping() };
    stage.streams.add("other", other, &stage.database, stage.outbox.clone(), checkpoints, invoke).unwrap();
    timeout(SOON, stage.streams.idle()).await.unwrap();

    stage.put(&["first"]);
    let Stage { database, streams, mut calls, .. } = stage;
    let mut idle = Box::pin(streams.idle());
    let mut next = async |calls: &mut mpsc::UnboundedReceiver<Call>, pk: &str| {
        let call = timeout(SOON, calls.recv()).await.unwrap().unwrap();
        assert_eq!(call.pks(), [pk]);
        assert!(idle.as_mut().now_or_never().is_none(), "{pk}");
        call
    };
    // Each call writes the next record before it ends; the last one is on the other function's account too.
    for (pk, caused) in [("first", Some("second")), ("second", Some("third")), ("third", None)] {
        let call = next(&mut calls, pk).await;
        if let Some(pk) = caused {
            put(&database, pk);
        }
        call.succeed();
    }
    next(&mut other_calls, "third").await.succeed();
    timeout(SOON, idle).await.unwrap();
}

/// Three calls of ten fail, in all ways. Nothing is lost, doubled or out of order.
#[tokio::test]
async fn every_record_is_settled_once_and_in_order() {
    for (bisect, reports_failures) in [(false, false), (false, true), (true, false), (true, true)] {
        let settled = Arc::new(Mutex::new(vec![]));
        let troubles = Arc::new(Mutex::new((0..100).map(|number| number * 7 % 10).collect::<VecDeque<_>>()));
        let invoke = {
            let (settled, troubles) = (settled.clone(), troubles.clone());
            move |event: Bytes| -> Answer {
                let event: Value = serde_json::from_slice(&event).unwrap();
                let records = event["Records"].as_array().unwrap();
                let pks = |count: usize| {
                    let pks = records.iter().take(count).map(|record| &record["dynamodb"]["Keys"]["pk"]["S"]);
                    pks.map(|pk| pk.as_str().unwrap().to_owned()).collect::<Vec<_>>()
                };
                let answer =
                    |payload: Value| Ok(Invocation { payload: payload.to_string().into(), function_error: false });
                let trouble = troubles.lock().unwrap().pop_front();
                let result = match trouble {
                    Some(7) => Err(InvokeError::Crashed(String::new())),
                    Some(8) => Ok(Invocation { payload: Bytes::new(), function_error: true }),
                    Some(9) if reports_failures => {
                        let middle = records.len() / 2;
                        settled.lock().unwrap().extend(pks(middle));
                        let failure = json!({"itemIdentifier": records[middle]["dynamodb"]["SequenceNumber"]});
                        answer(json!({"batchItemFailures": [failure]}))
                    }
                    _ => {
                        settled.lock().unwrap().extend(pks(records.len()));
                        answer(Value::Null)
                    }
                };
                async { result }.boxed()
            }
        };
        let database = database();
        let mut streams = Streams { pollers: JoinSet::new(), requests: vec![] };
        let checkpoints = Arc::new(Checkpoints::open(None).unwrap());
        let mapping = Mapping { batch_size: 7, bisect, reports_failures, ..mapping() };
        streams.add("listen", mapping, &database, Arc::default(), checkpoints, invoke).unwrap();
        let pks: Vec<_> = (100..300).map(|number| number.to_string()).collect();
        for pk in &pks {
            put(&database, pk);
            tokio::task::yield_now().await;
        }
        timeout(SOON, streams.idle()).await.unwrap();
        assert_eq!(*settled.lock().unwrap(), pks, "{bisect} {reports_failures}");
        assert!(troubles.lock().unwrap().len() < 80);
    }
}
