//! Loads a file of items into a table.
//!
//! Eight tasks write the items with `BatchWriteItem`, one batch after another each. The key of an
//! item decides which task writes it, so lines with the same key take effect in the order of the
//! file.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::io::BufRead;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::error::ProvideErrorMetadata as _;
use aws_sdk_dynamodb::types::{AttributeValue, WriteRequest};
use shared::document::{self, Number};
use shared::dynamodb::Item;
use shared::dynamodb::batch::{self, MAX_WRITE_ITEMS};
use tokio::sync::mpsc::{self, Receiver};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::explain::explain;

/// The number of tasks that write at the same time.
const WRITERS: usize = 8;
/// The number of attempts of one request while the table is throttled or does not answer. The
/// pauses between them are up to 51 s together.
const MAX_ATTEMPTS: u32 = 10;
/// The first pause after a request that left items unprocessed. The pause doubles each time, up to
/// [`MAX_BACKOFF`].
const INITIAL_BACKOFF: Duration = Duration::from_millis(50);
const MAX_BACKOFF: Duration = Duration::from_secs(5);
/// A load fails after the table has processed no item of a batch for this long.
pub const STALL_TIMEOUT: Duration = Duration::from_mins(1);

/// The number of lines that a load has written and refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// The lines whose item was written.
    pub loaded: u64,
    /// The lines that were refused.
    pub refused: u64,
}

/// The key of an item, in a form that is the same for two numbers that DynamoDB considers equal,
/// such as 1 and 1.0.
type Key = Vec<Vec<u8>>;

/// An item with the number of its line.
type Line = (u64, Item);

/// Loads the items of `lines` into `table`, in constant memory. Each line is an item in plain JSON
/// or DynamoDB JSON. `refuse` gets the number of each line that is no item of the table, and the
/// reason.
pub async fn load(
    client: &Client,
    table: &str,
    stall_timeout: Duration,
    lines: impl BufRead,
    mut refuse: impl FnMut(u64, &str),
) -> Result<Totals> {
    let key_names = key_names(client, table).await.with_context(|| format!("table {table}"))?;
    let retries = RetryConfig::standard().with_max_attempts(MAX_ATTEMPTS);
    let client = Client::from_conf(client.config().to_builder().retry_config(retries).build());
    let mut tasks = JoinSet::new();
    let writers: Vec<_> = (0..WRITERS)
        .map(|_| {
            let (sender, receiver) = mpsc::channel(MAX_WRITE_ITEMS);
            let writer = Writer { client: client.clone(), table: table.to_owned(), stall_timeout, refused: vec![] };
            tasks.spawn(writer.write_all(receiver));
            sender
        })
        .collect();
    let (hasher, mut totals) = (RandomState::new(), Totals::default());
    for (number, line) in (1..).zip(lines.split(b'\n')) {
        let line = line?;
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line).trim_ascii();
        if line.is_empty() {
            continue;
        }
        match item(&key_names, line) {
            Ok((key, item)) => {
                let writer = usize::try_from(hasher.hash_one(&key) % WRITERS as u64)?;
                if writers[writer].send((key, (number, item))).await.is_err() {
                    // The task of this writer has the reason.
                    break;
                }
                totals.loaded += 1;
            }
            Err(error) => {
                totals.refused += 1;
                refuse(number, &error.to_string());
            }
        }
    }
    drop(writers);
    while let Some(refused) = tasks.join_next().await {
        for (number, reason) in refused?? {
            totals.loaded -= 1;
            totals.refused += 1;
            refuse(number, &reason);
        }
    }
    Ok(totals)
}

/// Returns the names of the attributes of the table's primary key.
async fn key_names(client: &Client, table: &str) -> Result<Vec<String>> {
    let output = client.describe_table().table_name(table).send().await.map_err(|error| anyhow!(explain(&error)))?;
    let description = output.table.context("DescribeTable returned no description")?;
    Ok(description.key_schema().iter().map(|key| key.attribute_name().to_owned()).collect())
}

/// Returns the item of a line with its key.
fn item(key_names: &[String], line: &[u8]) -> Result<(Key, Item)> {
    let item = document::read_line(str::from_utf8(line)?)?;
    let value = |name| match item.get(name) {
        Some(AttributeValue::S(text)) => Ok(text.clone().into_bytes()),
        Some(AttributeValue::B(bytes)) => Ok(bytes.clone().into_inner()),
        Some(AttributeValue::N(text)) => Ok(Number::parse(text)?.canonical()),
        _ => bail!("{name} is missing or has another type than a key has"),
    };
    Ok((key_names.iter().map(value).collect::<Result<_>>()?, item))
}

struct Writer {
    client: Client,
    table: String,
    stall_timeout: Duration,
    /// The numbers of the lines that the table has refused, with the reasons.
    refused: Vec<(u64, String)>,
}

impl Writer {
    /// Writes the items that it receives, and returns the lines that the table has refused.
    async fn write_all(mut self, mut lines: Receiver<(Key, Line)>) -> Result<Vec<(u64, String)>> {
        // A batch has each key once, so the last line of a key replaces the others.
        let mut batch = HashMap::new();
        while let Some((key, line)) = lines.recv().await {
            batch.insert(key, line);
            if batch.len() == MAX_WRITE_ITEMS {
                self.write(batch.drain().map(|(_, line)| line).collect()).await?;
            }
        }
        self.write(batch.into_values().collect()).await?;
        Ok(self.refused)
    }

    /// Writes one batch.
    async fn write(&mut self, batch: Vec<Line>) -> Result<()> {
        if self.put(batch.iter().map(|(_, item)| item.clone())).await?.is_none() {
            return Ok(());
        }
        // DynamoDB refuses the whole batch and does not name the item, so each gets a request of
        // its own.
        for (number, item) in batch {
            if let Some(reason) = self.put([item]).await? {
                self.refused.push((number, reason));
            }
        }
        Ok(())
    }

    /// Puts items until all are processed. Returns the reason if the table refuses the request.
    async fn put(&self, items: impl IntoIterator<Item = Item>) -> Result<Option<String>> {
        let puts = items.into_iter().map(|item| batch::put(item).map_err(|error| anyhow!("{error:?}")));
        let mut requests: Vec<WriteRequest> = puts.collect::<Result<_>>()?;
        let (mut backoff, mut progress) = (INITIAL_BACKOFF, Instant::now());
        while !requests.is_empty() {
            let sent = requests.len();
            let output = match self.client.batch_write_item().request_items(&self.table, requests).send().await {
                Ok(output) => output,
                Err(error) => {
                    let is_too_large = error.raw_response().is_some_and(|response| response.status().as_u16() == 413);
                    let is_invalid = is_too_large || error.code() == Some("ValidationException");
                    ensure!(is_invalid, "writing failed: {}", explain(&error));
                    return Ok(Some(explain(&error)));
                }
            };
            requests = output.unprocessed_items.unwrap_or_default().remove(&self.table).unwrap_or_default();
            if requests.len() < sent {
                (backoff, progress) = (INITIAL_BACKOFF, Instant::now());
            }
            if !requests.is_empty() {
                let timeout = self.stall_timeout;
                ensure!(progress.elapsed() < timeout, "the table has processed no item for {} s", timeout.as_secs());
                sleep(backoff).await;
                backoff = MAX_BACKOFF.min(backoff * 2);
            }
        }
        Ok(None)
    }
}
