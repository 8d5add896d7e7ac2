//! The sizes of item collections: all items of one partition key, with their entries in local
//! indexes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use local::template::{Table, Template};
use serde_json::{Map, Value, json};
use shared::entities::{MAX_FAVORITES, MAX_TAGS_PER_FAVORITE, MAX_TAGS_PER_USER};
use testing::harness::Harness;

use crate::tables::place;
use crate::text::number;

/// The limit of a collection in a table with local indexes, in bytes.
const MAX_COLLECTION_BYTES: f64 = 10.0 * 1024.0 * 1024.0 * 1024.0;

/// The maximum number of items of the collections of `<stage>.Favorite`, by the kind in their
/// partition keys.
const MAXIMA: [(&str, Option<u64>); 9] = [
    ("FavoriteData", Some(MAX_FAVORITES)),
    ("FavoriteDataHistory", None),
    ("FavoriteDataTag", Some(MAX_TAGS_PER_FAVORITE as u64)),
    ("FavoriteDataTerm", Some(MAX_FAVORITES)),
    ("Tag", Some(MAX_TAGS_PER_USER as u64)),
    ("TagName", Some(MAX_TAGS_PER_USER as u64)),
    ("TagCount", Some(1)),
    ("FavoriteCount", Some(1)),
    ("IdempotencyKey", None),
];

/// The items of the sample data whose partition keys are of one kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Collection {
    /// The number of these items.
    items: f64,
    /// Their bytes, with their entries in local indexes.
    bytes: f64,
}

/// Measures the collections of the tables with local indexes in the sample data, by table and kind.
pub(crate) fn measure(harness: &Harness) -> Result<BTreeMap<(String, String), Collection>> {
    let mut collections = BTreeMap::<_, Collection>::new();
    let template: &Template = harness.template();
    for table in template.tables.iter().filter(|table| !local_indexes(table).is_empty()) {
        let scan = serde_json::from_value(json!({"TableName": table.name}))?;
        let answer = serde_json::to_value(harness.database().scan(scan)?)?;
        for item in answer["Items"].as_array().into_iter().flatten().filter_map(Value::as_object) {
            let partition = item["pk"]["S"].as_str().unwrap_or_default();
            let kind = partition.split('#').next().unwrap_or_default();
            let collection = collections.entry((table.name.clone(), kind.to_owned())).or_default();
            collection.items += 1.0;
            collection.bytes += bytes_with_entries(table, item);
        }
    }
    Ok(collections)
}

/// Returns the table of the collections in Markdown.
pub(crate) fn table(collections: &BTreeMap<(String, String), Collection>) -> String {
    let mut text = "| collection | table | bytes of an item | maximum items | KB at the maximum | items in 10 GB |\n\
                    |---|---|--:|--:|--:|--:|\n"
        .to_owned();
    for ((table, kind), Collection { items, bytes }) in collections {
        let mean = bytes / items;
        let max = MAXIMA.iter().find(|(known, _)| known == kind).and_then(|(_, max)| *max);
        #[expect(clippy::cast_precision_loss, reason = "the maxima are small")]
        let max = max.map(|max| max as f64);
        let size = max.map_or_else(|| "–".to_owned(), |max| number(max * mean / 1e3));
        let max = max.map_or_else(|| "–".to_owned(), number);
        let _ = writeln!(
            text,
            "| `{kind}#…` | {} | {} | {max} | {size} | {} million |",
            place(table),
            number(mean),
            number(MAX_COLLECTION_BYTES / mean / 1e6)
        );
    }
    text
}

fn local_indexes(table: &Table) -> Vec<&Value> {
    table.create["LocalSecondaryIndexes"].as_array().into_iter().flatten().collect()
}

/// Returns the bytes of an item and of its entries in local indexes.
fn bytes_with_entries(table: &Table, item: &Map<String, Value>) -> f64 {
    let keys = |schema: &Value| -> Vec<String> {
        let parts = schema["KeySchema"].as_array().into_iter().flatten();
        parts.filter_map(|part| part["AttributeName"].as_str()).map(str::to_owned).collect()
    };
    let mut bytes = size(item.iter());
    for index in local_indexes(table) {
        if !keys(index).iter().all(|name| item.contains_key(name)) {
            continue;
        }
        let mut projected = [keys(&table.create), keys(index)].concat();
        let others = index["Projection"]["NonKeyAttributes"].as_array().into_iter().flatten();
        projected.extend(others.filter_map(Value::as_str).map(str::to_owned));
        let is_all = index["Projection"]["ProjectionType"] == "ALL";
        // DynamoDB adds 100 bytes to each entry.
        bytes += 100.0 + size(item.iter().filter(|(name, _)| is_all || projected.contains(name)));
    }
    bytes
}

/// Returns the bytes of attributes, as [DynamoDB counts
/// them](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html).
fn size<'a>(attributes: impl Iterator<Item = (&'a String, &'a Value)>) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "an item has at most 400 KB")]
    attributes.map(|(name, value)| (name.len() + size_of(value)) as f64).sum()
}

fn size_of(value: &Value) -> usize {
    let Some((kind, value)) = value.as_object().and_then(|value| value.iter().next()) else { return 0 };
    let text = value.as_str().map_or(0, str::len);
    match kind.as_str() {
        "S" => text,
        "N" => text.div_ceil(2) + 1,
        "B" => text * 3 / 4,
        "M" => {
            3 + value
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, value)| name.len() + size_of(value) + 1)
                .sum::<usize>()
        }
        "L" => 3 + value.as_array().into_iter().flatten().map(|value| size_of(value) + 1).sum::<usize>(),
        "SS" | "NS" => value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::len).sum(),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_have_the_sizes_that_aws_documents() {
        let sizes = [json!({"S": "ä"}), json!({"N": "1234"}), json!({"BOOL": true}), json!({"M": {"a": {"S": "b"}}})];
        assert_eq!(sizes.each_ref().map(size_of), [2, 3, 1, 6]);
    }
}
