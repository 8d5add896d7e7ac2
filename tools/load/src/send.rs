//! One batch into the table: `BatchWriteItem` until all of it is in.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::batch_write_item::BatchWriteItemError;
use aws_sdk_dynamodb::types::{PutRequest, WriteRequest};
use tokio::time::Instant;

use super::keys::{Key, Keys};
use super::{Entry, Error, explain};

/// The first pause before another try is at most this long, each further one up to twice that of the one before.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html#Programming.Errors.BatchOperations>
const INITIAL_BACKOFF: Duration = Duration::from_millis(50);
const MAX_BACKOFF: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Sender {
    client: Client,
    table: String,
    keys: Arc<Keys>,
    patience: Duration,
    last_progress: Mutex<Instant>,
}

/// A batch that is done with.
#[derive(Debug)]
pub(super) struct Landing {
    pub(super) keys: Vec<Key>,
    pub(super) loaded: u64,
    /// Lines that the table refused, with its reasons.
    pub(super) refused: Vec<(u64, String)>,
}

/// How a request ended.
enum Outcome {
    /// All is written but what has these keys.
    Written(HashSet<Key>),
    /// Nothing is, but the same request can succeed.
    Later(String),
    /// Something in the request is not valid.
    Refused(String),
}

impl Sender {
    pub(super) fn new(client: &Client, table: String, keys: Arc<Keys>, patience: Duration) -> Self {
        // Trying again is this file's own matter, and an answer that doesn't come is no progress.
        let config = client
            .config()
            .to_builder()
            .retry_config(RetryConfig::disabled())
            .timeout_config(TimeoutConfig::builder().operation_timeout(patience).build());
        Self {
            client: Client::from_conf(config.build()),
            table,
            keys,
            patience,
            last_progress: Mutex::new(Instant::now()),
        }
    }

    pub(super) async fn send(self: Arc<Self>, mut batch: Vec<Entry>) -> Result<Landing, Error> {
        let keys = batch.iter().map(|entry| entry.key.clone()).collect();
        let mut landing = Landing { keys, loaded: 0, refused: Vec::new() };
        let mut together = batch.len();
        let mut longest = INITIAL_BACKOFF;
        while !batch.is_empty() {
            let rest = batch.split_off(together.min(batch.len()));
            let reason = match self.put(&batch).await? {
                Outcome::Written(unprocessed) => {
                    let sent = batch.len();
                    batch.retain(|entry| unprocessed.contains(&entry.key));
                    if batch.len() < sent {
                        landing.loaded += (sent - batch.len()) as u64;
                        longest = INITIAL_BACKOFF;
                        *self.last_progress.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
                    }
                    (!batch.is_empty()).then(|| "the table is throttled".to_owned())
                }
                Outcome::Later(reason) => Some(reason),
                // DynamoDB doesn't tell which item it is: each goes by itself from here on.
                Outcome::Refused(_) if batch.len() > 1 => {
                    together = 1;
                    None
                }
                Outcome::Refused(reason) => {
                    landing.refused.extend(batch.drain(..).map(|entry| (entry.line, reason.clone())));
                    None
                }
            };
            batch.extend(rest);
            if let Some(reason) = reason {
                self.pause(&mut longest, reason).await?;
            }
        }
        Ok(landing)
    }

    async fn pause(&self, longest: &mut Duration, reason: String) -> Result<(), Error> {
        let last_progress = *self.last_progress.lock().unwrap_or_else(PoisonError::into_inner);
        if last_progress.elapsed() >= self.patience {
            return Err(Error::Stalled(self.patience, reason));
        }
        tokio::time::sleep(longest.mul_f64(fastrand::f64())).await;
        *longest = MAX_BACKOFF.min(*longest * 2);
        Ok(())
    }

    async fn put(&self, batch: &[Entry]) -> Result<Outcome, Error> {
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
                .map(|put| self.keys.key(put.item()).map_err(Error::Write))
                .collect::<Result<_, _>>()
                .map(Outcome::Written),
            Err(error) => outcome_of(&error),
        }
    }
}

/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html#Programming.Errors.MessagesAndCodes>
fn outcome_of(error: &SdkError<BatchWriteItemError>) -> Result<Outcome, Error> {
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
        | (SdkError::TimeoutError(_) | SdkError::ResponseError(_), _) => Ok(Outcome::Later(reason)),
        (SdkError::DispatchFailure(failure), _) if failure.is_io() || failure.is_timeout() => {
            Ok(Outcome::Later(reason))
        }
        (_, Some("ValidationException" | "ItemCollectionSizeLimitExceededException")) => Ok(Outcome::Refused(reason)),
        _ if status == 413 => Ok(Outcome::Refused(reason)),
        _ if status >= 500 => Ok(Outcome::Later(reason)),
        _ => Err(Error::Write(reason)),
    }
}
