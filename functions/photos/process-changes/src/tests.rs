mod counts;
mod directory;
mod feeds;
mod welcome;

use crate::*;
use serde_json::Value;
use shared::dynamodb::Item;
use shared::runtime::stream::Failure;
use testing::{Fixture, batch, record};

async fn add_up(table: &Table, records: &[Record]) -> Vec<Failure> {
    crate::counts::add_up(table, &table.other("dev.Feed"), records).await
}

/// Returns the feeds of a fixture.
fn feeds(table: Table) -> Feeds {
    let feed = Table { client: table.client.clone(), name: "dev.Feed".to_owned() };
    Feeds { table, feed, max_pushed: 10_000 }
}

/// Returns the record of a new item.
fn insert(item: &Item) -> Record {
    record(Item::new(), item.clone())
}

#[tokio::test]
async fn sends_no_email_without_a_sender() {
    let fixture = Fixture::new("process-changes").await;
    let handler = |table, record| process(None, feeds(table), record);
    assert!(fixture.deliver_batch(add_up, handler, fixture.sample_event()).await.is_empty());
    assert_eq!(fixture.operations(), ["GetItem", "BatchWriteItem", "GetItem"], "of the directory");
}
