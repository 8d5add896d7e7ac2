//! Writes one batch: repeats `BatchWriteItem` until every item is written or rejected, or the table
//! stalls.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::batch_write_item::BatchWriteItemError;
use aws_sdk_dynamodb::types::{PutRequest, WriteRequest};
use shared::dynamodb::Item;
use tokio::time::Instant;

use super::error::{Error, explain};
use super::keys::{Key, Keys};

/// The maximum pause before the first retry. The maximum doubles with each further retry, up to
/// [`MAX_BACKOFF`].
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html#Programming.Errors.BatchOperations>
const INITIAL_BACKOFF: Duration = Duration::from_millis(50);
const MAX_BACKOFF: Duration = Duration::from_secs(5);

/// One line of the file on its way to the table.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) line: u64,
    pub(super) key: Key,
    pub(super) item: Item,
}

#[derive(Debug)]
pub(super) struct Sender {
    client: Client,
    table: String,
    keys: Arc<Keys>,
    stall_timeout: Duration,
    /// The time of the last write of any batch.
    last_progress: Mutex<Instant>,
}

/// The result of a batch of which every item was written or rejected.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) keys: Vec<Key>,
    pub(super) loaded: u64,
    /// The numbers of the lines that the table rejected, with the reasons.
    pub(super) rejected: Vec<(u64, String)>,
}

/// The result of one `BatchWriteItem` request.
enum Response {
    /// All items were written, except for the unprocessed items with these keys.
    Written(HashSet<Key>),
    /// No item was written because of a transient error.
    Transient(String),
    /// No item was written, because at least one of them is invalid.
    Invalid(String),
}

impl Sender {
    pub(super) fn new(client: &Client, table: String, keys: Arc<Keys>, stall_timeout: Duration) -> Self {
        // `send` retries by itself, and a request without an answer has to end as a stall.
        let config = client
            .config()
            .to_builder()
            .retry_config(RetryConfig::disabled())
            .timeout_config(TimeoutConfig::builder().operation_timeout(stall_timeout).build());
        Self {
            client: Client::from_conf(config.build()),
            table,
            keys,
            stall_timeout,
            last_progress: Mutex::new(Instant::now()),
        }
    }

    pub(super) async fn send(self: Arc<Self>, mut batch: Vec<Entry>) -> Result<Sent, Error> {
        let keys = batch.iter().map(|entry| entry.key.clone()).collect();
        let mut sent = Sent { keys, loaded: 0, rejected: Vec::new() };
        let mut batch_size = batch.len();
        let mut max_pause = INITIAL_BACKOFF;
        while !batch.is_empty() {
            let rest = batch.split_off(batch_size.min(batch.len()));
            let reason = match self.put(&batch).await? {
                Response::Written(unprocessed) => {
                    let requested = batch.len();
                    batch.retain(|entry| unprocessed.contains(&entry.key));
                    if batch.len() < requested {
                        sent.loaded += (requested - batch.len()) as u64;
                        max_pause = INITIAL_BACKOFF;
                        *self.last_progress.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
                    }
                    (!batch.is_empty()).then(|| "the table is throttled".to_owned())
                }
                Response::Transient(reason) => Some(reason),
                // DynamoDB does not name the invalid item, so each item is sent in a request of its
                // own from here on.
                Response::Invalid(_) if batch.len() > 1 => {
                    batch_size = 1;
                    None
                }
                Response::Invalid(reason) => {
                    sent.rejected.extend(batch.drain(..).map(|entry| (entry.line, reason.clone())));
                    None
                }
            };
            batch.extend(rest);
            if let Some(reason) = reason {
                self.pause(&mut max_pause, reason).await?;
            }
        }
        Ok(sent)
    }

    async fn pause(&self, max_pause: &mut Duration, reason: String) -> Result<(), Error> {
        let last_progress = *self.last_progress.lock().unwrap_or_else(PoisonError::into_inner);
        if last_progress.elapsed() >= self.stall_timeout {
            return Err(Error::Stalled(self.stall_timeout, reason));
        }
        tokio::time::sleep(max_pause.mul_f64(fastrand::f64())).await;
        *max_pause = MAX_BACKOFF.min(*max_pause * 2);
        Ok(())
    }

    async fn put(&self, batch: &[Entry]) -> Result<Response, Error> {
        let writes = batch
            .iter()
            .map(|entry| {
                let put = PutRequest::builder().set_item(Some(entry.item.clone())).build();
                Ok(WriteRequest::builder().put_request(put.map_err(|error| Error::Write(error.to_string()))?).build())
            })
            .collect::<Result<_, Error>>()?;
        match self.client.batch_write_item().request_items(&self.table, writes).send().await {
            Ok(answer) => answer
                .unprocessed_items()
                .into_iter()
                .flat_map(|tables| tables.values().flatten())
                .filter_map(WriteRequest::put_request)
                .map(|put| self.keys.key(put.item()).map_err(|error| Error::Write(error.to_string())))
                .collect::<Result<_, _>>()
                .map(Response::Written),
            Err(error) => classify(&error),
        }
    }
}

/// Separates transient errors and invalid items from errors that end the load.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html#Programming.Errors.MessagesAndCodes>
fn classify(error: &SdkError<BatchWriteItemError>) -> Result<Response, Error> {
    let reason = explain(error);
    let status = error.raw_response().map_or(0, |response| response.status().as_u16());
    match (error, error.code()) {
        (
            _,
            Some(
                "ProvisionedThroughputExceededException"
                | "RequestLimitExceeded"
                | "ThrottlingException"
                | "ThrottledException"
                | "TooManyRequestsException",
            ),
        )
        | (SdkError::TimeoutError(_) | SdkError::ResponseError(_), _) => Ok(Response::Transient(reason)),
        (SdkError::DispatchFailure(failure), _) if failure.is_io() || failure.is_timeout() => {
            Ok(Response::Transient(reason))
        }
        (_, Some("ValidationException" | "ItemCollectionSizeLimitExceededException")) => Ok(Response::Invalid(reason)),
        _ if status == 413 => Ok(Response::Invalid(reason)),
        _ if status >= 500 => Ok(Response::Transient(reason)),
        _ => Err(Error::Write(reason)),
    }
}
