//! `GET /local/tables…`: the tables and their indexes, by partition. A partition of a table or an
//! index is what all items with one partition key are: an item collection.
//!
//! All figures are counted at each request. Sizes are those that DynamoDB
//! [counts](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html),
//! without the 100 bytes of overhead for each item of a table that its storage costs.

mod table_or_index;

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Context as _;
use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use dynoxide::types::item_size;
use dynoxide::{AttributeValue, Database, Item};
use serde_json::{Value, json};

use self::table_or_index::{TableOrIndex, compare, describe};
use super::answer::{Refusal, answer};
use super::context::Page;

/// The number of partitions in an answer.
const PAGE_PARTITIONS: usize = 200;

/// The maximum number of items in an answer.
const MAX_ITEMS: usize = 500;

/// The items of one partition key in a table or an index.
struct Partition {
    key: Vec<AttributeValue>,
    items: usize,
    bytes: usize,
}

/// Answers with all tables, those of the template first.
pub(super) async fn list(State(page): State<Arc<Page>>) -> Response {
    answer(move || {
        let names =
            page.database()?.list_tables(serde_json::from_value(json!({}))?).context("cannot list the tables")?;
        let mut names = names.table_names;
        let position = |name: &String| page.template.tables.iter().position(|table| table.name == *name);
        names.sort_by_key(|name| position(name).unwrap_or(usize::MAX));
        let database = page.database()?;
        let tables: Result<Vec<_>, _> = names.iter().map(|name| table(database, name)).collect();
        Ok(json!({"tables": tables?}))
    })
    .await
}

/// Answers with partitions of a table or of the index that the query names: those after the first
/// `after` in the order of their keys.
pub(super) async fn partitions(
    State(page): State<Arc<Page>>,
    Path(table): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    answer(move || {
        let query = parameters(query.as_deref());
        let after = query.get("after").map_or(Ok(0), |after| after.parse::<usize>());
        let after = after.map_err(|_| Refusal::bad_request("after must be the number of partitions to skip"))?;
        let place = TableOrIndex::find(page.database()?, &table, query.get("index").map(String::as_str))?;
        let mut all = all_partitions(page.database()?, &place)?;
        all.sort_by(|one, other| compare(&one.key, &other.key));
        let next = (after + PAGE_PARTITIONS < all.len()).then_some(after + PAGE_PARTITIONS);
        let shown = all.iter().skip(after).take(PAGE_PARTITIONS);
        let shown = shown.map(|Partition { key, items, bytes }| json!({"key": key, "items": items, "bytes": bytes}));
        Ok(json!({"partitions": shown.collect::<Vec<_>>(), "total": all.len(), "next": next}))
    })
    .await
}

/// Answers with the items of one partition in the order of their sort key. The parameter `key` has
/// the values of the partition key, as a JSON array.
pub(super) async fn items(
    State(page): State<Arc<Page>>,
    Path(table): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    answer(move || {
        let query = parameters(query.as_deref());
        let key = query.get("key").and_then(|key| serde_json::from_str::<Vec<Value>>(key).ok());
        let key = key.ok_or_else(|| Refusal::bad_request(r#"key must be a JSON array such as [{"S": "USER#ada"}]"#))?;
        let place = TableOrIndex::find(page.database()?, &table, query.get("index").map(String::as_str))?;
        let (items, more) = place.collection(page.database()?, &key, MAX_ITEMS)?;
        let items: Vec<_> = items.iter().map(|item| json!({"item": item, "bytes": item_size(item)})).collect();
        Ok(json!({"items": items, "more": more}))
    })
    .await
}

/// Returns the parameters of a query by name.
fn parameters(query: Option<&str>) -> HashMap<String, String> {
    url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect()
}

/// Describes a table with its indexes.
fn table(database: &Database, name: &str) -> Result<Value, Refusal> {
    let described = describe(database, name)?;
    let count = |index: Option<&str>| -> Result<usize, Refusal> {
        Ok(all_partitions(database, &TableOrIndex::from_description(name, index, &described)?)?.len())
    };
    let keys = |described: &Value| -> Vec<Value> {
        let schema = described["KeySchema"].as_array().into_iter().flatten();
        schema.map(|element| element["AttributeName"].clone()).collect()
    };
    let mut indexes = vec![];
    for (kind, list) in [("global", "GlobalSecondaryIndexes"), ("local", "LocalSecondaryIndexes")] {
        for index in described[list].as_array().into_iter().flatten() {
            let schema = index["KeySchema"].as_array().into_iter().flatten();
            let projection = &index["Projection"];
            let attributes = projection.get("NonKeyAttributes").filter(|_| projection["ProjectionType"] == "INCLUDE");
            indexes.push(json!({
                "name": index["IndexName"],
                "kind": kind,
                "keys": keys(index),
                "hash": schema.filter(|element| element["KeyType"] == "HASH").count(),
                "projection": attributes.unwrap_or(&projection["ProjectionType"]),
                "items": index["ItemCount"],
                "bytes": index["IndexSizeBytes"],
                "partitions": count(index["IndexName"].as_str())?,
            }));
        }
    }
    let ttl = database.describe_time_to_live(serde_json::from_value(json!({"TableName": name}))?);
    let ttl = serde_json::to_value(ttl.context("cannot read the time to live")?)?;
    Ok(json!({
        "name": name,
        "keys": keys(&described),
        "items": described["ItemCount"],
        "bytes": described["TableSizeBytes"],
        "partitions": count(None)?,
        "ttl": ttl["TimeToLiveDescription"]["AttributeName"],
        "stream": described["StreamSpecification"]["StreamEnabled"] == true,
        "indexes": indexes,
    }))
}

/// Returns all partitions of a table or an index, in any order.
fn all_partitions(database: &Database, place: &TableOrIndex) -> Result<Vec<Partition>, Refusal> {
    let mut partitions = HashMap::<String, Partition>::new();
    place.scan(database, |item: &Item| {
        let key: Vec<_> = place.hash.iter().filter_map(|name| item.get(name)).collect();
        let Ok(id) = serde_json::to_string(&key) else { return };
        let new = || Partition { key: key.into_iter().cloned().collect(), items: 0, bytes: 0 };
        let partition = partitions.entry(id).or_insert_with(new);
        partition.items += 1;
        partition.bytes += item_size(item);
    })?;
    Ok(partitions.into_values().collect())
}

#[cfg(test)]
mod tests;
