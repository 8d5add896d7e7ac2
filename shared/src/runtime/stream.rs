//! The loop of a function on the stream of a table, or on a queue of such records, and its answer,
//! which lists the records of a batch that failed.

use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::future::Future;

use lambda_runtime::{LambdaEvent, service_fn};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::handler::Handler;
use super::log::{Line, Outcome, log_json};
use super::process::{Process, StartError};
use super::{deadline, end, usage};
use crate::Error;
use crate::dynamodb::Item;

/// An event of Lambda: a batch of [records of a
/// stream](https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html), or of [messages of a
/// queue](https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html) with a record each, with the
/// fields that functions read. A record may lack an image, because of the kind of change or the
/// view type of the stream.
///
/// The type of `aws_lambda_events` is not used: it has the kind of change as text, requires fields
/// that no function reads, and links chrono, which makes a binary 0.75 % larger.
#[derive(Debug, Deserialize)]
pub struct StreamEvent {
    #[serde(rename = "Records")]
    entries: Vec<Entry>,
}

/// A record of a stream, which has the first two fields, or a message, which has the others.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    event_name: Option<Change>,
    dynamodb: Option<RawChange>,
    message_id: Option<String>,
    body: Option<String>,
    #[serde(rename = "eventSourceARN")]
    event_source_arn: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawRecord {
    event_name: Change,
    dynamodb: RawChange,
}

#[derive(Debug, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The time at which the processing of the batch is stopped, shortly before Lambda ends the
    /// invocation. Records that are not complete by then have failed.
    pub deadline: Instant,
    /// The id by which Lambda knows the record: the sequence number, or the id of the message that
    /// has the record.
    pub id: String,
}

impl Record {
    /// Returns the body of a message with the record, for a queue whose function reads it like a
    /// stream.
    pub fn message(&self) -> Result<String, Error> {
        let record = RawRecord {
            event_name: self.change,
            dynamodb: RawChange {
                keys: serde_dynamo::Item::from(self.keys.clone()).into_inner(),
                new_image: serde_dynamo::Item::from(self.new_image.clone()).into_inner(),
                old_image: serde_dynamo::Item::from(self.old_image.clone()).into_inner(),
                sequence_number: self.sequence_number.clone(),
            },
        };
        let message = serde_json::to_string(&record).map_err(Error::internal)?;
        // SQS refuses these characters, which JSON need not escape:
        // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
        Ok(message.replace('\u{fffe}', "\\ufffe").replace('\u{ffff}', "\\uffff"))
    }
}

/// The records of one event.
#[derive(Debug)]
pub struct Batch {
    /// The records, in order.
    pub records: Vec<Record>,
    /// The ARN of the queue that they come from. Records of a stream come from none.
    pub queue_arn: Option<String>,
    /// The time at which the processing is stopped.
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
            id: self.dynamodb.sequence_number.clone(),
            sequence_number: self.dynamodb.sequence_number,
            deadline,
        }
    }
}

impl Entry {
    /// Returns the id by which Lambda knows the record or the message.
    fn id(&self) -> &str {
        let of_message = self.message_id.as_ref();
        self.dynamodb.as_ref().map(|change| &change.sequence_number).or(of_message).map_or("", String::as_str)
    }

    /// Returns the record, or the failure of a message that has none.
    fn record(self, deadline: Instant) -> Result<Record, Failure> {
        if let (Some(event_name), Some(dynamodb)) = (self.event_name, self.dynamodb) {
            return Ok(RawRecord { event_name, dynamodb }.with_deadline(deadline));
        }
        let (id, body) = (self.message_id.unwrap_or_default(), self.body.unwrap_or_default());
        match serde_json::from_str::<RawRecord>(&body) {
            Ok(record) => Ok(Record { id, ..record.with_deadline(deadline) }),
            Err(error) => Err(Failure { ids: vec![id], error: Error::internal(error) }),
        }
    }
}

/// The answer of a stream function: the records that failed. Lambda reads it only if the event
/// source mapping has
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
    /// The [id](Record::id) of the record.
    pub item_identifier: String,
}

/// Records of a batch that failed for one reason.
#[derive(Debug)]
pub struct Failure {
    /// The [ids](Record::id) of the records.
    pub ids: Vec<String>,
    /// The reason.
    pub error: Error,
}

/// A function that handles whole batches of records.
pub trait BatchHandler: Sized {
    /// The name of the function, such as `process-changes`.
    const NAME: &'static str;

    /// Takes from the process what the function keeps for its batches.
    fn start(process: &Process) -> Result<Self, StartError>;

    /// Handles a batch. Returns the records that failed.
    fn handle(&self, batch: Batch) -> impl Future<Output = Vec<Failure>>;
}

/// Serves the records of a stream or of a queue, one by one, for as long as Lambda sends batches.
pub async fn run<H: Handler<Event = Record>>() -> Result<(), StartError> {
    let handler = H::start(&Process::from_environment()?)?;
    // Boxed, because the compiler limits how deeply futures are nested.
    let handle = async |record| Box::pin(handler.handle(record)).await;
    serve(async |batch| one_by_one(&handle, batch).await).await
}

/// Serves whole batches for as long as Lambda sends them.
pub async fn run_batches<H: BatchHandler>() -> Result<(), StartError> {
    let handler = H::start(&Process::from_environment()?)?;
    serve(async |batch| Box::pin(handler.handle(batch)).await).await
}

async fn serve(handle: impl AsyncFn(Batch) -> Vec<Failure>) -> Result<(), StartError> {
    log_json();
    let ended = lambda_runtime::run(service_fn(async |event: LambdaEvent<StreamEvent>| {
        let (line, records) = (Line::begin(&event.context), event.payload.entries.len());
        let (response, usage) = usage::measure(respond_to_batch(&handle, event)).await;
        line.write(&Outcome::Batch { records, failed: response.batch_item_failures.len() }, usage);
        Ok::<_, Infallible>(response)
    }));
    end::outcome(ended.await)
}

/// Handles one batch of records one by one.
pub async fn respond(
    handle: impl AsyncFn(Record) -> Result<(), Error>,
    event: LambdaEvent<StreamEvent>,
) -> BatchResponse {
    respond_to_batch(async |batch| one_by_one(&handle, batch).await, event).await
}

/// Passes each record to `handle`, in order, and continues after a failure.
async fn one_by_one(handle: impl AsyncFn(Record) -> Result<(), Error>, batch: Batch) -> Vec<Failure> {
    let mut failures = vec![];
    for record in batch.records {
        let ids = vec![record.id.clone()];
        // The deadline is checked first, because `timeout_at` polls the future once even if the
        // deadline has passed.
        let outcome = if Instant::now() < batch.deadline {
            tokio::time::timeout_at(batch.deadline, handle(record)).await.ok()
        } else {
            None
        };
        match outcome {
            Some(Ok(())) => {}
            Some(Err(error)) => failures.push(Failure { ids, error }),
            None => failures.push(Failure { ids, error: Error::Busy("no time was left for the record".into()) }),
        }
    }
    failures
}

/// Handles one batch.
///
/// Lambda [sends
/// again](https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html) the
/// first failed record of a stream and all records after it. When the retries are used up, it skips
/// them all. So a handler must accept records that it has already processed. A record that always
/// fails does not hold back the others, because they were processed before Lambda skips the batch.
/// Of a queue, Lambda sends again [the failed messages
/// alone](https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting).
/// This is the only place that logs the causes of a failure.
pub async fn respond_to_batch(
    handle: impl AsyncFn(Batch) -> Vec<Failure>,
    event: LambdaEvent<StreamEvent>,
) -> BatchResponse {
    let deadline = deadline::work_ends(&event.context);
    let entries = event.payload.entries;
    let order: Vec<String> = entries.iter().map(|entry| entry.id().to_owned()).collect();
    let queue_arn =
        entries.first().filter(|entry| entry.body.is_some()).and_then(|entry| entry.event_source_arn.clone());
    let (mut records, mut failures) = (vec![], vec![]);
    for entry in entries {
        match entry.record(deadline) {
            Ok(record) => records.push(record),
            Err(failure) => failures.push(failure),
        }
    }
    failures.extend(handle(Batch { records, queue_arn, deadline }).await);
    let mut failed = BTreeSet::new();
    for Failure { ids, error } in failures {
        log(event.context.request_id.as_str(), &ids.join(" "), &error);
        failed.extend(ids);
    }
    let failed = order.into_iter().filter(|id| failed.contains(id));
    BatchResponse { batch_item_failures: failed.map(|item_identifier| BatchItemFailure { item_identifier }).collect() }
}

/// Logs the failure of records, with all its causes.
fn log(request_id: &str, record_ids: &str, error: &Error) {
    let cause = error.causes();
    if matches!(error, Error::Busy(_)) {
        tracing::warn!(requestId = request_id, recordIds = record_ids, cause, "transient error");
    } else {
        tracing::error!(requestId = request_id, recordIds = record_ids, cause, "failed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_dynamodb::types::AttributeValue;
    use lambda_runtime::Context;
    use serde_json::{Value, json};
    use std::cell::RefCell;
    use std::time::{Duration, SystemTime};

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
        let handler = async |record: Record| {
            seen.borrow_mut().push(record.sequence_number.clone());
            if ["2", "4"].contains(&record.sequence_number.as_str()) { Err(Error::internal("bad")) } else { Ok(()) }
        };
        let records: Vec<Value> = ["1", "2", "3", "4", "5"].map(|number| record("INSERT", number)).into();
        let failures = respond(handler, event(&records, Duration::from_secs(30))).await;
        assert_eq!(seen.take(), ["1", "2", "3", "4", "5"]);
        assert_eq!(
            serde_json::to_value(failures).unwrap(),
            json!({"batchItemFailures": [{"itemIdentifier": "2"}, {"itemIdentifier": "4"}]})
        );
    }

    #[tokio::test]
    async fn a_batch_is_handled_as_a_whole_and_its_failures_are_in_the_order_of_the_batch() {
        let handler = async |batch: Batch| {
            assert_eq!((batch.records.len(), batch.queue_arn), (4, None));
            let failure = |id: &str| Failure { ids: vec![id.to_owned()], error: Error::internal("bad") };
            vec![failure("3"), failure("2"), failure("3")]
        };
        let event = event(&["1", "2", "3", "4"].map(|number| record("INSERT", number)), Duration::from_secs(30));
        let failures = respond_to_batch(handler, event).await;
        let expected = ["2", "3"].map(|number| json!({ "itemIdentifier": number }));
        assert_eq!(serde_json::to_value(failures).unwrap(), json!({ "batchItemFailures": expected }));
    }

    /// A person has sent the second message.
    #[tokio::test]
    async fn messages_of_a_queue_have_records() {
        let seen = RefCell::new(vec![]);
        let sent = event(&[record("MODIFY", "7")], Duration::from_secs(30)).payload.entries.remove(0);
        let sent = sent.record(Instant::now()).unwrap();
        let handler = async |batch: Batch| {
            assert_eq!(batch.queue_arn.as_deref(), Some("arn:aws:sqs:eu-west-1:1:counts"));
            for record in batch.records {
                assert_eq!((&record.keys, &record.new_image), (&sent.keys, &sent.new_image));
                seen.borrow_mut().push((record.id, record.sequence_number, record.change));
            }
            vec![]
        };
        let message = |id: &str, body: &str| {
            json!({"messageId": id, "receiptHandle": "x", "body": body, "attributes": {"ApproximateReceiveCount": "1"},
                "eventSource": "aws:sqs", "eventSourceARN": "arn:aws:sqs:eu-west-1:1:counts", "awsRegion": "eu-west-1"})
        };
        let messages = [message("m1", &sent.message().unwrap()), message("m2", "Hello?")];
        let failures = respond_to_batch(handler, event(&messages, Duration::from_secs(30))).await;
        assert_eq!(seen.take(), [("m1".to_owned(), "7".to_owned(), Change::Modify)]);
        assert_eq!(serde_json::to_value(failures).unwrap(), json!({"batchItemFailures": [{"itemIdentifier": "m2"}]}));
    }

    #[tokio::test]
    async fn answers_with_an_empty_list_without_failures() {
        let failures = respond(async |_| Ok(()), event(&[record("MODIFY", "1")], Duration::from_secs(30))).await;
        assert_eq!(serde_json::to_value(failures).unwrap(), json!({"batchItemFailures": []}));
    }

    #[tokio::test(start_paused = true)]
    async fn reports_records_that_are_not_complete_at_the_deadline() {
        let seen = RefCell::new(vec![]);
        let handler = async |record: Record| {
            seen.borrow_mut().push(record.sequence_number.clone());
            if record.sequence_number == "2" {
                std::future::pending::<()>().await;
            }
            Ok(())
        };
        let records = [record("INSERT", "1"), record("INSERT", "2"), record("INSERT", "3")];
        let failures = respond(handler, event(&records, Duration::from_secs(30))).await;
        assert_eq!(seen.take(), ["1", "2"]);
        assert_eq!(
            serde_json::to_value(failures).unwrap(),
            json!({"batchItemFailures": [{"itemIdentifier": "2"}, {"itemIdentifier": "3"}]})
        );
    }

    #[tokio::test]
    async fn parses_a_record_into_items_of_the_sdk() {
        let handler = async |record: Record| {
            assert_eq!(record.change, Change::Remove);
            assert_eq!(record.keys["SK"], AttributeValue::S("#METADATA#ada".into()));
            assert_eq!(record.new_image["followers"], AttributeValue::N("2".into()));
            assert_eq!(record.new_image["interests"], AttributeValue::L(vec![AttributeValue::S("chess".into())]));
            assert!(record.old_image.is_empty());
            assert!(record.deadline > Instant::now() + Duration::from_secs(20));
            Ok(())
        };
        let failures = respond(handler, event(&[record("REMOVE", "1")], Duration::from_secs(30))).await;
        assert!(failures.batch_item_failures.is_empty());
    }
}
