//! Loads a file of items into a table: JSON Lines, each line an item in plain JSON or DynamoDB JSON.
//!
//! Lines with one key take effect in their order, so the last one wins: a key that is on its way already is waited for.

mod keys;
mod lines;
mod send;

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use serde_json::value::RawValue;
use shared::document::{self, DocumentError};
use shared::dynamodb::Item;
use shared::error::chain;
use shared::values::DocumentFormat;
use tokio::task::JoinSet;

use keys::{Key, Keys};
use lines::Lines;
use send::{Landing, Sender};

/// Items in one `BatchWriteItem`.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html>
const BATCH: usize = 25;
/// Bytes in one `BatchWriteItem`: 16 MB, less what stands around the items.
const BATCH_BYTES: usize = 16 * 1024 * 1024 - 4096;
/// How much longer a line can be in a request: `0,` in a list becomes `{"N":"0"},`.
const GROWTH: usize = 5;
/// Batches under way at the same time.
const IN_FLIGHT: usize = 8;
/// How long a load goes on while the table takes nothing at all.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// What a load did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Report {
    /// Lines whose item was written.
    pub loaded: u64,
    /// Lines that were refused; each was told as an [`Event::BadLine`].
    pub bad: u64,
}

/// What happens during a load.
#[derive(Debug)]
pub enum Event<'a> {
    /// So much of the file is read and so many items are in.
    Progress {
        /// Bytes of the file.
        bytes: u64,
        /// Items in the table.
        loaded: u64,
    },
    /// A line that can't be loaded. Mostly in the order of the file; later when it is the table that refuses.
    BadLine {
        /// Counted from 1.
        line: u64,
        /// What is wrong with it.
        reason: &'a str,
    },
}

/// Why a load ended early.
#[derive(Debug)]
pub enum Error {
    /// The file can't be read.
    File(PathBuf, std::io::Error),
    /// The table can't be described: it isn't there, the endpoint isn't, or the credentials don't do.
    Table(String, String),
    /// A write failed in a way that another try doesn't mend.
    Write(String),
    /// Nothing was written for the given time, in spite of repeated tries.
    Stalled(Duration, String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Table(table, reason) => write!(f, "table {table}: {reason}"),
            Self::Write(reason) => write!(f, "writing failed: {reason}"),
            Self::Stalled(patience, reason) => write!(f, "nothing was written for {} s: {reason}", patience.as_secs()),
        }
    }
}

impl std::error::Error for Error {}

/// An error in one line: what the service said, or the causes down to the socket.
pub fn explain<E: ProvideErrorMetadata + std::error::Error + 'static>(error: &E) -> String {
    match (error.code(), error.message()) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        (Some(code), None) => code.to_owned(),
        _ => chain(error),
    }
}

/// One line on its way into the table.
#[derive(Debug)]
struct Entry {
    line: u64,
    key: Key,
    item: Item,
}

/// Loads the items of the file at `path` into `table`, in constant memory. Bad lines are told to `watch` and left out.
pub async fn file(client: &Client, table: &str, path: &Path, watch: impl FnMut(Event<'_>)) -> Result<Report, Error> {
    file_within(PATIENCE, client, table, path, watch).await
}

/// As [`file()`], with a patience of one's own.
pub async fn file_within(
    patience: Duration,
    client: &Client,
    table: &str,
    path: &Path,
    watch: impl FnMut(Event<'_>),
) -> Result<Report, Error> {
    let unreadable = |error| Error::File(path.to_owned(), error);
    let mut lines = Lines::of(path).await.map_err(unreadable)?;
    let keys = Arc::new(keys_of(client, table).await?);
    let mut load = Load {
        sender: Arc::new(Sender::new(client, table.to_owned(), Arc::clone(&keys), patience)),
        batch: Vec::with_capacity(BATCH),
        batch_bytes: 0,
        under_way: HashSet::new(),
        in_flight: JoinSet::new(),
        bytes: 0,
        report: Report::default(),
        watch,
    };
    while let Some(line) = lines.next().await.map_err(unreadable)? {
        let accepted = line.and_then(|text| {
            let item = item(text).map_err(|fault| fault.to_string())?;
            Ok((keys.accept(&item)?, item, text.len()))
        });
        load.bytes = lines.bytes;
        let line = lines.number;
        match accepted {
            Ok((key, item, length)) => load.add(Entry { line, key, item }, length * GROWTH).await?,
            Err(reason) => load.refuse(line, &reason),
        }
    }
    load.send().await?;
    load.land_all().await?;
    Ok(load.report)
}

/// Reads one line. The form needs no telling: an item has a key, a key is a string, number or binary, so in plain JSON at
/// least one attribute is no object, and in DynamoDB JSON all are. An export's `{"Item": {…}}` is unwrapped.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataExport.Output.html>
fn item(mut line: &str) -> Result<Item, DocumentError> {
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

async fn keys_of(client: &Client, table: &str) -> Result<Keys, Error> {
    let failed = |reason| Error::Table(table.to_owned(), reason);
    let answer = client.describe_table().table_name(table).send().await.map_err(|error| failed(explain(&error)))?;
    let description = answer.table().ok_or_else(|| failed("the answer describes no table".to_owned()))?;
    Ok(Keys::of(description))
}

struct Load<W> {
    sender: Arc<Sender>,
    batch: Vec<Entry>,
    batch_bytes: usize,
    /// The keys in the batch and in flight.
    under_way: HashSet<Key>,
    in_flight: JoinSet<Result<Landing, Error>>,
    bytes: u64,
    report: Report,
    watch: W,
}

impl<W: FnMut(Event<'_>)> Load<W> {
    async fn add(&mut self, entry: Entry, bytes: usize) -> Result<(), Error> {
        if !self.batch.is_empty() && self.batch_bytes + bytes > BATCH_BYTES {
            self.send().await?;
        }
        if self.under_way.contains(&entry.key) {
            self.send().await?;
            self.land_all().await?;
        }
        self.under_way.insert(entry.key.clone());
        self.batch.push(entry);
        self.batch_bytes += bytes;
        if self.batch.len() == BATCH { self.send().await } else { Ok(()) }
    }

    fn refuse(&mut self, line: u64, reason: &str) {
        self.report.bad += 1;
        (self.watch)(Event::BadLine { line, reason });
    }

    async fn send(&mut self) -> Result<(), Error> {
        if self.batch.is_empty() {
            return Ok(());
        }
        if self.in_flight.len() == IN_FLIGHT {
            self.land().await?;
        }
        let batch = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH));
        self.batch_bytes = 0;
        self.in_flight.spawn(Arc::clone(&self.sender).send(batch));
        Ok(())
    }

    async fn land_all(&mut self) -> Result<(), Error> {
        while !self.in_flight.is_empty() {
            self.land().await?;
        }
        Ok(())
    }

    /// Waits for one batch.
    async fn land(&mut self) -> Result<(), Error> {
        let Some(landed) = self.in_flight.join_next().await else {
            return Ok(());
        };
        let landing = landed.unwrap_or_else(|lost| Err(Error::Write(lost.to_string())))?;
        for key in &landing.keys {
            self.under_way.remove(key);
        }
        self.report.loaded += landing.loaded;
        for (line, reason) in landing.refused {
            self.refuse(line, &reason);
        }
        (self.watch)(Event::Progress { bytes: self.bytes, loaded: self.report.loaded });
        Ok(())
    }
}
