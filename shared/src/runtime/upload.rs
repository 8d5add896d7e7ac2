//! The loop of a function that gets an event for each object that was uploaded, or a message of a
//! queue.
//!
//! Lambda invokes the function
//! [asynchronously](https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html):
//! it repeats an event that failed, and then sends a record of it to the on-failure destination of
//! the function. This loop takes such records too, for a function that is such a destination.
//!
//! A message comes [in a batch](https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html), which is
//! one message long and fails as a whole. Lambda takes the empty answer as success.

use std::borrow::Cow;

use lambda_runtime::{Diagnostic, LambdaEvent, service_fn};
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use tokio::time::timeout_at;

use super::handler::Handler;
use super::log::{Line, Outcome, log_json};
use super::process::{Process, StartError};
use super::{deadline, end, usage};
use crate::Error;

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
    /// A batch of messages.
    Queue {
        /// The messages.
        #[serde(rename = "Records")]
        messages: Vec<Message>,
    },
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

/// A message of a queue, whose body is the JSON of an [`ObjectMessage`].
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    #[serde(rename = "messageId")]
    id: String,
    body: String,
    attributes: MessageAttributes,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct MessageAttributes {
    approximate_receive_count: String,
}

/// The message about an object for which S3 sends no event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectMessage {
    /// The key of the object.
    pub key: String,
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
    /// The text that tells this upload from others with the same key. Repetitions of an event or of a
    /// message have the same one.
    pub sequencer: String,
    /// The number of times that the message was received, or `None` for an event of S3, whose
    /// attempts Lambda counts.
    pub receives: Option<u32>,
}

impl Upload {
    /// Returns the objects of an event. Fails if the body of a message is not that of an object.
    fn of_event(event: Event) -> Result<Vec<Self>, Error> {
        match event {
            Event::S3(S3Event { records }) | Event::Failed { request_payload: S3Event { records } } => {
                let objects = records.into_iter().map(|record| record.s3.object);
                let uploads =
                    objects.map(|object| Self { key: object.key(), sequencer: object.sequencer, receives: None });
                Ok(uploads.collect())
            }
            Event::Queue { messages } => {
                let upload = |Message { id, body, attributes }| {
                    let ObjectMessage { key } = serde_json::from_str(&body)?;
                    let receives = attributes.approximate_receive_count.parse().map_err(Error::internal)?;
                    Ok(Self { key, sequencer: id, receives: Some(receives) })
                };
                messages.into_iter().map(upload).collect()
            }
        }
    }
}

impl Object {
    /// Returns the key, which the event has as it stands in the query string of a URL.
    fn key(&self) -> String {
        let with_spaces = self.key.replace('+', " ");
        percent_decode_str(&with_spaces).decode_utf8().unwrap_or(Cow::Borrowed(&self.key)).into_owned()
    }
}

/// Serves events and messages, each object after the other, for as long as Lambda sends them.
pub async fn run<H: Handler<Event = Upload>>() -> Result<(), StartError> {
    log_json();
    let handler = H::start(&Process::from_environment()?)?;
    // Boxed, because the compiler limits how deeply futures are nested.
    let ended = lambda_runtime::run(service_fn(async |event: LambdaEvent<Event>| {
        let line = Line::begin(&event.context);
        let (answer, usage) =
            usage::measure(respond(async |upload| Box::pin(handler.handle(upload)).await, event)).await;
        line.write(&Outcome::Event { failed: answer.is_err() }, usage);
        answer
    }));
    end::outcome(ended.await)
}

/// Handles one event. Fails if `handle` fails, so that Lambda repeats the event. This is the only
/// place that logs the causes.
pub async fn respond(
    handle: impl AsyncFn(Upload) -> Result<(), Error>,
    event: LambdaEvent<Event>,
) -> Result<(), Diagnostic> {
    let LambdaEvent { payload, context } = event;
    let deadline = deadline::work_ends(&context);
    let work = async {
        for upload in Upload::of_event(payload)? {
            let late = |_| Err(Error::Busy("the handler did not finish before its deadline".into()));
            timeout_at(deadline, handle(upload)).await.unwrap_or_else(late)?;
        }
        Ok::<_, Error>(())
    };
    work.await.map_err(|error| {
        tracing::error!(requestId = context.request_id.as_str(), cause = error.causes(), "failed");
        Diagnostic { error_type: "Failed".to_owned(), error_message: "The log has the cause.".to_owned() }
    })
}
