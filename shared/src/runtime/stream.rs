//! A function on the table's stream: start-up, and the answer that says which records of a batch failed.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::Future;
use std::time::{Duration, SystemTime};

use lambda_runtime::{LambdaEvent, service_fn};
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep};

use super::{client, log::log_json};
use crate::dynamodb::Item;
use crate::error::chain;
use crate::{Error, Table};

/// How long before the end of the invocation a record is given up. Time enough to answer: whoever is killed instead
/// has failed with the whole batch, and starts cold the next time.
const MARGIN: Duration = Duration::from_secs(1);

/// How far a global index is behind its table at most, for those who look there for what is left of something.
pub const INDEX_LAG: Duration = Duration::from_secs(2);

/// A batch as Lambda [sends it](https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html). Of each record, what the
/// functions read; without images where the kind of change, or the stream's view type, has none.
#[derive(Debug, Deserialize)]
pub struct Event {
    #[serde(rename = "Records")]
    records: Vec<RawRecord>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawRecord {
    event_name: Change,
    dynamodb: RawChange,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct RawChange {
    keys: RawItem,
    #[serde(default)]
    new_image: RawItem,
    #[serde(default)]
    old_image: RawItem,
    sequence_number: String,
    #[serde(default)]
    approximate_creation_date_time: f64,
}

type RawItem = HashMap<String, serde_dynamo::AttributeValue>;

/// What happened to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Change {
    /// It was not there before.
    Insert,
    /// It was there before, and is another now.
    Modify,
    /// It is not there any more.
    Remove,
}

/// A change of one item.
#[derive(Debug, Clone)]
pub struct Record {
    /// What happened.
    pub change: Change,
    /// The item's primary key.
    pub keys: Item,
    /// The item after the change. Empty if it was removed.
    pub new_image: Item,
    /// The item before the change. Empty if it was inserted.
    pub old_image: Item,
    /// The record's place in its shard.
    pub sequence_number: String,
    /// When the change was made, to the second.
    pub at: SystemTime,
    /// When whatever is still at work on the record, or on one before it, is dropped and the record has failed: shortly
    /// before Lambda ends the invocation.
    pub deadline: Instant,
}

impl Record {
    /// Returns when the global indexes have what was written before this change. They follow the table, mostly within
    /// milliseconds; what is not in them [`INDEX_LAG`] later would be overlooked.
    pub async fn indexes_have_followed(&self) {
        let age = SystemTime::now().duration_since(self.at).unwrap_or_default();
        // A sleep of nothing would last until the timer's next millisecond.
        if let Some(rest) = INDEX_LAG.checked_sub(age) {
            sleep(rest).await;
        }
    }
}

impl RawRecord {
    fn with_deadline(self, deadline: Instant) -> Record {
        let item = |raw: RawItem| raw.into_iter().map(|(name, value)| (name, value.into())).collect();
        Record {
            change: self.event_name,
            keys: item(self.dynamodb.keys),
            new_image: item(self.dynamodb.new_image),
            old_image: item(self.dynamodb.old_image),
            sequence_number: self.dynamodb.sequence_number,
            at: SystemTime::UNIX_EPOCH + Duration::from_secs_f64(self.dynamodb.approximate_creation_date_time.max(0.0)),
            deadline,
        }
    }
}

/// What a stream function answers: the records that have to come again. It takes `ReportBatchItemFailures` in the event
/// source mapping for Lambda to read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failures {
    /// In the order of the batch.
    pub batch_item_failures: Vec<Failure>,
}

/// A record that has to come again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// Its sequence number.
    pub item_identifier: String,
}

/// Serves batches of the stream with `handler`, record by record, for as long as Lambda sends them.
pub async fn run<F, A>(handler: F) -> Result<(), lambda_runtime::Error>
where
    F: Fn(Table, Record) -> A,
    A: Future<Output = Result<(), Error>>,
{
    log_json();
    let table = client::table().await?;
    lambda_runtime::run(service_fn(async |event: LambdaEvent<Event>| {
        Ok::<_, Infallible>(respond(&handler, &table, event).await)
    }))
    .await
}

/// One batch, in its order. Every record is given to the handler, also after one that failed.
///
/// Lambda [sends again](https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html) all that
/// follows the first failure, and goes on behind the whole of it once the retries are used up. So a handler sees
/// records twice as a matter of course, and one that never succeeds holds back nothing but itself: the others of its
/// batch have been through by then. The causes of a failure go to the log, once, here.
pub async fn respond<F, A>(handler: F, table: &Table, event: LambdaEvent<Event>) -> Failures
where
    F: Fn(Table, Record) -> A,
    A: Future<Output = Result<(), Error>>,
{
    let request_id = event.context.request_id.as_str();
    let time_left = event.context.deadline().duration_since(SystemTime::now()).unwrap_or_default();
    let deadline = Instant::now() + time_left.saturating_sub(MARGIN);
    let mut batch_item_failures = vec![];
    for record in event.payload.records {
        let record = record.with_deadline(deadline);
        let sequence_number = record.sequence_number.clone();
        // Asked before, because a timeout lets its future begin.
        let outcome = if Instant::now() < deadline {
            tokio::time::timeout_at(deadline, handler(table.clone(), record)).await.ok()
        } else {
            None
        };
        match outcome {
            Some(Ok(())) => continue,
            None => tracing::warn!(request_id, sequence_number, "out of time"),
            Some(Err(Error::Busy(cause))) => {
                tracing::warn!(request_id, sequence_number, cause = chain(cause.as_ref()), "busy");
            }
            Some(Err(Error::Internal(cause))) => {
                tracing::error!(request_id, sequence_number, cause = chain(cause.as_ref()), "failed");
            }
            Some(Err(error)) => tracing::error!(request_id, sequence_number, cause = ?error, "failed"),
        }
        batch_item_failures.push(Failure { item_identifier: sequence_number });
    }
    Failures { batch_item_failures }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_config::BehaviorVersion;
    use aws_sdk_dynamodb::types::AttributeValue;
    use aws_sdk_dynamodb::{Client, Config};
    use lambda_runtime::Context;
    use serde_json::{Value, json};
    use std::cell::RefCell;

    fn table() -> Table {
        let config = Config::builder().behavior_version(BehaviorVersion::latest()).build();
        Table { client: Client::from_conf(config), name: "quick-photos".into() }
    }

    fn record(change: &str, sequence_number: &str) -> Value {
        json!({
            "eventID": "c4ca4238a0b923820dcc509a6f75849b", "eventVersion": "1.1", "eventSource": "aws:dynamodb",
            "awsRegion": "eu-west-1", "eventName": change,
            "dynamodb": {
                "ApproximateCreationDateTime": 1_735_732_807, "SizeBytes": 26, "StreamViewType": "NEW_AND_OLD_IMAGES",
                "Keys": {"PK": {"S": "USER#ada"}, "SK": {"S": "#METADATA#ada"}},
                "NewImage": {"followers": {"N": "2"}, "interests": {"L": [{"S": "chess"}]}},
                "SequenceNumber": sequence_number,
            },
        })
    }

    fn event(records: &[Value], time_left: Duration) -> LambdaEvent<Event> {
        let mut context = Context::default();
        let deadline = SystemTime::now() + time_left;
        let since_epoch = deadline.duration_since(SystemTime::UNIX_EPOCH).unwrap();
        context.deadline = since_epoch.as_millis().try_into().unwrap();
        LambdaEvent::new(serde_json::from_value(json!({ "Records": records })).unwrap(), context)
    }

    #[tokio::test]
    async fn a_failed_record_holds_back_none() {
        let seen = RefCell::new(vec![]);
        let handler = async |_: Table, record: Record| {
            seen.borrow_mut().push(record.sequence_number.clone());
            if ["2", "4"].contains(&record.sequence_number.as_str()) { Err(Error::internal("bad")) } else { Ok(()) }
        };
        let records: Vec<Value> = ["1", "2", "3", "4", "5"].map(|number| record("INSERT", number)).into();
        let failures = respond(handler, &table(), event(&records, Duration::from_secs(30))).await;
        assert_eq!(seen.take(), ["1", "2", "3", "4", "5"]);
        assert_eq!(
            serde_json::to_value(failures).unwrap(),
            json!({"batchItemFailures": [{"itemIdentifier": "2"}, {"itemIdentifier": "4"}]})
        );
    }

    #[tokio::test]
    async fn no_failure_is_an_empty_list() {
        let failures =
            respond(async |_, _| Ok(()), &table(), event(&[record("MODIFY", "1")], Duration::from_secs(30))).await;
        assert_eq!(serde_json::to_value(failures).unwrap(), json!({"batchItemFailures": []}));
    }

    #[tokio::test]
    async fn what_is_not_through_in_time_comes_again() {
        let seen = RefCell::new(vec![]);
        let handler = async |_: Table, record: Record| {
            seen.borrow_mut().push(record.sequence_number.clone());
            if record.sequence_number == "2" {
                std::future::pending::<()>().await;
            }
            Ok(())
        };
        let records = [record("INSERT", "1"), record("INSERT", "2"), record("INSERT", "3")];
        let failures = respond(handler, &table(), event(&records, MARGIN + Duration::from_millis(100))).await;
        assert_eq!(seen.take(), ["1", "2"]);
        assert_eq!(
            serde_json::to_value(failures).unwrap(),
            json!({"batchItemFailures": [{"itemIdentifier": "2"}, {"itemIdentifier": "3"}]})
        );
    }

    #[tokio::test]
    async fn a_record_reads_as_items_of_the_sdk() {
        let handler = async |_: Table, record: Record| {
            assert_eq!(record.change, Change::Remove);
            assert_eq!(record.keys["SK"], AttributeValue::S("#METADATA#ada".into()));
            assert_eq!(record.new_image["followers"], AttributeValue::N("2".into()));
            assert_eq!(record.new_image["interests"], AttributeValue::L(vec![AttributeValue::S("chess".into())]));
            assert!(record.old_image.is_empty());
            assert_eq!(record.at, SystemTime::UNIX_EPOCH + Duration::from_secs(1_735_732_807));
            assert!(record.deadline > Instant::now() + Duration::from_secs(28));
            Ok(())
        };
        let failures = respond(handler, &table(), event(&[record("REMOVE", "1")], Duration::from_secs(30))).await;
        assert!(failures.batch_item_failures.is_empty());
    }
}
