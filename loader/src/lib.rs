//! Loads a file of items into a table. The file holds JSON Lines; each line is one item in plain
//! JSON or DynamoDB JSON.
//!
//! Up to eight `BatchWriteItem` requests run concurrently, so requests can finish in any order.
//! Lines with the same key nevertheless take effect in the order of the file: a line whose key is
//! in a pending batch waits for that batch.

mod error;
mod keys;
mod lines;
mod send;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use serde_json::value::RawValue;
use shared::document::{self, DocumentError};
use shared::dynamodb::Item;
use shared::dynamodb::batch::MAX_WRITE_ITEMS;
use shared::values::DocumentFormat;
use tokio::task::JoinSet;

pub use error::{Error, explain};
use keys::{Key, Keys};
use lines::Lines;
use send::{Entry, Sender, Sent};

/// The maximum size of the items in one `BatchWriteItem` request: 16 MB, less 4 KB for the JSON
/// around the items.
const MAX_BATCH_BYTES: usize = 16 * 1024 * 1024 - 4096;
/// The factor by which a line can grow in a request: `0,` in a list becomes `{"N":"0"},`.
const MAX_LINE_GROWTH: usize = 5;
/// The maximum number of concurrent `BatchWriteItem` requests.
const MAX_CONCURRENT_BATCHES: usize = 8;
/// A load fails after the table has accepted no item for this long.
pub const STALL_TIMEOUT: Duration = Duration::from_mins(1);

/// The number of lines that a load has written and rejected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Lines whose item was written.
    pub loaded: u64,
    /// Lines that were rejected. Each was reported as an [`Event::BadLine`].
    pub bad: u64,
}

/// An event during a load, for progress bars and logs.
#[derive(Debug)]
pub enum Event<'a> {
    /// A batch was written.
    Progress {
        /// The number of bytes of the file that have been read.
        bytes: u64,
        /// The number of items that have been written.
        loaded: u64,
    },
    /// A line is not loaded. These events come in the order of the file, except for lines that the
    /// table itself rejects.
    BadLine {
        /// The line's number. The first line has the number 1.
        line: u64,
        /// The reason.
        reason: &'a str,
    },
}

/// Loads the items of the file at `path` into `table`, in constant memory. Bad lines are reported
/// to `watch` and skipped.
pub async fn load_file(
    client: &Client,
    table: &str,
    path: &Path,
    watch: impl FnMut(Event<'_>),
) -> Result<Totals, Error> {
    load_file_with_timeout(STALL_TIMEOUT, client, table, path, watch).await
}

/// Loads a file like [`load_file`], with another timeout than [`STALL_TIMEOUT`].
pub async fn load_file_with_timeout(
    stall_timeout: Duration,
    client: &Client,
    table: &str,
    path: &Path,
    watch: impl FnMut(Event<'_>),
) -> Result<Totals, Error> {
    let unreadable = |error| Error::File(path.to_owned(), error);
    let mut lines = Lines::open(path).await.map_err(unreadable)?;
    let keys = Arc::new(describe_keys(client, table).await?);
    let mut load = Load {
        sender: Arc::new(Sender::new(client, table.to_owned(), Arc::clone(&keys), stall_timeout)),
        batch: Vec::with_capacity(MAX_WRITE_ITEMS),
        batch_bytes: 0,
        pending_keys: HashSet::new(),
        requests: JoinSet::new(),
        bytes: 0,
        totals: Totals::default(),
        watch,
    };
    while let Some(line) = lines.next().await.map_err(unreadable)? {
        let accepted = line.and_then(|text| {
            let item = parse_item(text)?;
            Ok((keys.accept(&item)?, item, text.len()))
        });
        load.bytes = lines.bytes;
        let line = lines.number;
        match accepted {
            Ok((key, item, length)) => load.add(Entry { line, key, item }, length * MAX_LINE_GROWTH).await?,
            Err(error) => load.reject(line, &error.to_string()),
        }
    }
    load.send().await?;
    load.finish_all().await?;
    Ok(load.totals)
}

/// Parses one line. The line itself shows its format: an item has a key, and a key is a string, a
/// number or binary. So in plain JSON at least one attribute is not an object, and in DynamoDB JSON
/// all are. The `{"Item": {…}}` of an export is unwrapped.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataExport.Output.html>
fn parse_item(mut line: &str) -> Result<Item, DocumentError> {
    let is_object = |raw: &RawValue| raw.get().starts_with('{');
    let mut attributes = document::members(line)?;
    if let [(name, inner)] = attributes.as_slice()
        && name == "Item"
        && is_object(inner)
    {
        line = inner.get();
        attributes = document::members(line)?;
    }
    let all_objects = attributes.iter().all(|(_, value)| is_object(value));
    document::read(if all_objects { DocumentFormat::DynamoDb } else { DocumentFormat::Json }, line)
}

async fn describe_keys(client: &Client, table: &str) -> Result<Keys, Error> {
    let failed = |reason| Error::Table(table.to_owned(), reason);
    let answer = client.describe_table().table_name(table).send().await.map_err(|error| failed(explain(&error)))?;
    let description = answer.table().ok_or_else(|| failed("DescribeTable returned no description".to_owned()))?;
    Ok(Keys::from_description(description))
}

/// A load in progress.
struct Load<W> {
    sender: Arc<Sender>,
    /// The batch that is filled at the moment.
    batch: Vec<Entry>,
    batch_bytes: usize,
    /// The keys in `batch` and in the concurrent requests.
    pending_keys: HashSet<Key>,
    requests: JoinSet<Result<Sent, Error>>,
    bytes: u64,
    totals: Totals,
    watch: W,
}

impl<W: FnMut(Event<'_>)> Load<W> {
    async fn add(&mut self, entry: Entry, bytes: usize) -> Result<(), Error> {
        if !self.batch.is_empty() && self.batch_bytes + bytes > MAX_BATCH_BYTES {
            self.send().await?;
        }
        if self.pending_keys.contains(&entry.key) {
            self.send().await?;
            self.finish_all().await?;
        }
        self.pending_keys.insert(entry.key.clone());
        self.batch.push(entry);
        self.batch_bytes += bytes;
        if self.batch.len() == MAX_WRITE_ITEMS { self.send().await } else { Ok(()) }
    }

    fn reject(&mut self, line: u64, reason: &str) {
        self.totals.bad += 1;
        (self.watch)(Event::BadLine { line, reason });
    }

    /// Starts a request for the current batch. Waits for another request first if the maximum
    /// number is running.
    async fn send(&mut self) -> Result<(), Error> {
        if self.batch.is_empty() {
            return Ok(());
        }
        if self.requests.len() == MAX_CONCURRENT_BATCHES {
            self.finish_one().await?;
        }
        let batch = std::mem::replace(&mut self.batch, Vec::with_capacity(MAX_WRITE_ITEMS));
        self.batch_bytes = 0;
        self.requests.spawn(Arc::clone(&self.sender).send(batch));
        Ok(())
    }

    async fn finish_all(&mut self) -> Result<(), Error> {
        while !self.requests.is_empty() {
            self.finish_one().await?;
        }
        Ok(())
    }

    async fn finish_one(&mut self) -> Result<(), Error> {
        let Some(finished) = self.requests.join_next().await else {
            return Ok(());
        };
        let sent = finished.unwrap_or_else(|panic| Err(Error::Write(panic.to_string())))?;
        for key in &sent.keys {
            self.pending_keys.remove(key);
        }
        self.totals.loaded += sent.loaded;
        for (line, reason) in sent.rejected {
            self.reject(line, &reason);
        }
        (self.watch)(Event::Progress { bytes: self.bytes, loaded: self.totals.loaded });
        Ok(())
    }
}
