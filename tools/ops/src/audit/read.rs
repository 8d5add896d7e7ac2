//! The requests that read a table of either layout: a Scan, one item, the number of items of a
//! Query.

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::Select;
use shared::Table;
use shared::dynamodb::Item;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::error::Error;
use super::layout::{Keys, Layout, keys};
use super::progress::Progress;

/// Scans the table in segments, each of which is read by its own task, and returns the number of
/// items.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Scan.html#Scan.ParallelScan>
pub(super) async fn scan<E: Layout>(
    table: &Table,
    segments: u16,
    mut add: impl FnMut(Keys, anyhow::Result<E>),
    mut watch: impl FnMut(Progress<'_>),
) -> Result<u64, Error> {
    let (send, mut pages) = mpsc::channel(usize::from(segments));
    let mut readers = JoinSet::new();
    for segment in 0..segments {
        let scan = table.client.scan().table_name(&table.name).segment(segment.into()).total_segments(segments.into());
        let send = send.clone();
        readers.spawn(async move {
            let mut segment = scan.into_paginator().send();
            while let Some(page) = segment.next().await {
                // The receiver is dropped when another segment has failed.
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
            add(keys::<E>(&item), E::parse(item));
        }
        watch(Progress::Scanned { items });
    }
    while let Some(reader) = readers.join_next().await {
        reader.map_err(|panic| Error::Read(panic.to_string()))?;
    }
    Ok(items)
}

/// Reads an item consistently.
pub(super) async fn get(table: &Table, key: impl Into<Item>) -> Result<Option<Item>, Error> {
    let get = table.client.get_item().table_name(&table.name).set_key(Some(key.into())).consistent_read(true);
    Ok(get.send().await?.item)
}

/// Reads an item consistently, and parses it.
pub(super) async fn entity<E: Layout>(table: &Table, key: impl Into<Item>) -> Result<Option<anyhow::Result<E>>, Error> {
    Ok(get(table, key).await?.map(E::parse))
}

/// Returns the number of items that a Query finds.
pub(super) async fn count(query: QueryFluentBuilder) -> Result<i64, Error> {
    let mut pages = query.select(Select::Count).into_paginator().send();
    let mut count = 0;
    while let Some(page) = pages.try_next().await? {
        count += i64::from(page.count);
    }
    Ok(count)
}
