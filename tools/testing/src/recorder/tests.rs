//! Checks the recorded units against AWS's documentation, on a table with one local and one global index. The pages, by
//! the names that the tests use:
//! [read-write-operations](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html),
//! [LSI](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/LSI.html#LSI.ThroughputConsiderations.Writes),
//! [GSI](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.ThroughputConsiderations.Writes),
//! [transactions](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-capacity-handling).

// Units are multiples of one half, which a float represents exactly.
#![allow(clippy::float_cmp)]

use local::services::dynamodb::{self, Engine};
use local::template::Template;
use serde_json::json;

use super::*;

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
    recorder: Recorder,
    _engine: Engine,
}

impl Recorded {
    fn new() -> Self {
        let engine = Engine::start(net::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap(), None).unwrap();
        dynamodb::create_tables(engine.database(), &Template::parse("t.yaml", TEMPLATE).unwrap()).unwrap();
        Self { recorder: Recorder::start(engine.endpoint()).unwrap(), _engine: engine }
    }

    async fn send(&self, operation: &str, mut body: Value) -> Request {
        if !operation.starts_with("Batch") && !operation.starts_with("Transact") {
            body["TableName"] = "things".into();
        }
        let request = reqwest::Client::new()
            .post(self.recorder.url())
            .header("x-amz-target", format!("DynamoDB_20120810.{operation}"))
            .header("content-type", "application/x-amz-json-1.0")
            .header("x-amz-date", "20240101T000000Z")
            .header("authorization", "AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=host, Signature=0")
            .body(body.to_string());
        let answer = request.send().await.unwrap();
        let (status, text) = (answer.status().as_u16(), answer.bytes().await.unwrap());
        let request = self.recorder.take().pop().unwrap();
        assert_eq!((request.status, &request.answer), (status, &serde_json::from_slice(&text).unwrap()));
        request
    }

    async fn units(&self, operation: &str, body: Value) -> Units {
        let request = self.send(operation, body).await;
        assert_eq!(request.status, 200, "{}", request.answer);
        request.units
    }

    /// Returns the write units of a request: those of the table, of the local index and of the global index.
    async fn write(&self, operation: &str, body: Value) -> [f64; 3] {
        let units = self.units(operation, body).await;
        assert!(units.read.abs() < f64::EPSILON);
        let [lsi, gsi] = ["lsi", "gsi"].map(|index| units.indexes.get(index).copied().unwrap_or_default());
        [units.write - lsi - gsi, lsi, gsi]
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

/// A read unit covers 4 KB. An eventually consistent read costs half a unit, a transactional read two. A Query pays for
/// the sum of the items that it reads, a BatchGetItem for each item; the minimum is one item (read-write-operations).
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

/// A write unit covers 1 KB of the item before or after the write, whichever is larger (read-write-operations).
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

/// An index costs one write for an entry that is added, removed or changed in place, two for an entry whose key
/// changes, and none if its attributes do not change (LSI, GSI).
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

/// A transaction writes each item twice, to prepare and to commit, and pays for both; so does a condition check
/// (transactions). AWS does not document that an index is written once; the authors of dynoxide have measured it.
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
