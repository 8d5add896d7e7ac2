//! The loop of a function on the stream of a table, and its answer, which lists the records of a batch that failed.

use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::future::Future;

use lambda_runtime::{LambdaEvent, service_fn};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::log::{Line, Outcome, log_json};
use super::{client, deadline, end, usage};
use crate::dynamodb::Item;
use crate::error::chain;
use crate::{Error, Table};

/// A batch of records, as Lambda [sends it](https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html), with the
/// fields that functions read. A record may lack an image, because of the kind of change or the view type of the
/// stream.
///
/// The type of `aws_lambda_events` is not used: it has the kind of change as text, requires fields that no function
/// reads, and links chrono, which makes a binary 0.75 % larger.
#[derive(Debug, Deserialize)]
pub struct StreamEvent {
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
}

type RawItem = HashMap<String, serde_dynamo::AttributeValue>;

/// The kind of change of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Change {
    /// The item was created.
    Insert,
    /// The item was changed.
    Modify,
    /// The item was deleted.
    Remove,
}

/// A stream record: the change of one item.
#[derive(Debug, Clone)]
pub struct Record {
    /// The kind of change.
    pub change: Change,
    /// The primary key of the item.
    pub keys: Item,
    /// The item after the change. Empty if it was deleted.
    pub new_image: Item,
    /// The item before the change. Empty if it was created.
    pub old_image: Item,
    /// The sequence number, which orders the records of a shard.
    pub sequence_number: String,
    /// The time at which the processing of the batch is stopped, shortly before Lambda ends the invocation. Records
    /// that are not complete by then have failed.
    pub deadline: Instant,
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
            deadline,
        }
    }
}

/// The answer of a stream function: the records that failed. Lambda reads it only if the event source mapping has
/// [`ReportBatchItemFailures`](https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchResponse {
    /// The failed records, in the order of the batch.
    pub batch_item_failures: Vec<BatchItemFailure>,
}

/// A record that failed and that Lambda must send again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchItemFailure {
    /// The sequence number of the record.
    pub item_identifier: String,
}

/// The records of a batch that a function has handled together and that failed for one reason.
#[derive(Debug)]
pub struct Failure {
    /// The sequence numbers of the records.
    pub sequence_numbers: Vec<String>,
    /// The reason.
    pub error: Error,
}

/// Serves the records of the stream with `handler`, one by one, for as long as Lambda sends batches.
pub async fn run<F, A>(handler: F) -> Result<(), lambda_runtime::Error>
where
    F: Fn(Table, Record) -> A,
    A: Future<Output = Result<(), Error>>,
{
    // Boxed, because the compiler limits how deeply futures are nested.
    Box::pin(run_with_batches(async |_: &Table, _: &[Record]| vec![], handler)).await
}

/// Serves the records of the stream like [`run`], but passes each batch to `batch_handler` first, which returns the
/// records that failed. A record that it does not return is passed to `handler` like one that it does.
pub async fn run_with_batches<F, A>(
    batch_handler: impl AsyncFn(&Table, &[Record]) -> Vec<Failure>,
    handler: F,
) -> Result<(), lambda_runtime::Error>
where
    F: Fn(Table, Record) -> A,
    A: Future<Output = Result<(), Error>>,
{
    log_json();
    let table = client::table().await?;
    let ended = lambda_runtime::run(service_fn(async |event: LambdaEvent<StreamEvent>| {
        let (line, records) = (Line::begin(&event.context), event.payload.records.len());
        let (response, usage) = usage::measure(respond_with_batches(&batch_handler, &handler, &table, event)).await;
        line.write(&Outcome::Batch { records, failed: response.batch_item_failures.len() }, usage);
        Ok::<_, Infallible>(response)
    }));
    end::outcome(ended.await)
}

/// Handles one batch with the handler of [`run`].
pub async fn respond<F, A>(handler: F, table: &Table, event: LambdaEvent<StreamEvent>) -> BatchResponse
where
    F: Fn(Table, Record) -> A,
    A: Future<Output = Result<(), Error>>,
{
    respond_with_batches(async |_: &Table, _: &[Record]| vec![], handler, table, event).await
}

/// Handles one batch: passes it to `batch_handler`, then passes each record to `handler`, in order, and continues after
/// a failure.
///
/// Lambda [sends again](https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html) the first
/// failed record and all records after it. When the retries are used up, it skips them all. So both handlers must accept
/// records that they have already processed. A record that always fails does not hold back the others, because they were
/// processed before Lambda skips the batch. This is the only place that logs the causes of a failure.
pub async fn respond_with_batches<F, A>(
    batch_handler: impl AsyncFn(&Table, &[Record]) -> Vec<Failure>,
    handler: F,
    table: &Table,
    event: LambdaEvent<StreamEvent>,
) -> BatchResponse
where
    F: Fn(Table, Record) -> A,
    A: Future<Output = Result<(), Error>>,
{
    let request_id = event.context.request_id.as_str();
    let deadline = deadline::work_ends(&event.context);
    let records: Vec<Record> = event.payload.records.into_iter().map(|record| record.with_deadline(deadline)).collect();
    let mut failed = BTreeSet::new();
    // If this times out, so does each record below.
    let failures = tokio::time::timeout_at(deadline, batch_handler(table, &records)).await.unwrap_or_default();
    for Failure { sequence_numbers, error } in failures {
        log(request_id, &sequence_numbers.join(" "), error);
        failed.extend(sequence_numbers);
    }
    let mut batch_item_failures = vec![];
    for record in records {
        let sequence_number = record.sequence_number.clone();
        // The deadline is checked first, because `timeout_at` polls the future once even if the deadline has passed.
        let outcome = if Instant::now() < deadline {
            tokio::time::timeout_at(deadline, handler(table.clone(), record)).await.ok()
        } else {
            None
        };
        match outcome {
            Some(Ok(())) if !failed.contains(&sequence_number) => continue,
            Some(Ok(())) => {}
            None => tracing::warn!(requestId = request_id, sequenceNumber = sequence_number, "timed out"),
            Some(Err(error)) => log(request_id, &sequence_number, error),
        }
        batch_item_failures.push(BatchItemFailure { item_identifier: sequence_number });
    }
    BatchResponse { batch_item_failures }
}

/// Logs the failure of records, with all its causes.
fn log(request_id: &str, sequence_number: &str, error: Error) {
    match error {
        Error::Busy(cause) => {
            tracing::warn!(
                requestId = request_id,
                sequenceNumber = sequence_number,
                cause = chain(cause.as_ref()),
                "transient error"
            );
        }
        Error::Internal(cause) => {
            tracing::error!(
                requestId = request_id,
                sequenceNumber = sequence_number,
                cause = chain(cause.as_ref()),
                "failed"
            );
        }
        error => tracing::error!(requestId = request_id, sequenceNumber = sequence_number, cause = ?error, "failed"),
    }
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
    use std::time::{Duration, SystemTime};

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

    fn event(records: &[Value], time_left: Duration) -> LambdaEvent<StreamEvent> {
        let mut context = Context::default();
        let deadline = SystemTime::now() + time_left;
        let since_epoch = deadline.duration_since(SystemTime::UNIX_EPOCH).unwrap();
        context.deadline = since_epoch.as_millis().try_into().unwrap();
        LambdaEvent::new(serde_json::from_value(json!({ "Records": records })).unwrap(), context)
    }

    #[tokio::test]
    async fn a_failed_record_does_not_hold_back_the_others() {
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
    async fn a_batch_is_handled_as_a_whole_before_its_records() {
        let seen = RefCell::new(vec![]);
        let batch_handler = async |_: &Table, records: &[Record]| {
            seen.borrow_mut().extend(records.iter().map(|record| format!("all {}", record.sequence_number)));
            let sequence_numbers = vec!["2".to_owned(), "3".to_owned()];
            vec![Failure { sequence_numbers, error: Error::internal("bad") }]
        };
        let handler = async |_: Table, record: Record| {
            seen.borrow_mut().push(record.sequence_number.clone());
            if ["3", "4"].contains(&record.sequence_number.as_str()) { Err(Error::internal("bad")) } else { Ok(()) }
        };
        let event = event(&["1", "2", "3", "4"].map(|number| record("INSERT", number)), Duration::from_secs(30));
        let failures = respond_with_batches(batch_handler, handler, &table(), event).await;
        assert_eq!(seen.take(), ["all 1", "all 2", "all 3", "all 4", "1", "2", "3", "4"]);
        let expected = ["2", "3", "4"].map(|number| json!({ "itemIdentifier": number }));
        assert_eq!(serde_json::to_value(failures).unwrap(), json!({ "batchItemFailures": expected }));
    }

    #[tokio::test(start_paused = true)]
    async fn a_batch_that_is_not_complete_at_the_deadline_fails_with_all_its_records() {
        let batch_handler = async |_: &Table, _: &[Record]| std::future::pending().await;
        let handler = async |_: Table, _: Record| panic!("no time is left for a record");
        let event = event(&[record("INSERT", "1"), record("INSERT", "2")], Duration::from_secs(30));
        let failures = respond_with_batches(batch_handler, handler, &table(), event).await;
        assert_eq!(
            serde_json::to_value(failures).unwrap(),
            json!({"batchItemFailures": [{"itemIdentifier": "1"}, {"itemIdentifier": "2"}]})
        );
    }

    #[tokio::test]
    async fn answers_with_an_empty_list_without_failures() {
        let failures =
            respond(async |_, _| Ok(()), &table(), event(&[record("MODIFY", "1")], Duration::from_secs(30))).await;
        assert_eq!(serde_json::to_value(failures).unwrap(), json!({"batchItemFailures": []}));
    }

    #[tokio::test(start_paused = true)]
    async fn reports_records_that_are_not_complete_at_the_deadline() {
        let seen = RefCell::new(vec![]);
        let handler = async |_: Table, record: Record| {
            seen.borrow_mut().push(record.sequence_number.clone());
            if record.sequence_number == "2" {
                std::future::pending::<()>().await;
            }
            Ok(())
        };
        let records = [record("INSERT", "1"), record("INSERT", "2"), record("INSERT", "3")];
        let failures = respond(handler, &table(), event(&records, Duration::from_secs(30))).await;
        assert_eq!(seen.take(), ["1", "2"]);
        assert_eq!(
            serde_json::to_value(failures).unwrap(),
            json!({"batchItemFailures": [{"itemIdentifier": "2"}, {"itemIdentifier": "3"}]})
        );
    }

    #[tokio::test]
    async fn parses_a_record_into_items_of_the_sdk() {
        let handler = async |_: Table, record: Record| {
            assert_eq!(record.change, Change::Remove);
            assert_eq!(record.keys["SK"], AttributeValue::S("#METADATA#ada".into()));
            assert_eq!(record.new_image["followers"], AttributeValue::N("2".into()));
            assert_eq!(record.new_image["interests"], AttributeValue::L(vec![AttributeValue::S("chess".into())]));
            assert!(record.old_image.is_empty());
            assert!(record.deadline > Instant::now() + Duration::from_secs(20));
            Ok(())
        };
        let failures = respond(handler, &table(), event(&[record("REMOVE", "1")], Duration::from_secs(30))).await;
        assert!(failures.batch_item_failures.is_empty());
    }
}
