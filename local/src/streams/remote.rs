//! The stream of a table in another DynamoDB, read by the API of DynamoDB Streams.
//!
//! Such a stream has several shards, which split and end. One task per stream reads all of them, a
//! parent before its children, and appends their records to a log in memory, so that the rest of
//! the stack sees one shard that begins when the stack starts. The log gives the records sequence
//! numbers of its own, because those of different shards have no common order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use aws_sdk_dynamodbstreams::Client;
use aws_sdk_dynamodbstreams::operation::get_records::GetRecordsError;
use aws_sdk_dynamodbstreams::types::{self as stream, AttributeValue, Record, ShardIteratorType};
use dynoxide::actions::get_records::{self, StreamRecord, UserIdentity};
use dynoxide::{AttributeValue as EngineValue, Item};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::services::dynamodb::external::ExternalDynamoDb;

/// The pause between two reads of a shard. Lambda [polls each shard four times a
/// second](https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html), and DynamoDB allows five
/// reads.
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

/// Returns the sequence number of the record at this place. All have one length, so that they are
/// ordered as text.
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
    pub(crate) async fn open(other: &ExternalDynamoDb, tables: BTreeSet<&str>) -> Result<Self> {
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
    /// The position of the last record, or of the start, at which an iterator that has expired is
    /// opened again.
    position: Position,
}

/// A position in a shard: a type of iterator, and the sequence number if the type has one.
type Position = (ShardIteratorType, Option<String>);

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
    async fn open(other: &ExternalDynamoDb, table: &str, log: Arc<Log>) -> Result<Self> {
        let described = other.client().describe_table().table_name(table).send().await?;
        let arn = described.table.and_then(|table| table.latest_stream_arn).context("the table has no stream")?;
        let (known, open) = (BTreeSet::new(), BTreeMap::new());
        let mut reader = Self { client: other.streams(), table: table.to_owned(), arn, log, known, open };
        // No child waits for its parent here: it would be opened later, at records from before the
        // start.
        for shard in reader.shards().await? {
            let id = shard.shard_id.context("a shard has no id")?;
            reader.open_shard(&id, (ShardIteratorType::Latest, None)).await?;
            reader.known.insert(id);
        }
        Ok(reader)
    }

    /// Reads the stream until the task is aborted.
    async fn run(mut self) {
        let mut discovered = Instant::now();
        loop {
            let read = async {
                if discovered.elapsed() > DISCOVERY_INTERVAL || self.open.is_empty() {
                    self.discover().await?;
                    discovered = Instant::now();
                }
                self.read().await
            };
            match read.await {
                Ok(()) => sleep(READ_INTERVAL).await,
                Err(error) => {
                    terminal::log("streams", &format!("cannot read the stream of {}: {error:#}", self.table));
                    sleep(ERROR_PAUSE).await;
                }
            }
        }
    }

    /// Opens the shards that are new since the start. The children of an open shard wait until it
    /// ends.
    async fn discover(&mut self) -> Result<()> {
        for shard in self.shards().await? {
            let id = shard.shard_id.context("a shard has no id")?;
            let waits = shard.parent_shard_id.is_some_and(|parent| self.open.contains_key(&parent));
            if !waits && !self.known.contains(&id) {
                self.open_shard(&id, (ShardIteratorType::TrimHorizon, None)).await?;
                self.known.insert(id);
            }
        }
        Ok(())
    }

    /// Returns all shards of the stream, parents before their children.
    async fn shards(&self) -> Result<Vec<stream::Shard>> {
        let (mut shards, mut after) = (vec![], None);
        loop {
            let request = self.client.describe_stream().stream_arn(&self.arn).set_exclusive_start_shard_id(after);
            let stream = request.send().await?.stream_description.context("DescribeStream returned no description")?;
            shards.extend(stream.shards.unwrap_or_default());
            after = stream.last_evaluated_shard_id;
            if after.is_none() {
                return Ok(shards);
            }
        }
    }

    /// Opens a shard at a position, or opens it again.
    async fn open_shard(&mut self, id: &str, position: Position) -> Result<()> {
        let (kind, last) = position.clone();
        let request = self.client.get_shard_iterator().stream_arn(&self.arn).shard_id(id);
        let answer = request.shard_iterator_type(kind).set_sequence_number(last).send().await?;
        let iterator = answer.shard_iterator.context("GetShardIterator returned no iterator")?;
        self.open.insert(id.to_owned(), Shard { iterator, position });
        Ok(())
    }

    /// Reads each open shard once.
    async fn read(&mut self) -> Result<()> {
        for id in self.open.keys().cloned().collect::<Vec<_>>() {
            let Some(shard) = self.open.get_mut(&id) else { continue };
            let answer = match self.client.get_records().shard_iterator(&shard.iterator).send().await {
                Ok(answer) => answer,
                Err(error) if error.as_service_error().is_some_and(GetRecordsError::is_expired_iterator_exception) => {
                    let position = shard.position.clone();
                    self.open_shard(&id, position).await?;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let records = answer.records.unwrap_or_default();
            if let Some(last) = records.last().and_then(|record| record.dynamodb()?.sequence_number()) {
                shard.position = (ShardIteratorType::AfterSequenceNumber, Some(last.to_owned()));
            }
            self.log.append(records);
            match answer.next_shard_iterator {
                Some(iterator) => shard.iterator = iterator,
                None => drop(self.open.remove(&id)),
            }
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

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use axum::http::{HeaderMap, StatusCode};
    use axum::{Json, Router, routing::post};
    use serde_json::{Value, json};

    use super::*;
    use crate::listener;

    /// A stream with several shards. Each record has its position in the shard as the sequence
    /// number.
    #[derive(Default)]
    struct Stream {
        /// The id of each shard, its parent, its records, and whether it has ended.
        shards: Vec<(&'static str, &'static str, Vec<&'static str>, bool)>,
        /// The error of the next `GetRecords`.
        error: Option<(u16, &'static str)>,
    }

    impl Stream {
        fn answer(&mut self, operation: &str, request: &Value) -> (StatusCode, Json<Value>) {
            let records_of = |id: &str| self.shards.iter().find(|shard| shard.0 == id).unwrap();
            let answer = match operation {
                "DescribeTable" => json!({"Table": {"LatestStreamArn": "arn"}}),
                "DescribeStream" => {
                    let shards =
                        self.shards.iter().map(|(id, parent, ..)| json!({"ShardId": id, "ParentShardId": parent}));
                    json!({"StreamDescription": {"Shards": shards.collect::<Vec<_>>()}})
                }
                "GetShardIterator" => {
                    let id = request["ShardId"].as_str().unwrap();
                    let position = match request["ShardIteratorType"].as_str().unwrap() {
                        "LATEST" => records_of(id).2.len().to_string(),
                        "TRIM_HORIZON" => "0".to_owned(),
                        _ => request["SequenceNumber"].as_str().unwrap().to_owned(),
                    };
                    json!({"ShardIterator": format!("{id}/{position}")})
                }
                _ => {
                    if let Some((status, name)) = self.error.take() {
                        return (StatusCode::from_u16(status).unwrap(), Json(json!({"__type": name})));
                    }
                    let (id, position) = request["ShardIterator"].as_str().unwrap().split_once('/').unwrap();
                    let (_, _, all, ended) = records_of(id);
                    let new = all.iter().enumerate().skip(position.parse().unwrap());
                    let records = new.map(|(index, pk)| {
                        json!({"dynamodb": {"Keys": {"pk": {"S": pk}}, "SequenceNumber": (index + 1).to_string()}})
                    });
                    let next = (!ended).then(|| format!("{id}/{}", all.len()));
                    json!({"Records": records.collect::<Vec<_>>(), "NextShardIterator": next})
                }
            };
            (StatusCode::OK, Json(answer))
        }
    }

    /// Opens a reader of a stream.
    async fn reader(stream: &Arc<Mutex<Stream>>) -> Reader {
        let listener = listener::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
        let url = listener::url(&listener).unwrap();
        let stream = stream.clone();
        let answer = post(async move |headers: HeaderMap, body: String| {
            let operation = headers["x-amz-target"].to_str().unwrap().rsplit('.').next().unwrap();
            stream.lock().unwrap().answer(operation, &serde_json::from_str(&body).unwrap())
        });
        tokio::spawn(async move { axum::serve(listener, Router::new().route("/", answer)).await });
        Reader::open(&ExternalDynamoDb::new(&url).unwrap(), "things", Arc::default()).await.unwrap()
    }

    /// Returns the keys of the records in the log.
    fn keys(reader: &Reader) -> Vec<String> {
        let records = reader.log.read("", 100).unwrap();
        let key =
            |record: &get_records::Record| serde_json::to_value(&record.dynamodb.keys["pk"]).unwrap()["S"].clone();
        records.iter().map(|record| key(record).as_str().unwrap().to_owned()).collect()
    }

    #[tokio::test]
    async fn a_reader_skips_older_records_and_reads_a_parent_before_its_children() {
        let shards = vec![("a", "", vec!["old"], true), ("b", "a", vec!["old too"], false)];
        let stream = Arc::new(Mutex::new(Stream { shards, error: None }));
        let mut reader = reader(&stream).await;
        {
            let mut stream = stream.lock().unwrap();
            stream.shards[1].2.push("first");
            stream.shards[1].3 = true;
            stream.shards.push(("c", "b", vec!["second"], false));
        }
        reader.discover().await.unwrap();
        reader.read().await.unwrap();
        assert_eq!(keys(&reader), ["first"], "a shard waits for its parent");
        reader.discover().await.unwrap();
        reader.read().await.unwrap();
        assert_eq!(keys(&reader), ["first", "second"]);
    }

    #[tokio::test]
    async fn a_reader_loses_and_repeats_no_record_when_a_read_fails() {
        let stream = Arc::new(Mutex::new(Stream { shards: vec![("a", "", vec![], false)], error: None }));
        let mut reader = reader(&stream).await;
        let mut expected = vec![];
        let failures = [(400, "ResourceNotFoundException"), (400, "ExpiredIteratorException")];
        for (pk, error) in ["first", "second"].into_iter().zip(failures) {
            {
                let mut stream = stream.lock().unwrap();
                stream.shards[0].2.push(pk);
                stream.error = Some(error);
            }
            assert_eq!(reader.read().await.is_ok(), error.1 == "ExpiredIteratorException", "{error:?}");
            assert_eq!(keys(&reader), expected);
            reader.read().await.unwrap();
            expected.push(pk);
            assert_eq!(keys(&reader), expected);
        }
    }
}
