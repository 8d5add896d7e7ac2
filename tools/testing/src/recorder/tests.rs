//! The units by the rules of AWS's documentation, on a table with an index of each kind. The pages:
//! [read-write-operations](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html),
//! [LSI](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/LSI.html#LSI.ThroughputConsiderations.Writes),
//! [GSI](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.ThroughputConsiderations.Writes),
//! [transactions](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-capacity-handling).

// Units are whole and half numbers, which a float has exactly.
#![allow(clippy::float_cmp)]

use serde_json::json;

use super::*;
use local::services::dynamodb;
use local::services::dynamodb::Engine;
use local::template::Template;

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

struct Bed {
    recorder: Recorder,
    _engine: Engine,
}

impl Bed {
    fn new() -> Self {
        let engine = Engine::start(net::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap(), None).unwrap();
        dynamodb::create_tables(engine.database(), &Template::parse("t.yaml", TEMPLATE).unwrap()).unwrap();
        Self { recorder: Recorder::start(engine.endpoint()).unwrap(), _engine: engine }
    }

    async fn ask(&self, operation: &str, mut body: Value) -> Request {
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
        let asked = self.recorder.take().pop().unwrap();
        assert_eq!((asked.status, &asked.answer), (status, &serde_json::from_slice(&text).unwrap()));
        asked
    }

    async fn units(&self, operation: &str, body: Value) -> Units {
        let asked = self.ask(operation, body).await;
        assert_eq!(asked.status, 200, "{}", asked.answer);
        asked.units
    }

    /// What a write of one item costs: in the table, in the local and in the global index.
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

/// The thing `sk`, with these attributes.
fn thing(sk: &str, attributes: &[(&str, &str)]) -> Value {
    let keys = [("pk", "one"), ("sk", sk)];
    keys.iter()
        .chain(attributes)
        .map(|(name, value)| ((*name).to_owned(), json!({"S": value})))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

#[tokio::test]
async fn what_is_asked_and_answered_is_recorded() {
    let bed = Bed::new();
    for sk in ["a", "b", "c"] {
        bed.put(thing(sk, &[("here", sk), ("shown", if sk == "a" { "yes" } else { "no" })])).await;
    }
    let query = json!({"IndexName": "lsi", "KeyConditionExpression": "pk = :pk", "FilterExpression": "shown = :shown",
        "ExpressionAttributeValues": {":pk": {"S": "one"}, ":shown": {"S": "no"}}});
    let asked = bed.ask("Query", query).await;
    assert_eq!((asked.operation.as_str(), asked.table(), asked.index()), ("Query", Some("things"), Some("lsi")));
    assert_eq!((asked.items().len(), asked.evaluated()), (2, 3));
    assert_eq!(asked.items()[0]["sk"], json!({"S": "b"}));

    let asked = bed.ask("GetItem", json!({"Key": thing("a", &[])})).await;
    assert_eq!((asked.items().len(), asked.evaluated()), (1, 1));
    let asked = bed.ask("GetItem", json!({"Key": thing("nowhere", &[])})).await;
    assert_eq!((asked.items().len(), asked.evaluated()), (0, 0));
    let keys = json!({"RequestItems": {"things": {"Keys": [thing("a", &[]), thing("b", &[])]}}});
    let asked = bed.ask("BatchGetItem", keys).await;
    assert_eq!((asked.table(), asked.items().len(), asked.evaluated()), (None, 2, 2));

    let asked =
        bed.ask("PutItem", json!({"Item": thing("a", &[]), "ConditionExpression": "attribute_not_exists(pk)"})).await;
    assert_eq!((asked.status, asked.units), (400, Units::default()));
}

/// Four kilobytes to a unit, half of it for who doesn't ask for consistency, double in a transaction; a Query pays for
/// the sum of what it reads, a BatchGetItem for each item by itself, and nobody less than for one
/// (read-write-operations).
#[tokio::test]
async fn reads() {
    let bed = Bed::new();
    let long = "x".repeat(3000);
    for sk in ["a", "b"] {
        bed.put(thing(sk, &[("there", "x"), ("hidden", &long)])).await;
    }
    let key = thing("a", &[]);
    assert_eq!(bed.read("GetItem", json!({"Key": key})).await, 0.5);
    assert_eq!(bed.read("GetItem", json!({"Key": key, "ConsistentRead": true})).await, 1.0);
    assert_eq!(bed.read("GetItem", json!({"Key": thing("nowhere", &[])})).await, 0.5);
    assert_eq!(
        bed.read("TransactGetItems", json!({"TransactItems": [{"Get": {"TableName": "things", "Key": key}}]})).await,
        2.0
    );
    let keys = json!([key, thing("nowhere", &[])]);
    assert_eq!(bed.read("BatchGetItem", json!({"RequestItems": {"things": {"Keys": keys}}})).await, 1.0);

    let mut query = json!({"KeyConditionExpression": "pk = :key", "ExpressionAttributeValues": {":key": {"S": "one"}}});
    assert_eq!(bed.read("Query", query.clone()).await, 1.0);
    // What an expression leaves out has been read.
    query["ProjectionExpression"] = "sk".into();
    assert_eq!(bed.read("Query", query.clone()).await, 1.0);
    query["Limit"] = 1.into();
    assert_eq!(bed.read("Query", query.clone()).await, 0.5);
    query["ExpressionAttributeValues"][":key"]["S"] = "nobody".into();
    assert_eq!(bed.read("Query", query).await, 0.5);
    // What an index leaves out has not.
    let query = json!({"IndexName": "gsi", "KeyConditionExpression": "there = :key",
        "ExpressionAttributeValues": {":key": {"S": "x"}}});
    assert_eq!(bed.read("Query", query).await, 0.5);
}

/// A kilobyte to a unit, of the item as it was or as it is, whichever is longer (read-write-operations).
#[tokio::test]
async fn writes() {
    let bed = Bed::new();
    let long = "x".repeat(1500);
    assert_eq!(bed.put(thing("a", &[("hidden", &long)])).await, [2.0, 0.0, 0.0]);
    assert_eq!(bed.put(thing("a", &[])).await, [2.0, 0.0, 0.0]);
    assert_eq!(bed.put(thing("a", &[])).await, [1.0, 0.0, 0.0]);
    assert_eq!(bed.write("DeleteItem", json!({"Key": thing("a", &[])})).await, [1.0, 0.0, 0.0]);
    assert_eq!(bed.write("DeleteItem", json!({"Key": thing("a", &[])})).await, [1.0, 0.0, 0.0]);
}

/// An index pays for what changes in it: one write for what comes, goes, or changes in its place, two for what moves, and
/// none for what it doesn't have (LSI, GSI).
#[tokio::test]
async fn writes_to_indexes() {
    let bed = Bed::new();
    let long = "x".repeat(1500);
    for (old, new, costs) in [
        // It comes, in one or in both.
        (None, Some(vec![("here", "1")]), [1.0, 1.0, 0.0]),
        (Some(vec![]), Some(vec![("here", "1"), ("there", "1")]), [1.0, 1.0, 1.0]),
        // It goes.
        (Some(vec![("here", "1"), ("there", "1")]), Some(vec![("here", "1")]), [1.0, 0.0, 1.0]),
        (Some(vec![("here", "1"), ("there", "1")]), None, [1.0, 1.0, 1.0]),
        // It moves.
        (Some(vec![("here", "1"), ("there", "1")]), Some(vec![("here", "2"), ("there", "1")]), [1.0, 2.0, 0.0]),
        (Some(vec![("here", "1"), ("there", "1")]), Some(vec![("here", "1"), ("there", "2")]), [1.0, 0.0, 2.0]),
        // It changes: what the index has, or not.
        (Some(vec![("here", "1"), ("shown", "1")]), Some(vec![("here", "1"), ("shown", "2")]), [1.0, 1.0, 0.0]),
        (Some(vec![("here", "1"), ("hidden", "1")]), Some(vec![("here", "1"), ("hidden", "2")]), [1.0, 0.0, 0.0]),
        (Some(vec![("here", "1")]), Some(vec![("here", "1")]), [1.0, 0.0, 0.0]),
        // An entry is as long as what the index has of the item.
        (None, Some(vec![("here", "1"), ("hidden", &long)]), [2.0, 1.0, 0.0]),
        (None, Some(vec![("here", "1"), ("shown", &long)]), [2.0, 2.0, 0.0]),
        (Some(vec![("here", "1"), ("shown", &long)]), Some(vec![("here", "2"), ("shown", &long)]), [2.0, 4.0, 0.0]),
    ] {
        let what = format!("{old:?} {new:?}");
        bed.write("DeleteItem", json!({"Key": thing("a", &[])})).await;
        if let Some(old) = old {
            bed.put(thing("a", &old)).await;
        }
        let paid = match new {
            Some(new) => bed.put(thing("a", &new)).await,
            None => bed.write("DeleteItem", json!({"Key": thing("a", &[])})).await,
        };
        assert_eq!(paid, costs, "{what}");
    }
}

/// A transaction writes each item twice, to prepare and to commit, and pays for both; so does a check (transactions).
/// That an index is written only once AWS doesn't say; dynoxide's authors have seen it do so.
#[tokio::test]
async fn transactions_and_batches() {
    let bed = Bed::new();
    let put = |sk: &str| json!({"TableName": "things", "Item": thing(sk, &[("here", "1"), ("there", "1")])});
    let check =
        json!({"TableName": "things", "Key": thing("z", &[]), "ConditionExpression": "attribute_not_exists(pk)"});
    let items = json!([{"Put": put("a")}, {"Put": put("b")}, {"ConditionCheck": check}]);
    assert_eq!(bed.write("TransactWriteItems", json!({"TransactItems": items})).await, [6.0, 2.0, 2.0]);

    let update = json!({"TableName": "things", "Key": thing("a", &[]), "UpdateExpression": "SET here = :new",
        "ExpressionAttributeValues": {":new": {"S": "2"}}});
    assert_eq!(bed.write("UpdateItem", update.clone()).await, [1.0, 2.0, 0.0]);
    assert_eq!(bed.write("UpdateItem", update.clone()).await, [1.0, 0.0, 0.0]);
    let delete = json!({"TableName": "things", "Key": thing("b", &[])});
    let items = json!([{"Update": update}, {"Delete": delete}]);
    assert_eq!(bed.write("TransactWriteItems", json!({"TransactItems": items})).await, [4.0, 1.0, 1.0]);

    let items = json!({"things": [{"PutRequest": {"Item": thing("b", &[("here", "1")])}},
        {"DeleteRequest": {"Key": thing("a", &[])}}]});
    assert_eq!(bed.write("BatchWriteItem", json!({"RequestItems": items})).await, [2.0, 2.0, 1.0]);
}
