//! The reads that both tables need: a Scan of all, one item, a number of items.

use std::collections::HashMap;

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::Select;
use serde::de::DeserializeOwned;
use shared::Table;
use shared::dynamodb::Item;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::{Error, Event};

/// A sort key has at most so many bytes.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-partition-sort-keys>
pub(super) const MAX_SORT_KEY_BYTES: usize = 1024;

/// How a table is laid out.
pub(super) trait Layout {
    /// The names of the partition key and the sort key.
    const KEY: [&'static str; 2];
    /// The indexes that the table can't be without.
    const INDEXES: &'static [&'static str];
    /// The attributes that an audit reads: what it compares, and what no function can do without. What is private of a
    /// person is not among them.
    const ATTRIBUTES: &'static [&'static str];
    /// What an item is.
    type Entity;

    /// Reads an item as the entity whose attributes and key it has, or says why that is none.
    fn read(item: Item) -> Result<Self::Entity, String>;
}

/// The partition key and the sort key of an item.
pub(super) type Keys = (String, String);

/// The key attributes.
pub(super) fn key<L: Layout>((pk, sk): Keys) -> Item {
    L::KEY.map(str::to_owned).into_iter().zip([S(pk), S(sk)]).collect()
}

pub(super) fn keys<L: Layout>(item: &Item) -> Keys {
    let [pk, sk] = L::KEY.map(|name| match item.get(name) {
        Some(S(key)) => key.clone(),
        _ => String::new(),
    });
    (pk, sk)
}

/// Whether an item is where what it is by its attributes has to be.
pub(super) fn is_at<L: Layout>(keys: &Keys, right: impl Into<Item>, what: &str) -> Result<(), String> {
    if right.into() == key::<L>(keys.clone()) {
        Ok(())
    } else {
        Err(format!("it is a {what} by its attributes, but not by its key"))
    }
}

/// The projection expression for [`Layout::ATTRIBUTES`]. Some of them are reserved words, so all have placeholders.
pub(super) fn projection<L: Layout>() -> (String, HashMap<String, String>) {
    let names: HashMap<_, _> = L::ATTRIBUTES.iter().map(|name| (format!("#{name}"), (*name).to_owned())).collect();
    (names.keys().cloned().collect::<Vec<_>>().join(", "), names)
}

/// Scans the table in segments, each read by a task of its own, and says how many items there are.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Scan.html#Scan.ParallelScan>
pub(super) async fn scan<L: Layout>(
    table: &Table,
    segments: u16,
    mut add: impl FnMut(Keys, Result<L::Entity, String>),
    mut watch: impl FnMut(Event<'_>),
) -> Result<u64, Error> {
    let (projection, names) = projection::<L>();
    let (send, mut pages) = mpsc::channel(usize::from(segments));
    let mut readers = JoinSet::new();
    for segment in 0..segments {
        let scan = table
            .client
            .scan()
            .table_name(&table.name)
            .projection_expression(&projection)
            .set_expression_attribute_names(Some(names.clone()))
            .segment(segment.into())
            .total_segments(segments.into());
        let send = send.clone();
        readers.spawn(async move {
            let mut segment = scan.into_paginator().send();
            while let Some(page) = segment.next().await {
                // Nobody listens any more once another segment has failed.
                if send.send(page).await.is_err() {
                    return;
                }
            }
        });
    }
    drop(send);

    let mut items = 0;
    while let Some(page) = pages.recv().await {
        for item in page?.items.unwrap_or_default() {
            items += 1;
            add(keys::<L>(&item), L::read(item));
        }
        watch(Event::Scanned { items });
    }
    while let Some(reader) = readers.join_next().await {
        reader.map_err(|lost| Error::Read(lost.to_string()))?;
    }
    Ok(items)
}

/// An item, read consistently.
pub(super) async fn get<L: Layout>(table: &Table, key: impl Into<Item>) -> Result<Option<Item>, Error> {
    let (projection, names) = projection::<L>();
    let get = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(key.into()))
        .projection_expression(projection)
        .set_expression_attribute_names(Some(names))
        .consistent_read(true);
    Ok(get.send().await?.item)
}

/// How many items a Query finds.
pub(super) async fn number(query: QueryFluentBuilder) -> Result<i64, Error> {
    let mut pages = query.select(Select::Count).into_paginator().send();
    let mut number = 0;
    while let Some(page) = pages.try_next().await? {
        number += i64::from(page.count);
    }
    Ok(number)
}

/// An entity by its attributes.
pub(super) fn parsed<T: DeserializeOwned>(item: Item) -> Result<T, String> {
    serde_dynamo::from_item(item).map_err(|error| error.to_string())
}

/// An attribute of its own.
pub(super) fn attribute<T: DeserializeOwned>(item: &mut Item, name: &str) -> Result<Option<T>, String> {
    let value = item.remove(name).map(serde_dynamo::from_attribute_value).transpose();
    value.map_err(|error| format!("{name}: {error}"))
}
