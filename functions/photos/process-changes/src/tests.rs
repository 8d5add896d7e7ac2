mod counts;
mod feeds;
mod welcome;

use crate::*;
use serde_json::{Value, json};
use shared::dynamodb::Item;
use testing::Fixture;

/// Returns a stream record of a change of `item`, as Lambda delivers it.
fn record(change: &str, sequence_number: &str, item: &Item) -> Value {
    let image: serde_dynamo::Item = item.clone().into();
    let mut keys = item.clone();
    keys.retain(|name, _| ["PK", "SK"].contains(&name.as_str()));
    let keys: serde_dynamo::Item = keys.into();
    json!({
        "eventName": change,
        "dynamodb": {
            "ApproximateCreationDateTime": 1_735_732_807, "Keys": keys, "NewImage": image,
            "SequenceNumber": sequence_number,
        },
    })
}

/// Returns the feeds of a fixture.
fn feeds(table: Table) -> Feeds {
    let feed = Table { client: table.client.clone(), name: "dev.Feed".to_owned() };
    Feeds { table, feed, max_pushed: 10_000 }
}

fn insert(sequence_number: &str, item: &Item) -> Value {
    record("INSERT", sequence_number, item)
}

#[tokio::test]
async fn sends_no_email_without_a_sender() {
    let fixture = Fixture::new("process-changes").await;
    let handler = |table, record| process(None, feeds(table), record);
    assert!(fixture.deliver_batch(crate::counts::add_up, handler, fixture.sample_event()).await.is_empty());
    assert!(fixture.operations().is_empty());
}
