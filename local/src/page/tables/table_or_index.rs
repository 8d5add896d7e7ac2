//! A table or one of its indexes, as a place to read items from.

use std::cmp::Ordering;

use dynoxide::{AttributeValue, Database, DynoxideError, Item};
use serde_json::{Map, Value, json};

use crate::items::key_names;
use crate::page::answer::Refusal;

/// A table or an index.
pub(super) struct TableOrIndex {
    table: String,
    index: Option<String>,
    /// The names of the attributes of the partition key.
    pub(super) hash: Vec<String>,
    /// The names of the attributes by which the items are ordered: the keys here, then those of the
    /// table.
    pub(super) order: Vec<String>,
    /// The names of the attributes of the primary key of the table.
    pub(super) primary: Vec<String>,
}

/// Returns the description of a table.
pub(super) fn describe(database: &Database, table: &str) -> Result<Value, Refusal> {
    let not_found = || Refusal::not_found("there is no such table");
    // No table can have a name that is not valid, which is an error of the request or of the
    // engine.
    let request = serde_json::from_value(json!({"TableName": table})).map_err(|_| not_found())?;
    match database.describe_table(request) {
        Ok(described) => Ok(serde_json::to_value(described)?["Table"].take()),
        Err(DynoxideError::ResourceNotFoundException(_) | DynoxideError::ValidationException(_)) => Err(not_found()),
        Err(error) => Err(error.into()),
    }
}

impl TableOrIndex {
    /// Finds a table or an index.
    pub(super) fn find(database: &Database, table: &str, index: Option<&str>) -> Result<Self, Refusal> {
        Self::from_description(table, index, &describe(database, table)?)
    }

    /// Returns a table or an index in the description of the table.
    pub(super) fn from_description(table: &str, index: Option<&str>, described: &Value) -> Result<Self, Refusal> {
        let mut indexes = ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"]
            .into_iter()
            .flat_map(|list| described[list].as_array().into_iter().flatten());
        let place = match index {
            None => described,
            Some(name) => {
                let found = indexes.find(|index| index["IndexName"] == name);
                found.ok_or_else(|| Refusal::not_found("the table has no such index"))?
            }
        };
        let (keys, primary) = (keys(place), keys(described));
        let schema = place["KeySchema"].as_array().into_iter().flatten();
        let hash = keys[..schema.filter(|element| element["KeyType"] == "HASH").count()].to_vec();
        let more: Vec<_> = primary.iter().filter(|name| !keys.contains(name)).cloned().collect();
        let order = [keys, more].concat();
        Ok(Self { table: table.to_owned(), index: index.map(str::to_owned), hash, order, primary })
    }

    /// Calls `visit` with each item that passes a filter: the members of a Scan that make one, or
    /// none.
    pub(super) fn scan(
        &self,
        database: &Database,
        filter: &Map<String, Value>,
        mut visit: impl FnMut(&Item),
    ) -> Result<(), Refusal> {
        let mut start = None;
        loop {
            let mut scan = self.request(start.as_ref());
            scan.extend(filter.clone());
            let page = database.scan(serde_json::from_value(scan.into())?);
            let page = page.map_err(|error| Refusal::bad_request(error.to_string()))?;
            page.items.iter().flatten().for_each(&mut visit);
            let Some(last) = page.last_evaluated_key else { return Ok(()) };
            start = Some(serde_json::to_value(last)?);
        }
    }

    /// Returns up to `limit` items of one partition in the order of their sort key, and whether it
    /// has more.
    pub(super) fn collection(
        &self,
        database: &Database,
        key: &[Value],
        limit: usize,
    ) -> Result<(Vec<Item>, bool), Refusal> {
        if key.len() != self.hash.len() {
            return Err(Refusal::bad_request(format!("key must have the values of {}", self.hash.join(" and "))));
        }
        let (mut condition, mut names, mut values) = (vec![], Map::new(), Map::new());
        for (n, (name, value)) in self.hash.iter().zip(key).enumerate() {
            condition.push(format!("#k{n} = :k{n}"));
            names.insert(format!("#k{n}"), json!(name));
            values.insert(format!(":k{n}"), value.clone());
        }
        let (mut items, mut start) = (vec![], None);
        loop {
            let mut query = self.request(start.as_ref());
            query.insert("KeyConditionExpression".to_owned(), json!(condition.join(" AND ")));
            query.insert("ExpressionAttributeNames".to_owned(), names.clone().into());
            query.insert("ExpressionAttributeValues".to_owned(), values.clone().into());
            query.insert("Limit".to_owned(), json!(limit - items.len()));
            let query =
                serde_json::from_value(query.into()).map_err(|error| Refusal::bad_request(error.to_string()))?;
            let page = database.query(query).map_err(|error| Refusal::bad_request(error.to_string()))?;
            items.extend(page.items.into_iter().flatten());
            let Some(last) = page.last_evaluated_key else { return Ok((items, false)) };
            if items.len() == limit {
                return Ok((items, true));
            }
            start = Some(serde_json::to_value(last)?);
        }
    }

    /// Returns a request for the items after a key.
    fn request(&self, start: Option<&Value>) -> Map<String, Value> {
        let mut request = Map::from_iter([("TableName".to_owned(), json!(self.table))]);
        request.extend(self.index.as_ref().map(|index| ("IndexName".to_owned(), json!(index))));
        request.extend(start.map(|start| ("ExclusiveStartKey".to_owned(), start.clone())));
        request
    }
}

/// Returns the names of the attributes in the key schema of a table or an index.
pub(super) fn keys(described: &Value) -> Vec<String> {
    key_names(described).map(str::to_owned).collect()
}

/// Compares two keys as DynamoDB orders sort keys: numbers by value, texts and binary values by
/// their bytes.
pub(super) fn compare(one: &[AttributeValue], other: &[AttributeValue]) -> Ordering {
    let values = one.iter().zip(other).map(|(one, other)| match (one, other) {
        (AttributeValue::S(one), AttributeValue::S(other)) => one.cmp(other),
        (AttributeValue::B(one), AttributeValue::B(other)) => one.cmp(other),
        (AttributeValue::N(one), AttributeValue::N(other)) => {
            let number = |text: &str| text.parse::<f64>().unwrap_or_default();
            number(one).total_cmp(&number(other))
        }
        // All keys of a table or an index have one type.
        _ => Ordering::Equal,
    });
    values.fold(Ordering::Equal, Ordering::then)
}
