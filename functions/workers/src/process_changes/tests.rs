mod alerts;
mod bells;
mod counts;
mod directory;
mod feeds;
mod hashtags;
mod jobs;
mod notifications;
mod rankings;

use crate::process_changes::job::Job;
use crate::process_changes::*;
use serde_json::{Value, json};
use shared::Table;
use shared::dynamodb::Item;
use shared::runtime::stream::Record;
use testing::{FEED, Fixture, batch, record};

/// Returns the context of a job on the tables of a fixture.
fn context(table: &Table) -> Context {
    let feed = Table { client: table.client.clone(), name: "dev.Feed".to_owned() };
    Context { table: table.clone(), feed, max_pushed: 10_000, max_pushed_at_once: 1000 }
}

/// Lets a job process records that its queue has. Returns the ids of those that failed.
async fn deliver_to(job: Job, fixture: &Fixture, records: &[Record]) -> Vec<String> {
    let context = context(&fixture.table);
    let handler = async |batch: Batch| job.process(&context, &batch.records, batch.deadline).await;
    fixture.deliver_batch(handler, batch(records)).await
}

/// Returns the record of a new item.
fn insert(item: &Item) -> Record {
    record(Item::new(), item.clone())
}

#[tokio::test]
async fn a_new_user_is_in_the_directory_and_goes_to_send_welcome() {
    let stream = jobs::Stream::new(jobs::LONG).await;
    let event = stream.fixture.sample_event();
    let image: serde_dynamo::Item =
        serde_json::from_value(event["Records"][0]["dynamodb"]["NewImage"].clone()).unwrap();
    stream.fixture.put(image.into()).await;
    for _ in 0..2 {
        assert!(stream.deliver(event.clone()).await.is_empty());
        let [(queue, record)] = &stream.messages.take().await[..] else { panic!() };
        assert_eq!((queue.as_str(), &record["eventName"]), ("WelcomeQueue", &json!("INSERT")));
        let change = &event["Records"][0]["dynamodb"];
        assert_eq!(
            (&record["dynamodb"]["NewImage"], &record["dynamodb"]["Keys"]),
            (&change["NewImage"], &change["Keys"])
        );
        assert!(stream.fixture.all_items_of(FEED).await.contains_key("People#dora 9#dora-okafor#dora"));
    }
}
