//! Checks the recorded units against AWS's documentation, on a table with one local and one global
//! index. The pages, by the names that the tests use:
//! [read-write-operations](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html),
//! [LSI](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/LSI.html#LSI.ThroughputConsiderations.Writes),
//! [GSI](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.ThroughputConsiderations.Writes),
//! [transactions](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-capacity-handling).

// Units are multiples of one half, which a float represents exactly.
#![allow(clippy::float_cmp)]

use std::sync::{Mutex, PoisonError};

use axum::Router;
use serde_json::json;

use super::*;
use crate::services::dynamodb::{self, Engine};
use crate::template::Template;

const TEMPLATE: &str = r"
Resources:
  Things:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: things
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions:
        - {AttributeName: pk, AttributeType: S}
        - {AttributeName: sk, AttributeType: S}
        - {AttributeName: here, AttributeType: S}
        - {AttributeName: there, AttributeType: S}
      KeySchema: [{AttributeName: pk, KeyType: HASH}, {AttributeName: sk, KeyType: RANGE}]
      LocalSecondaryIndexes:
        - IndexName: lsi
          KeySchema: [{AttributeName: pk, KeyType: HASH}, {AttributeName: here, KeyType: RANGE}]
          Projection: {ProjectionType: INCLUDE, NonKeyAttributes: [shown]}
      GlobalSecondaryIndexes:
        - IndexName: gsi
          KeySchema: [{AttributeName: there, KeyType: HASH}]
          Projection: {ProjectionType: INCLUDE, NonKeyAttributes: [shown]}
";

struct Recorded {
    recorder: Proxy,
    record: Record,
    engine: Engine,
}

/// The record of a sink.
#[derive(Clone, Default)]
struct Record(Arc<Mutex<Recording>>);

/// The operations that were sent, and the requests that were answered.
type Recording = (Vec<String>, Vec<Request>);

impl Record {
    fn take(&self) -> Recording {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Sink for Record {
    fn sent(&self, operation: &str, _body: &Value, _trace: Option<&Trace>) {
        self.0.lock().unwrap().0.push(operation.to_owned());
    }

    fn answered(&self, request: Request) {
        self.0.lock().unwrap().1.push(request);
    }
}

impl Recorded {
    fn new() -> Self {
        let engine = Engine::start(listener::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap(), None).unwrap();
        dynamodb::create_tables(engine.database(), &Template::parse("t.yaml", TEMPLATE).unwrap()).unwrap();
        let record = Record::default();
        Self { recorder: start(engine.endpoint(), record.clone()).unwrap(), record, engine }
    }

    async fn send(&self, operation: &str, mut body: Value) -> Request {
        if !operation.starts_with("Batch") && !operation.starts_with("Transact") {
            body["TableName"] = "things".into();
        }
        let answer = post(self.recorder.url(), operation, &body).send().await.unwrap();
        let (status, text) = (answer.status().as_u16(), answer.bytes().await.unwrap());
        let (sent, mut answered) = self.record.take();
        assert_eq!(sent, [operation]);
        let request = answered.pop().unwrap();
        assert_eq!(request.body, body);
        assert_eq!((request.status, &request.answer), (status, &serde_json::from_slice(&text).unwrap()));
        request
    }

    async fn units(&self, operation: &str, body: Value) -> Units {
        let request = self.send(operation, body).await;
        assert_eq!(request.status, 200, "{}", request.answer);
        request.units
    }

    /// Returns the write units of a request: those of the table, of the local index and of the
    /// global index.
    async fn write(&self, operation: &str, body: Value) -> [f64; 3] {
        let units = self.units(operation, body).await;
        assert!(units.read.abs() < f64::EPSILON);
        let [lsi, gsi] =
            ["lsi", "gsi"].map(|index| units.tables["things"].indexes.get(index).copied().unwrap_or_default());
        let table = units.tables["things"].table;
        assert!((units.write - table - lsi - gsi).abs() < f64::EPSILON);
        [table, lsi, gsi]
    }

    async fn put(&self, thing: Value) -> [f64; 3] {
        self.write("PutItem", json!({"Item": thing})).await
    }

    async fn read(&self, operation: &str, body: Value) -> f64 {
        let units = self.units(operation, body).await;
        assert!(units.write.abs() < f64::EPSILON);
        units.read
    }
}

/// Returns a request to the recorder, or to the engine itself.
fn post(url: &str, operation: &str, body: &Value) -> reqwest::RequestBuilder {
    reqwest::Client::new()
        .post(url)
        .header("x-amz-target", format!("DynamoDB_20120810.{operation}"))
        .header("content-type", "application/x-amz-json-1.0")
        .header("x-amz-date", "20240101T000000Z")
        .header("authorization", "AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=host, Signature=0")
        .body(body.to_string())
}

/// Returns the item with sort key `sk` and these attributes.
fn thing(sk: &str, attributes: &[(&str, &str)]) -> Value {
    let keys = [("pk", "one"), ("sk", sk)];
    keys.iter()
        .chain(attributes)
        .map(|(name, value)| ((*name).to_owned(), json!({"S": value})))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

#[tokio::test]
async fn records_requests_with_their_answers() {
    let engine = Recorded::new();
    for sk in ["a", "b", "c"] {
        engine.put(thing(sk, &[("here", sk), ("shown", if sk == "a" { "yes" } else { "no" })])).await;
    }
    let query = json!({"IndexName": "lsi", "KeyConditionExpression": "pk = :pk", "FilterExpression": "shown = :shown",
        "ExpressionAttributeValues": {":pk": {"S": "one"}, ":shown": {"S": "no"}}});
    let request = engine.send("Query", query).await;
    assert_eq!((request.operation.as_str(), request.table(), request.index()), ("Query", Some("things"), Some("lsi")));
    assert_eq!((request.items().len(), request.evaluated()), (2, 3));
    assert_eq!(request.items()[0]["sk"], json!({"S": "b"}));

    let request = engine.send("GetItem", json!({"Key": thing("a", &[])})).await;
    assert_eq!((request.items().len(), request.evaluated()), (1, 1));
    let request = engine.send("GetItem", json!({"Key": thing("nowhere", &[])})).await;
    assert_eq!((request.items().len(), request.evaluated()), (0, 0));
    let keys = json!({"RequestItems": {"things": {"Keys": [thing("a", &[]), thing("b", &[])]}}});
    let request = engine.send("BatchGetItem", keys).await;
    assert_eq!((request.table(), request.items().len(), request.evaluated()), (None, 2, 2));

    let request = engine
        .send("PutItem", json!({"Item": thing("a", &[]), "ConditionExpression": "attribute_not_exists(pk)"}))
        .await;
    assert_eq!((request.status, request.units), (400, Units::default()));
}

/// A read unit covers 4 KB. An eventually consistent read costs half a unit, a transactional read
/// two. A Query pays for the sum of the items that it reads, a BatchGetItem for each item; the
/// minimum is one item (read-write-operations).
#[tokio::test]
async fn reads_cost_what_aws_documents() {
    let engine = Recorded::new();
    let long = "x".repeat(3000);
    for sk in ["a", "b"] {
        engine.put(thing(sk, &[("there", "x"), ("hidden", &long)])).await;
    }
    let key = thing("a", &[]);
    assert_eq!(engine.read("GetItem", json!({"Key": key})).await, 0.5);
    assert_eq!(engine.read("GetItem", json!({"Key": key, "ConsistentRead": true})).await, 1.0);
    assert_eq!(engine.read("GetItem", json!({"Key": thing("nowhere", &[])})).await, 0.5);
    assert_eq!(
        engine.read("TransactGetItems", json!({"TransactItems": [{"Get": {"TableName": "things", "Key": key}}]})).await,
        2.0
    );
    let keys = json!([key, thing("nowhere", &[])]);
    assert_eq!(engine.read("BatchGetItem", json!({"RequestItems": {"things": {"Keys": keys}}})).await, 1.0);

    let mut query = json!({"KeyConditionExpression": "pk = :key", "ExpressionAttributeValues": {":key": {"S": "one"}}});
    assert_eq!(engine.read("Query", query.clone()).await, 1.0);
    // A projection expression does not reduce the cost.
    query["ProjectionExpression"] = "sk".into();
    assert_eq!(engine.read("Query", query.clone()).await, 1.0);
    query["Limit"] = 1.into();
    assert_eq!(engine.read("Query", query.clone()).await, 0.5);
    query["ExpressionAttributeValues"][":key"]["S"] = "nobody".into();
    assert_eq!(engine.read("Query", query).await, 0.5);
    // The projection of an index does.
    let query = json!({"IndexName": "gsi", "KeyConditionExpression": "there = :key",
        "ExpressionAttributeValues": {":key": {"S": "x"}}});
    assert_eq!(engine.read("Query", query).await, 0.5);
}

/// A write unit covers 1 KB of the item before or after the write, whichever is larger
/// (read-write-operations).
#[tokio::test]
async fn writes_cost_what_aws_documents() {
    let engine = Recorded::new();
    let long = "x".repeat(1500);
    assert_eq!(engine.put(thing("a", &[("hidden", &long)])).await, [2.0, 0.0, 0.0]);
    assert_eq!(engine.put(thing("a", &[])).await, [2.0, 0.0, 0.0]);
    assert_eq!(engine.put(thing("a", &[])).await, [1.0, 0.0, 0.0]);
    assert_eq!(engine.write("DeleteItem", json!({"Key": thing("a", &[])})).await, [1.0, 0.0, 0.0]);
    assert_eq!(engine.write("DeleteItem", json!({"Key": thing("a", &[])})).await, [1.0, 0.0, 0.0]);
}

/// An index costs one write for an entry that is added, removed or changed in place, two for an
/// entry whose key changes, and none if its attributes do not change (LSI, GSI).
#[tokio::test]
async fn index_writes_cost_what_aws_documents() {
    let engine = Recorded::new();
    let long = "x".repeat(1500);
    for (old, new, costs) in [
        // The write adds an entry to one index or to both.
        (None, Some(vec![("here", "1")]), [1.0, 1.0, 0.0]),
        (Some(vec![]), Some(vec![("here", "1"), ("there", "1")]), [1.0, 1.0, 1.0]),
        // The write removes an entry.
        (Some(vec![("here", "1"), ("there", "1")]), Some(vec![("here", "1")]), [1.0, 0.0, 1.0]),
        (Some(vec![("here", "1"), ("there", "1")]), None, [1.0, 1.0, 1.0]),
        // The write changes the key of an entry.
        (Some(vec![("here", "1"), ("there", "1")]), Some(vec![("here", "2"), ("there", "1")]), [1.0, 2.0, 0.0]),
        (Some(vec![("here", "1"), ("there", "1")]), Some(vec![("here", "1"), ("there", "2")]), [1.0, 0.0, 2.0]),
        // The write changes an attribute, projected or not.
        (Some(vec![("here", "1"), ("shown", "1")]), Some(vec![("here", "1"), ("shown", "2")]), [1.0, 1.0, 0.0]),
        (Some(vec![("here", "1"), ("hidden", "1")]), Some(vec![("here", "1"), ("hidden", "2")]), [1.0, 0.0, 0.0]),
        (Some(vec![("here", "1")]), Some(vec![("here", "1")]), [1.0, 0.0, 0.0]),
        // The size of an entry is that of its projected attributes.
        (None, Some(vec![("here", "1"), ("hidden", &long)]), [2.0, 1.0, 0.0]),
        (None, Some(vec![("here", "1"), ("shown", &long)]), [2.0, 2.0, 0.0]),
        (Some(vec![("here", "1"), ("shown", &long)]), Some(vec![("here", "2"), ("shown", &long)]), [2.0, 4.0, 0.0]),
    ] {
        let what = format!("{old:?} {new:?}");
        engine.write("DeleteItem", json!({"Key": thing("a", &[])})).await;
        if let Some(old) = old {
            engine.put(thing("a", &old)).await;
        }
        let units = match new {
            Some(new) => engine.put(thing("a", &new)).await,
            None => engine.write("DeleteItem", json!({"Key": thing("a", &[])})).await,
        };
        assert_eq!(units, costs, "{what}");
    }
}

/// A transaction writes each item twice, to prepare and to commit, and pays for both; so does a
/// condition check (transactions). AWS does not document that an index is written once; the authors
/// of dynoxide have measured it.
#[tokio::test]
async fn transactions_and_batches_cost_what_aws_documents() {
    let engine = Recorded::new();
    let put = |sk: &str| json!({"TableName": "things", "Item": thing(sk, &[("here", "1"), ("there", "1")])});
    let check =
        json!({"TableName": "things", "Key": thing("z", &[]), "ConditionExpression": "attribute_not_exists(pk)"});
    let items = json!([{"Put": put("a")}, {"Put": put("b")}, {"ConditionCheck": check}]);
    assert_eq!(engine.write("TransactWriteItems", json!({"TransactItems": items})).await, [6.0, 2.0, 2.0]);

    let update = json!({"TableName": "things", "Key": thing("a", &[]), "UpdateExpression": "SET here = :new",
        "ExpressionAttributeValues": {":new": {"S": "2"}}});
    assert_eq!(engine.write("UpdateItem", update.clone()).await, [1.0, 2.0, 0.0]);
    assert_eq!(engine.write("UpdateItem", update.clone()).await, [1.0, 0.0, 0.0]);
    let delete = json!({"TableName": "things", "Key": thing("b", &[])});
    let items = json!([{"Update": update}, {"Delete": delete}]);
    assert_eq!(engine.write("TransactWriteItems", json!({"TransactItems": items})).await, [4.0, 1.0, 1.0]);

    let items = json!({"things": [{"PutRequest": {"Item": thing("b", &[("here", "1")])}},
        {"DeleteRequest": {"Key": thing("a", &[])}}]});
    assert_eq!(engine.write("BatchWriteItem", json!({"RequestItems": items})).await, [2.0, 2.0, 1.0]);
}

#[tokio::test]
async fn a_client_gets_the_answer_that_dynamodb_sends() {
    let engine = Recorded::new();
    let put = |sk: &str| json!({"TableName": "things", "Item": thing(sk, &[("here", "1")])});
    let query = json!({"TableName": "things", "KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": {"S": "one"}}});
    let mut asking = query.clone();
    asking["ReturnConsumedCapacity"] = json!("TOTAL");
    let failing =
        json!({"TableName": "things", "Item": thing("a", &[]), "ConditionExpression": "attribute_not_exists(pk)"});
    for (operation, body) in [
        ("PutItem", put("a")),
        ("Query", query),
        ("Query", asking),
        ("PutItem", failing),
        ("GetItem", json!({"TableName": "nothing"})),
        ("DescribeTable", json!({"TableName": "things"})),
        ("Nonsense", json!({})),
        ("Query", json!([])),
    ] {
        let answer = async |url: &str| {
            let answer = post(url, operation, &body).send().await.unwrap();
            let (status, mut headers) = (answer.status(), answer.headers().clone());
            let text = answer.text().await.unwrap();
            let checksum = headers.remove("x-amz-crc32").unwrap();
            assert_eq!(checksum, crc32fast::hash(text.as_bytes()).to_string(), "{operation} {text}");
            assert!(headers.remove("x-amzn-requestid").is_some());
            for changing in ["date", "content-length"] {
                headers.remove(changing);
            }
            let body: Value = serde_json::from_str(&text).unwrap();
            (status, headers, body)
        };
        let direct = answer(engine.engine.endpoint()).await;
        assert_eq!(answer(engine.recorder.url()).await, direct, "{operation} {body}");
        assert_eq!(direct.2.get("ConsumedCapacity").is_some(), body.get("ReturnConsumedCapacity").is_some());
    }
}

#[tokio::test]
async fn a_request_has_the_trace_of_its_invocation() {
    let engine = Recorded::new();
    let body = json!({"TableName": "things", "Key": thing("a", &[])});
    let trace = Trace::start();
    for expected in [Some(trace), None] {
        let mut request = post(engine.recorder.url(), "GetItem", &body);
        if let Some(trace) = &expected {
            request = request.header(TRACE_HEADER, trace.invocation_header());
        }
        request.send().await.unwrap();
        let (_, answered) = engine.record.take();
        assert_eq!(answered[0].trace, expected);
    }
}

#[tokio::test]
async fn a_second_attempt_is_a_retry() {
    let engine = Recorded::new();
    let body = json!({"TableName": "things", "Key": thing("a", &[])});
    for (attempt, expected) in [(None, false), (Some("attempt=1; max=5"), false), (Some("attempt=2; max=5"), true)] {
        let mut request = post(engine.recorder.url(), "GetItem", &body);
        if let Some(attempt) = attempt {
            request = request.header("amz-sdk-request", attempt);
        }
        request.send().await.unwrap();
        let (_, answered) = engine.record.take();
        assert_eq!(answered[0].is_retry, expected, "{attempt:?}");
    }
}

#[tokio::test]
async fn passes_concurrent_and_large_requests() {
    let engine = Recorded::new();
    let large = "x".repeat(390_000);
    let puts: Vec<_> =
        (0..25).map(|n| json!({"PutRequest": {"Item": thing(&n.to_string(), &[("hidden", &large)])}})).collect();
    let batch = json!({"RequestItems": {"things": puts}});
    assert!(batch.to_string().len() > 9_000_000);
    let answer = post(engine.recorder.url(), "BatchWriteItem", &batch).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let gets = (0..100).map(async |n: u32| {
        let body = json!({"TableName": "things", "Key": thing(&(n % 25).to_string(), &[])});
        let answer = post(engine.recorder.url(), "GetItem", &body).send().await.unwrap();
        answer.bytes().await.unwrap().len()
    });
    for length in futures_util::future::join_all(gets).await {
        assert!(length > large.len());
    }
    assert_eq!(engine.record.take().1.len(), 101);
}

#[tokio::test]
async fn a_request_is_recorded_although_its_client_has_gone() {
    /// Waits for the answers of a request that is held.
    struct Held(tokio::sync::mpsc::UnboundedSender<Request>, tokio::sync::mpsc::UnboundedSender<()>);
    impl Sink for Held {
        fn sent(&self, _operation: &str, _body: &Value, _trace: Option<&Trace>) {
            self.1.send(()).unwrap();
        }
        fn answered(&self, request: Request) {
            self.0.send(request).unwrap();
        }
    }
    // A DynamoDB that answers when the test lets it.
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let held = gate.clone();
    let answer = async move || {
        held.acquire().await.unwrap().forget();
        "{}"
    };
    let listener = listener::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
    let url = listener::url(&listener).unwrap();
    tokio::spawn(axum::serve(listener, Router::new().fallback(answer)).into_future());
    let (answered, mut answers) = tokio::sync::mpsc::unbounded_channel();
    let (sent, mut requests) = tokio::sync::mpsc::unbounded_channel();
    let recorder = start(&url, Held(answered, sent)).unwrap();
    let request = reqwest::Client::new().post(recorder.url()).header("x-amz-target", "DynamoDB_20120810.PutItem");
    let client = tokio::spawn(request.body("{}").send());
    requests.recv().await.unwrap();
    client.abort();
    assert!(client.await.unwrap_err().is_cancelled());
    gate.add_permits(1);
    assert_eq!(answers.recv().await.unwrap().operation, "PutItem");
}

#[tokio::test]
async fn answers_502_while_dynamodb_cannot_be_reached() {
    let record = Record::default();
    let recorder = start("http://127.0.0.1:1", record.clone()).unwrap();
    let request = reqwest::Client::new().post(recorder.url()).header("x-amz-target", "DynamoDB_20120810.PutItem");
    assert_eq!(request.body("{}").send().await.unwrap().status(), 502);
    assert_eq!(record.take().1[0].status, 502);
}
