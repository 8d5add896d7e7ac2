//! The loop of a function that gets an event for each object that was uploaded.
//!
//! Lambda invokes the function
//! [asynchronously](https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html):
//! it repeats an event that failed, and then sends a record of it to the on-failure destination of
//! the function. This loop takes such records too, for a function that is such a destination.

use std::borrow::Cow;
use std::future::Future;

use lambda_runtime::{Diagnostic, LambdaEvent, service_fn};
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use tokio::time::timeout_at;

use super::log::{Line, Outcome, log_json};
use super::{client, deadline, end, usage};
use crate::{Error, Table};

/// An event, or the
/// [record](https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html) of
/// an event that failed, with the fields that functions read.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Event {
    /// An
    /// [event](https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html)
    /// of S3.
    S3(S3Event),
    /// The record of an event that failed.
    #[serde(rename_all = "camelCase")]
    Failed {
        /// The event.
        request_payload: S3Event,
    },
}

/// An event of S3.
#[derive(Debug, Deserialize)]
pub struct S3Event {
    #[serde(rename = "Records")]
    records: Vec<Record>,
}

#[derive(Debug, Deserialize)]
struct Record {
    s3: Entity,
}

#[derive(Debug, Deserialize)]
struct Entity {
    object: Object,
}

#[derive(Debug, Deserialize)]
struct Object {
    key: String,
    sequencer: String,
}

/// An uploaded object.
#[derive(Clone, Debug)]
pub struct Upload {
    /// The key of the object.
    pub key: String,
    /// The text that tells this upload from others with the same key. Repetitions of an event have
    /// the same one.
    pub sequencer: String,
}

impl Object {
    /// Returns the key, which the event has as it stands in the query string of a URL.
    fn key(&self) -> String {
        let with_spaces = self.key.replace('+', " ");
        percent_decode_str(&with_spaces).decode_utf8().unwrap_or(Cow::Borrowed(&self.key)).into_owned()
    }
}

/// Serves events with `handler`, which gets each uploaded object, for as long as Lambda sends them.
pub async fn run<F, A>(handler: F) -> Result<(), lambda_runtime::Error>
where
    F: Fn(Table, Upload) -> A,
    A: Future<Output = Result<(), Error>>,
{
    log_json();
    let table = client::table().await?;
    let ended = lambda_runtime::run(service_fn(async |event: LambdaEvent<Event>| {
        let line = Line::begin(&event.context);
        let (answer, usage) = usage::measure(respond(&handler, &table, event)).await;
        line.write(&Outcome::Event { failed: answer.is_err() }, usage);
        answer
    }));
    end::outcome(ended.await)
}

/// Handles one event. Fails if `handler` fails, so that Lambda repeats the event. This is the only
/// place that logs the causes.
pub async fn respond<F, A>(handler: F, table: &Table, event: LambdaEvent<Event>) -> Result<(), Diagnostic>
where
    F: Fn(Table, Upload) -> A,
    A: Future<Output = Result<(), Error>>,
{
    let LambdaEvent {
        payload: Event::S3(S3Event { records }) | Event::Failed { request_payload: S3Event { records } },
        context,
    } = event;
    let deadline = deadline::work_ends(&context);
    for record in records {
        let object = record.s3.object;
        let upload = Upload { key: object.key(), sequencer: object.sequencer };
        let outcome = timeout_at(deadline, handler(table.clone(), upload)).await;
        let error = match outcome {
            Ok(Ok(())) => continue,
            Ok(Err(error)) => error,
            Err(_) => Error::Busy("the handler did not finish before its deadline".into()),
        };
        tracing::error!(requestId = context.request_id.as_str(), cause = error.causes(), "failed");
        return Err(Diagnostic { error_type: "Failed".to_owned(), error_message: "The log has the cause.".to_owned() });
    }
    Ok(())
}
