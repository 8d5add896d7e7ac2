//! Delivers a batch: invokes the function until all records of the batch are processed or given up.

use std::time::Duration;

use serde_json::json;
use time::format_description::well_known::Rfc3339;
use tokio::time::sleep;
use uuid::Uuid;

use crate::lambda::invocation_record::InvocationRecord;
use crate::lambda::runtime::{Invocation, InvokeError, answer, arn, reported_failures};
use crate::streams::poller::Poller;
use crate::streams::record::{Record, event};

/// The pause before the first retry of a batch. Each further pause is twice as long, up to
/// [`MAX_BACKOFF`]. Lambda [backs off
/// exponentially](https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html) too, but documents no
/// numbers.
const INITIAL_BACKOFF: Duration = Duration::from_millis(50);
/// The longest pause before a retry.
const MAX_BACKOFF: Duration = Duration::from_secs(2);

/// A batch, or the rest or a half of one.
struct Part {
    records: Vec<Record>,
    retries: u32,
    invocations: u32,
}

/// The outcome of an invocation.
enum Outcome {
    /// All records are processed.
    Processed,
    /// The function could not be invoked.
    NotInvoked,
    /// The records from index `from` on have to be retried. Those before it are processed.
    Failed { from: usize, function_error: bool },
}

impl Poller {
    /// Delivers a batch, one part after the other, until every record is processed or given up.
    /// Moves the position of the lane whenever there are more of these records.
    ///
    /// - If the function
    ///   [fails](https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html), the
    ///   batch is split in half, and a single record is retried up to the maximum number of
    ///   retries. If the function cannot be invoked, the batch is retried without end.
    /// - If the function [reports
    ///   failures](https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html),
    ///   the records from the first failure on are retried, which does not count as a retry. AWS
    ///   does not document the case that the very first record failed. Here the batch is split in
    ///   half, as after an error, until the failed record is alone.
    pub(super) async fn deliver(&self, batch: Vec<Record>) {
        // The last part is delivered next.
        let mut parts = vec![Part { records: batch, retries: 0, invocations: 0 }];
        let mut pause = INITIAL_BACKOFF;
        while let Some(mut part) = parts.pop() {
            let Some(last) = part.records.last() else { continue };

            let id = Uuid::new_v4().to_string();
            let result = (self.invoke)(&self.function, &id, event(&part.records)).await;
            let outcome = outcome(&part.records, result);
            let Outcome::Failed { from, function_error } = outcome else {
                if matches!(outcome, Outcome::Processed) {
                    self.settle(last);
                    pause = INITIAL_BACKOFF;
                } else {
                    sleep(pause).await;
                    pause = next_pause(pause);
                    parts.push(part);
                }
                continue;
            };
            part.invocations += 1;
            let processed: Vec<_> = part.records.drain(..from).collect();
            if let Some(last) = processed.last() {
                self.settle(last);
            }
            if !processed.is_empty() {
                parts.push(part);
            } else if part.records.len() > 1 {
                let records = part.records.split_off(part.records.len() / 2);
                parts.push(Part { records, ..part });
                parts.push(part);
            } else if part.retries >= self.mapping.retries {
                for record in &part.records {
                    self.give_up(record, part.invocations, function_error);
                    self.settle(record);
                }
                pause = INITIAL_BACKOFF;
            } else {
                part.retries += 1;
                sleep(pause).await;
                pause = next_pause(pause);
                parts.push(part);
            }
        }
    }

    /// Sets the position of the lane to the last record that is processed or given up.
    fn settle(&self, record: &Record) {
        self.positions.set(self.lane.index, &record.sequence_number);
    }

    /// Logs that a record is given up after this number of invocations, and sends a message to the
    /// on-failure queue. [The
    /// message](https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html)
    /// contains the position of the record in the stream, not the record. `function_error` tells
    /// whether the last invocation failed as a whole.
    fn give_up(&self, record: &Record, invocations: u32, function_error: bool) {
        let (number, condition) = (&record.sequence_number, "RetryAttemptsExhausted");
        terminal::log(&self.function, &format!("gave up the stream record {number}: {condition}"));
        let failure = InvocationRecord {
            request_id: &Uuid::new_v4().to_string(),
            function_arn: &arn(&self.function),
            condition,
            invocations,
            function_error: Some(function_error),
        };
        let mut message = failure.record();
        let arrival = record.created.format(&Rfc3339).unwrap_or_default();
        message["DDBStreamBatchInfo"] = json!({
            "shardId": self.source.shard,
            "startSequenceNumber": number,
            "endSequenceNumber": number,
            "approximateArrivalOfFirstRecord": arrival,
            "approximateArrivalOfLastRecord": arrival,
            "batchSize": 1,
            "streamArn": self.mapping.stream_arn,
        });
        self.outbox.fail(&self.function, &self.mapping.on_failure, message);
    }
}

/// Returns the outcome of an invocation with these records.
fn outcome(records: &[Record], result: Result<Invocation, InvokeError>) -> Outcome {
    match answer(result) {
        None => Outcome::NotInvoked,
        Some(Invocation { function_error: true, .. }) => Outcome::Failed { from: 0, function_error: true },
        Some(Invocation { payload, .. }) => {
            let index = |number: &str| records.iter().position(|record| record.sequence_number == number);
            let failures = reported_failures(&payload, index);
            match failures.map_or(Some(0), |failures| failures.first().copied()) {
                Some(from) => Outcome::Failed { from, function_error: false },
                None => Outcome::Processed,
            }
        }
    }
}

fn next_pause(pause: Duration) -> Duration {
    (pause * 2).min(MAX_BACKOFF)
}
