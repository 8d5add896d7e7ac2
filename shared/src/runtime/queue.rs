//! The loop of a function that gets the messages of a queue which is not one of [stream
//! records](super::stream), and the queue to which a function sends such messages.

use std::convert::Infallible;
use std::future::Future;

use lambda_runtime::{LambdaEvent, service_fn};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};

use super::log::{Line, Outcome, log_json};
use super::stream::{BatchItemFailure, BatchResponse};
use super::{client, deadline, end, usage};
#[cfg(feature = "sqs")]
use crate::values::Username;
use crate::{Error, Table};

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

/// Serves messages with `handler`, one by one, for as long as Lambda sends them.
pub async fn run<M, F, A>(handler: F) -> Result<(), lambda_runtime::Error>
where
    M: DeserializeOwned,
    F: Fn(Table, Message<M>) -> A,
    A: Future<Output = Result<(), Error>>,
{
    log_json();
    let table = client::table().await?;
    let ended = lambda_runtime::run(service_fn(async |event: LambdaEvent<QueueEvent>| {
        let (line, records) = (Line::begin(&event.context), event.payload.messages.len());
        let (response, usage) = usage::measure(respond(&handler, &table, event)).await;
        line.write(&Outcome::Batch { records, failed: response.batch_item_failures.len() }, usage);
        Ok::<_, Infallible>(response)
    }));
    end::outcome(ended.await)
}

/// Handles one batch. Returns the messages that failed, which come again. This is the only place
/// that logs the causes.
pub async fn respond<M, F, A>(handler: F, table: &Table, event: LambdaEvent<QueueEvent>) -> BatchResponse
where
    M: DeserializeOwned,
    F: Fn(Table, Message<M>) -> A,
    A: Future<Output = Result<(), Error>>,
{
    let deadline = deadline::work_ends(&event.context);
    let mut batch_item_failures = vec![];
    for RawMessage { message_id: id, body } in event.payload.messages {
        let outcome = match serde_json::from_str(&body) {
            Ok(body) => {
                let message = Message { id: id.clone(), body, deadline };
                let busy = |_| Err(Error::Busy("no time was left for the message".into()));
                timeout_at(deadline, handler(table.clone(), message)).await.unwrap_or_else(busy)
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

    use aws_config::BehaviorVersion;
    use aws_sdk_dynamodb::{Client, Config};
    use lambda_runtime::Context;
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn a_failed_message_does_not_hold_back_the_others() {
        let config = Config::builder().behavior_version(BehaviorVersion::latest()).build();
        let table = Table { client: Client::from_conf(config), name: "quick-photos".into() };
        let mut context = Context::default();
        let since_epoch = (SystemTime::now() + Duration::from_mins(1)).duration_since(SystemTime::UNIX_EPOCH).unwrap();
        context.deadline = since_epoch.as_millis().try_into().unwrap();
        let message = |id: &str, body: &str| json!({"messageId": id, "body": body, "eventSource": "aws:sqs"});
        let messages = [message("a", "1"), message("b", "Hello?"), message("c", "3"), message("d", "4")];
        let event = serde_json::from_value(json!({ "Records": messages })).unwrap();

        let seen = RefCell::new(vec![]);
        let handler = async |_: Table, message: Message<u8>| {
            assert!(message.deadline > Instant::now() + Duration::from_secs(50));
            seen.borrow_mut().push((message.id, message.body));
            if message.body == 3 { Err(Error::internal("bad")) } else { Ok(()) }
        };
        let answer = respond(handler, &table, LambdaEvent::new(event, context)).await;
        assert_eq!(seen.take(), [("a".to_owned(), 1), ("c".to_owned(), 3), ("d".to_owned(), 4)]);
        let failed = ["b", "c"].map(|id| json!({ "itemIdentifier": id }));
        assert_eq!(serde_json::to_value(answer).unwrap(), json!({ "batchItemFailures": failed }));
    }
}
