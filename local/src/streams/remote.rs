//! The stream of a table in another DynamoDB, read by the API of DynamoDB Streams.
//!
//! Such a stream has several shards, which split and end. One task per stream reads all of them, a parent before its
//! children, and appends their records to a log in memory, so that the rest of the stack sees one shard that begins when the
//! stack starts. The log gives the records sequence numbers of its own, because those of different shards have no common
//! order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use aws_sdk_dynamodbstreams::Client;
use aws_sdk_dynamodbstreams::types::{AttributeValue, Record, ShardIteratorType};
use dynoxide::actions::get_records::{self, StreamRecord, UserIdentity};
use dynoxide::{AttributeValue as EngineValue, Item};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::net;
use crate::services::dynamodb::other::Other;

/// The pause between two reads of a shard. Lambda [polls each shard four times a
/// second](https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html), and DynamoDB allows five reads.
const READ_INTERVAL: Duration = Duration::from_millis(250);

/// The pause between two searches for new shards.
const DISCOVERY_INTERVAL: Duration = Duration::from_secs(10);

/// The pause after an error.
const ERROR_PAUSE: Duration = Duration::from_secs(1);

/// The records of one stream.
#[derive(Default)]
pub(super) struct Log {
    records: Mutex<Vec<Record>>,
}

impl Log {
    /// Returns the sequence number of the last record; empty if there is none.
    pub(super) fn last(&self) -> String {
        match self.records.lock().unwrap_or_else(PoisonError::into_inner).len() {
            0 => String::new(),
            count => sequence_number(count),
        }
    }

    /// Returns up to `limit` records after a sequence number, or from the beginning if it is empty.
    pub(super) fn read(&self, position: &str, limit: usize) -> Result<Vec<get_records::Record>> {
        let start = if position.is_empty() { 0 } else { position.parse()? };
        let records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let records = records.iter().enumerate().skip(start).take(limit);
        records.map(|(index, record)| converted(record, sequence_number(index + 1))).collect()
    }

    fn append(&self, records: Vec<Record>) {
        self.records.lock().unwrap_or_else(PoisonError::into_inner).extend(records);
    }
}

/// Returns the sequence number of the record at this place. All have one length, so that they are ordered as text.
fn sequence_number(place: usize) -> String {
    format!("{place:021}")
}

/// The streams of the tables of another DynamoDB.
#[derive(Default)]
pub struct RemoteStreams {
    logs: BTreeMap<String, Arc<Log>>,
    readers: Vec<JoinHandle<()>>,
}

impl Drop for RemoteStreams {
    fn drop(&mut self) {
        self.readers.iter().for_each(JoinHandle::abort);
    }
}

impl RemoteStreams {
    /// Opens the streams of these tables, and reads the records that are written from now on.
    pub(crate) async fn open(other: &Other, tables: BTreeSet<&str>) -> Result<Self> {
        let mut streams = Self::default();
        for table in tables {
            let failed = || format!("stream of table {table} at {}", other.url());
            let log = Arc::new(Log::default());
            let reader = Reader::open(other, table, log.clone()).await.with_context(failed)?;
            streams.logs.insert(table.to_owned(), log);
            streams.readers.push(tokio::spawn(reader.run()));
        }
        Ok(streams)
    }

    /// Returns the records of the stream of a table.
    pub(super) fn log(&self, table: &str) -> Result<&Log> {
        self.logs.get(table).map(Arc::as_ref).context("the stream is not open")
    }
}

/// A shard that is being read.
struct Shard {
    iterator: String,
    /// The sequence number of the last record, from which an iterator that has expired is opened again.
    last: Option<String>,
}

/// The reader of one stream.
struct Reader {
    client: Client,
    table: String,
    arn: String,
    log: Arc<Log>,
    /// All shards that were ever opened.
    known: BTreeSet<String>,
    open: BTreeMap<String, Shard>,
}

impl Reader {
    async fn open(other: &Other, table: &str, log: Arc<Log>) -> Result<Self> {
        let described = other.client().describe_table().table_name(table).send().await?;
        let arn = described.table.and_then(|table| table.latest_stream_arn).context("the table has no stream")?;
        let (known, open) = (BTreeSet::new(), BTreeMap::new());
        let mut reader = Self { client: other.streams(), table: table.to_owned(), arn, log, known, open };
        reader.discover(&ShardIteratorType::Latest).await?;
        Ok(reader)
    }

    /// Reads the stream until the task is aborted.
    async fn run(mut self) {
        let mut discovered = Instant::now();
        loop {
            let read = async {
                if discovered.elapsed() > DISCOVERY_INTERVAL || self.open.is_empty() {
                    self.discover(&ShardIteratorType::TrimHorizon).await?;
                    discovered = Instant::now();
                }
                self.read().await
            };
            match read.await {
                Ok(()) => sleep(READ_INTERVAL).await,
                Err(error) => {
                    net::log("streams", &format!("cannot read the stream of {}: {error:#}", self.table));
                    sleep(ERROR_PAUSE).await;
                }
            }
        }
    }

    /// Opens the shards that are not known yet. The children of an open shard wait until it ends.
    async fn discover(&mut self, start: &ShardIteratorType) -> Result<()> {
        let mut after = None;
        loop {
            let request = self.client.describe_stream().stream_arn(&self.arn).set_exclusive_start_shard_id(after);
            let stream = request.send().await?.stream_description.context("DescribeStream returned no description")?;
            for shard in stream.shards.unwrap_or_default() {
                let id = shard.shard_id.context("a shard has no id")?;
                let waits = shard.parent_shard_id.is_some_and(|parent| self.open.contains_key(&parent));
                if !waits && !self.known.contains(&id) {
                    let iterator = self.iterator(&id, start.clone(), None).await?;
                    self.known.insert(id.clone());
                    self.open.insert(id, Shard { iterator, last: None });
                }
            }
            after = stream.last_evaluated_shard_id;
            if after.is_none() {
                return Ok(());
            }
        }
    }

    async fn iterator(&self, shard: &str, start: ShardIteratorType, after: Option<String>) -> Result<String> {
        let request = self.client.get_shard_iterator().stream_arn(&self.arn).shard_id(shard);
        let answer = request.shard_iterator_type(start).set_sequence_number(after).send().await?;
        answer.shard_iterator.context("GetShardIterator returned no iterator")
    }

    /// Reads each open shard once.
    async fn read(&mut self) -> Result<()> {
        for id in self.open.keys().cloned().collect::<Vec<_>>() {
            let Some(shard) = self.open.get(&id) else { continue };
            let answer = match self.client.get_records().shard_iterator(&shard.iterator).send().await {
                Ok(answer) => answer,
                Err(error) => {
                    let last = shard.last.clone();
                    let start =
                        if last.is_some() { ShardIteratorType::AfterSequenceNumber } else { ShardIteratorType::Latest };
                    let iterator = self.iterator(&id, start, last.clone()).await?;
                    self.open.insert(id, Shard { iterator, last });
                    return Err(error.into());
                }
            };
            let records = answer.records.unwrap_or_default();
            let newest = records.last().and_then(|record| record.dynamodb()?.sequence_number()).map(str::to_owned);
            let last = newest.or_else(|| shard.last.clone());
            self.log.append(records);
            match answer.next_shard_iterator {
                Some(iterator) => self.open.insert(id, Shard { iterator, last }),
                None => self.open.remove(&id),
            };
        }
        Ok(())
    }
}

/// Converts a record into one of the engine, with another sequence number.
fn converted(record: &Record, sequence_number: String) -> Result<get_records::Record> {
    let change = record.dynamodb().context("a record has no change")?;
    let item = |item: &std::collections::HashMap<String, AttributeValue>| {
        item.iter().map(|(name, value)| Ok((name.clone(), engine_value(value)?))).collect::<Result<Item>>()
    };
    let user_identity = record.user_identity().map(|identity| UserIdentity {
        identity_type: identity.r#type().unwrap_or_default().to_owned(),
        principal_id: identity.principal_id().unwrap_or_default().to_owned(),
    });
    Ok(get_records::Record {
        event_id: record.event_id().unwrap_or_default().to_owned(),
        event_name: record.event_name().map(|name| name.as_str().to_owned()).unwrap_or_default(),
        event_version: record.event_version().unwrap_or_default().to_owned(),
        event_source: "aws:dynamodb".to_owned(),
        aws_region: record.aws_region().unwrap_or_default().to_owned(),
        dynamodb: StreamRecord {
            keys: change.keys().map(item).transpose()?.unwrap_or_default(),
            new_image: change.new_image().map(item).transpose()?,
            old_image: change.old_image().map(item).transpose()?,
            sequence_number,
            size_bytes: change.size_bytes().unwrap_or_default(),
            stream_view_type: change.stream_view_type().map(|kind| kind.as_str().to_owned()).unwrap_or_default(),
            approximate_creation_date_time: change
                .approximate_creation_date_time()
                .map(aws_sdk_dynamodbstreams::primitives::DateTime::as_secs_f64)
                .unwrap_or_default(),
        },
        user_identity,
    })
}

/// Converts a value of the SDK into one of the engine.
fn engine_value(value: &AttributeValue) -> Result<EngineValue> {
    Ok(match value {
        AttributeValue::S(text) => EngineValue::S(text.clone()),
        AttributeValue::N(number) => EngineValue::N(number.clone()),
        AttributeValue::B(bytes) => EngineValue::B(bytes.as_ref().to_vec()),
        AttributeValue::Bool(value) => EngineValue::BOOL(*value),
        AttributeValue::Null(value) => EngineValue::NULL(*value),
        AttributeValue::Ss(texts) => EngineValue::SS(texts.clone()),
        AttributeValue::Ns(numbers) => EngineValue::NS(numbers.clone()),
        AttributeValue::Bs(all) => EngineValue::BS(all.iter().map(|bytes| bytes.as_ref().to_vec()).collect()),
        AttributeValue::L(values) => EngineValue::L(values.iter().map(engine_value).collect::<Result<_>>()?),
        AttributeValue::M(values) => EngineValue::M(
            values.iter().map(|(name, value)| Ok((name.clone(), engine_value(value)?))).collect::<Result<_>>()?,
        ),
        other => bail!("the stack does not support the attribute value {other:?}"),
    })
}
