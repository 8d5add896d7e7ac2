//! The loop of a function that gets the messages of a queue which is not one of [stream
//! records](super::stream), and the queue to which a function sends such messages.

use std::convert::Infallible;

use lambda_runtime::{LambdaEvent, service_fn};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};

use super::handler::Handler;
use super::log::{Line, Outcome, log_json};
use super::process::{Process, StartError};
use super::stream::{BatchItemFailure, BatchResponse};
use super::{deadline, end, usage};
use crate::Error;
#[cfg(feature = "sqs")]
use crate::values::Username;

/// An event of Lambda: a batch of
/// [messages](https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html), with the fields that
/// functions read.
#[derive(Debug, Deserialize)]
pub struct QueueEvent {
    #[serde(rename = "Records")]
    messages: Vec<RawMessage>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawMessage {
    message_id: String,
    body: String,
}

/// A message, whose body is the JSON of an `M`.
#[derive(Debug, Clone)]
pub struct Message<M> {
    /// The id. A message that comes again has the same one.
    pub id: String,
    /// The body.
    pub body: M,
    /// The time at which the handler is stopped, shortly before Lambda ends the invocation.
    pub deadline: Instant,
}

/// Serves messages, one by one, for as long as Lambda sends them.
pub async fn run<M: DeserializeOwned, H: Handler<Event = Message<M>>>() -> Result<(), StartError> {
    log_json();
    let handler = H::start(&Process::from_environment()?)?;
    // Boxed, because the compiler limits how deeply futures are nested.
    let ended = lambda_runtime::run(service_fn(async |event: LambdaEvent<QueueEvent>| {
        let (line, records) = (Line::begin(&event.context), event.payload.messages.len());
        let (response, usage) =
            usage::measure(respond(async |message| Box::pin(handler.handle(message)).await, event)).await;
        line.write(&Outcome::Batch { records, failed: response.batch_item_failures.len() }, usage);
        Ok::<_, Infallible>(response)
    }));
    end::outcome(ended.await)
}

/// Handles one batch. Returns the messages that failed, which come again. This is the only place
/// that logs the causes.
pub async fn respond<M: DeserializeOwned>(
    handle: impl AsyncFn(Message<M>) -> Result<(), Error>,
    event: LambdaEvent<QueueEvent>,
) -> BatchResponse {
    let deadline = deadline::work_ends(&event.context);
    let mut batch_item_failures = vec![];
    for RawMessage { message_id: id, body } in event.payload.messages {
        let outcome = match serde_json::from_str(&body) {
            Ok(body) => {
                let message = Message { id: id.clone(), body, deadline };
                let busy = |_| Err(Error::Busy("no time was left for the message".into()));
                timeout_at(deadline, handle(message)).await.unwrap_or_else(busy)
            }
            Err(error) => Err(Error::internal(error)),
        };
        if let Err(error) = outcome {
            tracing::error!(
                requestId = event.context.request_id.as_str(),
                recordIds = id,
                cause = error.causes(),
                "failed"
            );
            batch_item_failures.push(BatchItemFailure { item_identifier: id });
        }
    }
    BatchResponse { batch_item_failures }
}

/// A queue to which a function sends messages.
#[cfg(feature = "sqs")]
#[derive(Debug, Clone)]
pub struct Queue {
    client: aws_sdk_sqs::Client,
    url: String,
}

#[cfg(feature = "sqs")]
impl Queue {
    /// Returns the queue whose URL an environment variable has.
    pub fn from_process(process: &Process, variable: &str) -> Result<Self, StartError> {
        Ok(Self::new(&process.configuration("SQS")?, process.variable(variable)?))
    }

    /// Returns the queue with this URL.
    #[must_use]
    pub fn new(config: &aws_config::SdkConfig, url: String) -> Self {
        Self { client: aws_sdk_sqs::Client::new(config), url }
    }

    /// Sends a message, whose body is the JSON of `message`.
    pub async fn send(&self, message: &impl serde::Serialize) -> Result<(), Error> {
        let body = serde_json::to_string(message)?;
        self.client.send_message().queue_url(&self.url).message_body(body).send().await?;
        Ok(())
    }

    /// Sends a message of a user. SQS prefers the messages of [users who have few under
    /// way](https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html),
    /// so nobody waits for all messages of another user.
    pub async fn send_of(&self, user: &Username, message: &impl serde::Serialize) -> Result<(), Error> {
        let body = serde_json::to_string(message)?;
        let send = self.client.send_message().queue_url(&self.url).message_body(body);
        send.message_group_id(user.as_ref()).send().await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::time::{Duration, SystemTime};

    use lambda_runtime::Context;
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn a_failed_message_does_not_hold_back_the_others() {
        let mut context = Context::default();
        let since_epoch = (SystemTime::now() + Duration::from_mins(1)).duration_since(SystemTime::UNIX_EPOCH).unwrap();
        context.deadline = since_epoch.as_millis().try_into().unwrap();
        let message = |id: &str, body: &str| json!({"messageId": id, "body": body, "eventSource": "aws:sqs"});
        let messages = [message("a", "1"), message("b", "Hello?"), message("c", "3"), message("d", "4")];
        let event = serde_json::from_value(json!({ "Records": messages })).unwrap();

        let seen = RefCell::new(vec![]);
        let handler = async |message: Message<u8>| {
            assert!(message.deadline > Instant::now() + Duration::from_secs(50));
            seen.borrow_mut().push((message.id, message.body));
            if message.body == 3 { Err(Error::internal("bad")) } else { Ok(()) }
        };
        let answer = respond(handler, LambdaEvent::new(event, context)).await;
        assert_eq!(seen.take(), [("a".to_owned(), 1), ("c".to_owned(), 3), ("d".to_owned(), 4)]);
        let failed = ["b", "c"].map(|id| json!({ "itemIdentifier": id }));
        assert_eq!(serde_json::to_value(answer).unwrap(), json!({ "batchItemFailures": failed }));
    }
}
