//! `GET /local/tables…`: the tables and their indexes, by item and by partition. A partition of a
//! table or an index is what all items with one partition key are: an item collection.
//!
//! All figures are counted at each request, and a page of items is found by reading the whole table
//! or index, because a Scan has no order. Sizes are those that DynamoDB
//! [counts](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html),
//! without the 100 bytes of overhead for each item of a table that its storage costs.

mod table_or_index;

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use anyhow::Context as _;
use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use dynoxide::types::item_size;
use dynoxide::{AttributeValue, Database, Item};
use serde_json::{Map, Value, json};
use shared::entities::Kind;

use self::table_or_index::{TableOrIndex, compare, describe, keys};
use super::answer::{Refusal, answer};
use super::context::Page;
use super::entities::{self, Entity};

/// The number of rows in an answer that names no limit.
const PAGE_ROWS: usize = 50;

/// The maximum number of items in an answer.
const MAX_ITEMS: usize = 500;

/// The items of a table or an index, counted.
#[derive(Default)]
struct Figures {
    partitions: HashSet<String>,
    /// The number of items of each entity.
    entities: BTreeMap<Entity, usize>,
}

impl Figures {
    /// Returns the numbers of items by the names of their entities.
    fn entities(&self) -> Value {
        self.entities.iter().map(|(entity, items)| json!({"name": entity.name(), "items": items})).collect()
    }
}

/// An item of a table or an index, and its place in the order of the rows.
struct Row {
    /// The partitions of users come before those of reactions, as in the data model.
    position: usize,
    key: Vec<AttributeValue>,
    item: Item,
    entity: Option<&'static str>,
}

/// The rows that a request asks for.
struct Filter {
    /// The beginning of one of the keys.
    prefix: String,
    entity: Option<String>,
    /// The members of a Scan that filter by an attribute.
    attribute: Map<String, Value>,
    /// The key of the last row of the page before.
    start: Option<Vec<AttributeValue>>,
    limit: usize,
}

/// Answers with all tables, those of the template first.
pub(super) async fn list(State(page): State<Arc<Page>>) -> Response {
    answer(move || {
        let names = page.database.list_tables(serde_json::from_value(json!({}))?).context("cannot list the tables")?;
        let mut names = names.table_names;
        let position = |name: &String| page.template.tables.iter().position(|table| table.name == *name);
        names.sort_by_key(|name| position(name).unwrap_or(usize::MAX));
        let tables: Result<Vec<_>, _> = names.iter().map(|name| table(&page.database, name)).collect();
        Ok(json!({"tables": tables?}))
    })
    .await
}

/// Answers with items of a table or of the index that the query names, in the order of their keys:
/// with `prefix`, those with a key that begins with it; with `entity`, those of this entity; with
/// `attribute`, those in which it has what [`attribute_filter`] says; up to `limit`, after the row
/// whose `key` is `start`.
pub(super) async fn rows(
    State(page): State<Arc<Page>>,
    Path(table): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    answer(move || {
        let query = parameters(query.as_deref());
        let place = TableOrIndex::find(&page.database, &table, query.get("index").map(String::as_str))?;
        find_rows(&page.database, &place, filter(&query)?)
    })
    .await
}

/// Answers with the items of one partition in the order of their sort key, each with its kind. The parameter `key` has
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
        let place = TableOrIndex::find(&page.database, &table, query.get("index").map(String::as_str))?;
        let (items, more) = place.collection(&page.database, &key, MAX_ITEMS)?;
        let shown = items.iter().map(|item| {
            let kind = entities::kind(&place.primary, item).map(Kind::name);
            json!({"item": item, "bytes": item_size(item), "kind": kind})
        });
        Ok(json!({"items": shown.collect::<Vec<_>>(), "more": more}))
    })
    .await
}

/// Returns the filter in the parameters of a query.
fn filter(query: &HashMap<String, String>) -> Result<Filter, Refusal> {
    let parameter = |name: &str| query.get(name).filter(|value| !value.is_empty());
    let limit = parameter("limit").map_or(Some(PAGE_ROWS), |limit| limit.parse().ok());
    let limit = limit.filter(|limit| (1..=MAX_ITEMS).contains(limit));
    let limit = limit.ok_or_else(|| Refusal::bad_request(format!("limit must be a number from 1 to {MAX_ITEMS}")))?;
    let start = parameter("start").map(|start| serde_json::from_str(start)).transpose();
    let start = start.map_err(|_| Refusal::bad_request("start must be the member next of the page before"))?;
    Ok(Filter {
        prefix: parameter("prefix").cloned().unwrap_or_default(),
        entity: parameter("entity").cloned(),
        attribute: attribute_filter(query)?,
        start,
        limit,
    })
}

/// Returns the members of a Scan that let items pass whose `attribute` exists, begins with the text
/// `value`, or equals it, by `operator`. A text equals a string, and the number, truth value or null
/// that it spells.
fn attribute_filter(query: &HashMap<String, String>) -> Result<Map<String, Value>, Refusal> {
    let parameter = |name: &str| query.get(name).map(String::as_str).unwrap_or_default();
    let (attribute, value) = (parameter("attribute"), parameter("value"));
    let mut values = Map::from_iter([(":S".to_owned(), json!({"S": value}))]);
    let expression = match parameter("operator") {
        _ if attribute.is_empty() => return Ok(Map::new()),
        "exists" => {
            values.clear();
            "attribute_exists(#name)".to_owned()
        }
        "begins" => "begins_with(#name, :S)".to_owned(),
        "=" => {
            let number = value.parse::<f64>().ok().filter(|number| number.is_finite());
            let number = number.map(|_| (":N".to_owned(), json!({"N": value})));
            let truth = value.parse::<bool>().ok().map(|truth| (":BOOL".to_owned(), json!({"BOOL": truth})));
            let null = (value == "null").then(|| (":NULL".to_owned(), json!({"NULL": true})));
            values.extend([number, truth, null].into_iter().flatten());
            let comparisons: Vec<_> = values.keys().map(|value| format!("#name = {value}")).collect();
            comparisons.join(" OR ")
        }
        _ => return Err(Refusal::bad_request("operator must be =, begins or exists")),
    };
    let mut filter = Map::from_iter([
        ("FilterExpression".to_owned(), expression.into()),
        ("ExpressionAttributeNames".to_owned(), json!({"#name": attribute})),
    ]);
    if !values.is_empty() {
        filter.insert("ExpressionAttributeValues".to_owned(), values.into());
    }
    Ok(filter)
}

/// Returns the first rows after the start, their number on all pages, and the start of the next
/// page.
fn find_rows(database: &Database, place: &TableOrIndex, filter: Filter) -> Result<Value, Refusal> {
    let start = filter.start.map(|key| (entities::position(&place.hash[0], key.first()), key));
    let (mut rows, mut total) = (Vec::<Row>::new(), 0_usize);
    place.scan(database, &filter.attribute, |item| {
        let key: Vec<_> = place.order.iter().filter_map(|name| item.get(name).cloned()).collect();
        let entity = Entity::of(&place.primary, item).map(Entity::name);
        let has_prefix = filter.prefix.is_empty() || key.iter().any(|value| begins_with(value, &filter.prefix));
        if !has_prefix || filter.entity.as_deref().is_some_and(|wanted| entity != Some(wanted)) {
            return;
        }
        total += 1;
        let position = entities::position(&place.hash[0], key.first());
        if start.as_ref().is_none_or(|(at, start)| in_order((*at, start), (position, &key)).is_lt()) {
            rows.push(Row { position, key, item: item.clone(), entity });
        }
        // Items behind the page are dropped now and then, so that few are in memory.
        if rows.len() > 4 * filter.limit {
            sort(&mut rows);
            rows.truncate(filter.limit + 1);
        }
    })?;
    sort(&mut rows);
    let has_more = rows.len() > filter.limit;
    rows.truncate(filter.limit);
    let next = rows.last().filter(|_| has_more).map(|row| &row.key);
    let shown =
        rows.iter().map(|Row { item, entity, .. }| json!({"item": item, "bytes": item_size(item), "entity": entity}));
    Ok(json!({"rows": shown.collect::<Vec<_>>(), "total": total, "next": next}))
}

fn sort(rows: &mut [Row]) {
    rows.sort_by(|one, other| in_order((one.position, &one.key), (other.position, &other.key)));
}

fn in_order(one: (usize, &[AttributeValue]), other: (usize, &[AttributeValue])) -> Ordering {
    one.0.cmp(&other.0).then_with(|| compare(one.1, other.1))
}

fn begins_with(value: &AttributeValue, prefix: &str) -> bool {
    matches!(value, AttributeValue::S(text) | AttributeValue::N(text) if text.starts_with(prefix))
}

/// Returns the parameters of a query by name.
fn parameters(query: Option<&str>) -> HashMap<String, String> {
    url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect()
}

/// Describes a table with its indexes.
fn table(database: &Database, name: &str) -> Result<Value, Refusal> {
    let described = describe(database, name)?;
    let mut indexes = vec![];
    for (kind, list) in [("global", "GlobalSecondaryIndexes"), ("local", "LocalSecondaryIndexes")] {
        for index in described[list].as_array().into_iter().flatten() {
            let place = TableOrIndex::from_description(name, index["IndexName"].as_str(), &described)?;
            let figures = figures(database, &place)?;
            let projection = &index["Projection"];
            let attributes = projection.get("NonKeyAttributes").filter(|_| projection["ProjectionType"] == "INCLUDE");
            indexes.push(json!({
                "name": index["IndexName"],
                "kind": kind,
                "keys": keys(index),
                "hash": place.hash.len(),
                "projection": attributes.unwrap_or(&projection["ProjectionType"]),
                "items": index["ItemCount"],
                "bytes": index["IndexSizeBytes"],
                "partitions": figures.partitions.len(),
                "entities": figures.entities(),
            }));
        }
    }
    let ttl = database.describe_time_to_live(serde_json::from_value(json!({"TableName": name}))?);
    let ttl = serde_json::to_value(ttl.context("cannot read the time to live")?)?;
    let figures = figures(database, &TableOrIndex::from_description(name, None, &described)?)?;
    Ok(json!({
        "name": name,
        "keys": keys(&described),
        "items": described["ItemCount"],
        "bytes": described["TableSizeBytes"],
        "partitions": figures.partitions.len(),
        "entities": figures.entities(),
        "ttl": ttl["TimeToLiveDescription"]["AttributeName"],
        "stream": described["StreamSpecification"]["StreamEnabled"] == true,
        "indexes": indexes,
    }))
}

/// Counts the items of a table or an index.
fn figures(database: &Database, place: &TableOrIndex) -> Result<Figures, Refusal> {
    let mut figures = Figures::default();
    place.scan(database, &Map::new(), |item: &Item| {
        let key: Vec<_> = place.hash.iter().filter_map(|name| item.get(name)).collect();
        figures.partitions.extend(serde_json::to_string(&key));
        if let Some(entity) = Entity::of(&place.primary, item) {
            *figures.entities.entry(entity).or_default() += 1;
        }
    })?;
    Ok(figures)
}

#[cfg(test)]
mod tests;
