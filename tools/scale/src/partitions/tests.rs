#![allow(clippy::unwrap_used)]

use std::time::{Duration, SystemTime};

use local::template::Template;
use testing::recorder;

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
        - {AttributeName: who, AttributeType: S}
        - {AttributeName: how, AttributeType: S}
      KeySchema: [{AttributeName: pk, KeyType: HASH}, {AttributeName: sk, KeyType: RANGE}]
      LocalSecondaryIndexes:
        - IndexName: lsi
          KeySchema: [{AttributeName: pk, KeyType: HASH}, {AttributeName: here, KeyType: RANGE}]
          Projection: {ProjectionType: KEYS_ONLY}
      GlobalSecondaryIndexes:
        - IndexName: gsi
          KeySchema:
            - {AttributeName: who, KeyType: HASH}
            - {AttributeName: how, KeyType: HASH}
            - {AttributeName: sk, KeyType: RANGE}
          Projection: {ProjectionType: INCLUDE, NonKeyAttributes: [shown]}
";

fn table() -> Table {
    Template::parse("t.yaml", TEMPLATE).unwrap().tables.remove(0)
}

fn request(operation: &str, body: Value, read: f64) -> Request {
    let units = recorder::Units { read, ..recorder::Units::default() };
    Request {
        operation: operation.to_owned(),
        body,
        status: 200,
        answer: Value::Null,
        units,
        trace: None,
        time: SystemTime::UNIX_EPOCH,
        duration: Duration::ZERO,
        is_retry: false,
    }
}

fn item(attributes: &[(&str, &str)]) -> Item {
    attributes.iter().map(|(name, value)| ((*name).to_owned(), json!({"S": value}))).collect()
}

#[test]
fn a_query_reads_the_partition_that_its_condition_names() {
    let queries = [
        (json!({"KeyConditionExpression": "pk = :p AND begins_with(sk, :s)"}), "things", "a"),
        (
            json!({"IndexName": "lsi", "KeyConditionExpression": "#p = :p", "ExpressionAttributeNames": {"#p": "pk"}}),
            "things",
            "a",
        ),
        (json!({"IndexName": "gsi", "KeyConditionExpression": "who = :p AND how = :s"}), "gsi", "a + b"),
    ];
    for (mut body, place, partition) in queries {
        body["ExpressionAttributeValues"] = json!({":p": {"S": "a"}, ":s": {"S": "b"}});
        let mut units = Units(BTreeMap::new());
        query(&request("Query", body, 1.5), &table(), &mut units).unwrap();
        assert_eq!(units.0, BTreeMap::from([((place.to_owned(), partition.to_owned()), [1.5, 0.0])]));
    }
}

/// Two items of one transaction: the first one is new, with entries in both indexes, and the second
/// one keeps its entries.
#[test]
fn a_transaction_writes_its_items_and_the_entries_that_change() {
    let new = item(&[("pk", "a"), ("sk", "1"), ("here", "x"), ("who", "w"), ("how", "h")]);
    let old = item(&[("pk", "b"), ("sk", "1"), ("here", "x"), ("who", "w"), ("how", "h"), ("hidden", "1")]);
    let mut changed = old.clone();
    changed.insert("hidden".to_owned(), json!({"S": "2"}));
    let named = [
        Named { key: item(&[("pk", "a"), ("sk", "1")]), before: None, after: Some(&new) },
        Named { key: item(&[("pk", "b"), ("sk", "1")]), before: Some(&old), after: Some(&changed) },
    ];
    let indexes = [("lsi".to_owned(), 1.0), ("gsi".to_owned(), 1.0)];
    let consumed = TableUnits { table: 4.0, indexes: indexes.into() };
    let mut units = Units(BTreeMap::new());
    of_items(&request("TransactWriteItems", Value::Null, 0.0), &table(), &consumed, &named, &mut units);
    let expected = [("things", "a", 3.0), ("things", "b", 2.0), ("gsi", "w + h", 1.0)];
    let expected = expected.map(|(place, partition, writes)| ((place.to_owned(), partition.to_owned()), [0.0, writes]));
    assert_eq!(units.0, BTreeMap::from(expected));
}

#[test]
fn an_entry_whose_key_changes_is_written_in_both_of_its_partitions() {
    let table = table();
    let (_, gsi) = index(&table, "gsi").unwrap();
    let entry = |who, shown| item(&[("pk", "a"), ("sk", "1"), ("who", who), ("how", "h"), ("shown", shown)]);
    let entries = |before: &Item, after: &Item| changed_entries(&table, gsi, Some(before), Some(after));
    assert_eq!(entries(&entry("v", "1"), &entry("w", "1")), ["v + h", "w + h"]);
    assert_eq!(entries(&entry("v", "1"), &entry("v", "2")), ["v + h"]);
    assert!(entries(&entry("v", "1"), &entry("v", "1")).is_empty());
    assert_eq!(changed_entries(&table, gsi, Some(&entry("v", "1")), None), ["v + h"]);
}

#[test]
fn the_items_of_every_operation_are_found() {
    let key = json!({"pk": {"S": "a"}, "sk": {"S": "1"}});
    let of = |body: Value| items(&request("", body, 0.0), &[table()]).len();
    assert_eq!(of(json!({"TableName": "things", "Key": key})), 1);
    assert_eq!(of(json!({"TableName": "things", "Item": key})), 1);
    assert_eq!(of(json!({"RequestItems": {"things": {"Keys": [key, key]}}})), 2);
    assert_eq!(
        of(json!({"RequestItems": {"things": [{"PutRequest": {"Item": key}}, {"DeleteRequest": {"Key": key}}]}})),
        2
    );
    let actions = ["Put", "Update", "Delete", "ConditionCheck", "Get"].map(|action| {
        let member = if action == "Put" { "Item" } else { "Key" };
        json!({action: {"TableName": "things", member: key}})
    });
    assert_eq!(of(json!({"TransactItems": actions})), 5);
}
