//! What becomes of a batch: it is given to the function until all of it is done or given up.

use std::time::Duration;

use axum::body::Bytes;
use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339, macros::format_description};
use tokio::time::sleep;
use uuid::Uuid;

use crate::lambda::runtime::{Invocation, InvokeError, arn};
use crate::net;
use crate::services::outbox::Outbox;
use crate::template::Mapping;

/// The first pause before a batch is tried again; each one is twice as long as the one before, up to the last. Lambda
/// [backs off exponentially](https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html) too, but says no numbers.
const INITIAL_BACKOFF: Duration = Duration::from_millis(50);
const LAST_PAUSE: Duration = Duration::from_secs(2);

/// A record of the stream.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// Its place in the stream. All have one length, so their order is that of text.
    pub(super) sequence_number: String,
    /// When it was written.
    pub(super) created: OffsetDateTime,
    /// The record as the function gets it, in JSON.
    pub(super) json: String,
}

/// How the batches of one mapping are delivered.
pub(super) struct Delivery<'a> {
    pub(super) mapping: &'a Mapping,
    /// The function's name.
    pub(super) function: &'a str,
    pub(super) shard: &'a str,
    pub(super) outbox: &'a Outbox,
}

/// A batch or what is left of one after it was split.
struct Piece {
    records: Vec<Record>,
    retries: u32,
    invocations: u32,
}

/// Why records were given up.
struct Reason<'a> {
    condition: &'static str,
    invocations: u32,
    /// The answer of the last invocation, if there was one: whether it was an error.
    answer: Option<&'a Answer>,
}

/// What came of an invocation.
enum Answer {
    Done,
    /// The function could not be called.
    NotCalled,
    /// The records from this one on have to be tried again. Those before it are done.
    Failed {
        from: usize,
        function_error: bool,
    },
}

impl Delivery<'_> {
    /// Returns when every record of the batch is done or given up, one part of the batch after the other. `settled` is
    /// told the last record up to which that is so, as it moves.
    ///
    /// - A function that [fails](https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html) is tried
    ///   again up to the limits of retries and age; splitting does not use up retries. One that can't be called is tried
    ///   up to the age.
    /// - A function that [reports failures](https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html)
    ///   is given again what follows the first of them; with bisecting, that is a split. The page doesn't say what
    ///   happens if the first record of all failed: here it is split in half like after an error, and so in the end the
    ///   bad record is alone.
    pub(super) async fn deliver<I, F>(&self, batch: Vec<Record>, invoke: I, mut settled: impl FnMut(&Record))
    where
        I: Fn(Bytes) -> F,
        F: Future<Output = Result<Invocation, InvokeError>>,
    {
        // The last one is next.
        let mut pieces = vec![Piece { records: batch, retries: 0, invocations: 0 }];
        let mut pause = INITIAL_BACKOFF;
        while let Some(mut piece) = pieces.pop() {
            let expired = piece.records.iter().take_while(|record| self.is_expired(record)).count();
            let expired: Vec<_> = piece.records.drain(..expired).collect();
            if let Some(last) = expired.last() {
                let invocations = piece.invocations;
                self.give_up(&expired, &Reason { condition: "RecordAgeExceeded", invocations, answer: None });
                settled(last);
            }
            let Some(last) = piece.records.last() else { continue };

            let answer = self.answer(&piece.records, invoke(payload(&piece.records)).await);
            let Answer::Failed { from, .. } = answer else {
                if matches!(answer, Answer::Done) {
                    settled(last);
                    pause = INITIAL_BACKOFF;
                } else {
                    sleep(pause).await;
                    pause = next_pause(pause);
                    pieces.push(piece);
                }
                continue;
            };
            piece.invocations += 1;
            let done: Vec<_> = piece.records.drain(..from).collect();
            if let Some(last) = done.last() {
                settled(last);
            }
            if self.mapping.bisect && !done.is_empty() {
                pieces.push(piece);
            } else if self.mapping.bisect && piece.records.len() > 1 {
                let records = piece.records.split_off(piece.records.len() / 2);
                pieces.push(Piece { records, ..piece });
                pieces.push(piece);
            } else if self.mapping.retries.is_some_and(|limit| piece.retries >= limit) {
                let invocations = piece.invocations;
                let reason = Reason { condition: "RetryAttemptsExhausted", invocations, answer: Some(&answer) };
                self.give_up(&piece.records, &reason);
                piece.records.last().map(&mut settled);
                pause = INITIAL_BACKOFF;
            } else {
                piece.retries += 1;
                sleep(pause).await;
                pause = next_pause(pause);
                pieces.push(piece);
            }
        }
    }

    fn is_expired(&self, record: &Record) -> bool {
        self.mapping.max_age.is_some_and(|age| OffsetDateTime::now_utc() - record.created > age)
    }

    fn answer(&self, records: &[Record], result: Result<Invocation, InvokeError>) -> Answer {
        match result {
            Err(InvokeError::Busy) => Answer::NotCalled,
            Err(InvokeError::Unknown | InvokeError::Crashed(_) | InvokeError::TimedOut(_))
            | Ok(Invocation { function_error: true, .. }) => Answer::Failed { from: 0, function_error: true },
            Ok(Invocation { payload, .. }) if self.mapping.reports_failures => match first_failure(records, &payload) {
                Some(from) => Answer::Failed { from, function_error: false },
                None => Answer::Done,
            },
            Ok(_) => Answer::Done,
        }
    }

    /// Tells the on-failure destination, if there is one, in
    /// [the form that a queue gets](https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html): where
    /// the records are in the stream, not what they are.
    fn give_up(&self, records: &[Record], reason: &Reason) {
        let (Some(first), Some(last)) = (records.first(), records.last()) else {
            return;
        };
        let (count, condition) = (records.len(), reason.condition);
        let (start, end) = (&first.sequence_number, &last.sequence_number);
        net::log(self.function, &format!("gave up records {start} to {end} of the stream ({count}): {condition}"));
        let Some(queue) = &self.mapping.on_failure else {
            return;
        };
        let mut message = json!({
            "requestContext": {
                "requestId": Uuid::new_v4().to_string(),
                "functionArn": arn(self.function),
                "condition": condition,
                "approximateInvokeCount": reason.invocations,
            },
            "version": "1.0",
            "timestamp": to_the_millisecond(OffsetDateTime::now_utc()),
            "DDBStreamBatchInfo": {
                "shardId": self.shard,
                "startSequenceNumber": start,
                "endSequenceNumber": end,
                "approximateArrivalOfFirstRecord": first.created.format(&Rfc3339).unwrap_or_default(),
                "approximateArrivalOfLastRecord": last.created.format(&Rfc3339).unwrap_or_default(),
                "batchSize": count,
                "streamArn": self.mapping.stream_arn,
            },
        });
        if let Some(Answer::Failed { function_error, .. }) = reason.answer {
            let mut response = json!({"statusCode": 200, "executedVersion": "$LATEST"});
            if *function_error {
                response["functionError"] = json!("Unhandled");
            }
            message["responseContext"] = response;
        }
        self.outbox.fail(self.function, queue, message);
    }
}

fn next_pause(pause: Duration) -> Duration {
    (pause * 2).min(LAST_PAUSE)
}

/// The event: `{"Records": […]}`.
fn payload(records: &[Record]) -> Bytes {
    let records: Vec<_> = records.iter().map(|record| record.json.as_str()).collect();
    format!(r#"{{"Records":[{}]}}"#, records.join(",")).into()
}

/// How many bytes an event takes without records: `{"Records":[]}`.
pub(super) const ENVELOPE: usize = 14;

/// How many bytes this record takes in an event.
pub(super) fn size(record: &Record) -> usize {
    record.json.len() + 1
}

/// The lowest of the failures that a function reports; `None` if it reports none.
///
/// [Success](https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html#streams-batchfailurereporting-conditions)
/// is an empty list, `null` for the list, an object without it, and `null`. An identifier that is empty, `null`, under
/// another name or none of the batch's fails the whole batch, and here so does an answer of any other form.
fn first_failure(records: &[Record], payload: &[u8]) -> Option<usize> {
    if payload.is_empty() {
        return None;
    }
    let failures = match serde_json::from_slice(payload) {
        Ok(Value::Null) => return None,
        Ok(Value::Object(mut answer)) => answer.remove("batchItemFailures"),
        _ => return Some(0),
    };
    let failures = match failures {
        None | Some(Value::Null) => return None,
        Some(Value::Array(failures)) => failures,
        Some(_) => return Some(0),
    };
    let index = |failure: &Value| {
        let identifier = failure["itemIdentifier"].as_str()?;
        records.iter().position(|record| record.sequence_number == identifier)
    };
    failures.iter().map(|failure| index(failure).unwrap_or(0)).min()
}

fn to_the_millisecond(time: OffsetDateTime) -> String {
    let format = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
    time.format(&format).unwrap_or_default()
}
