//! Reads the stream of a table, which has one shard. A stream that does not exist is empty: its
//! table may be created later, and the position stays valid when a table is deleted and created
//! again, because sequence numbers grow.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use anyhow::{Context as _, Result};
use dynoxide::{
    Database, DynoxideError,
    actions::{get_records, get_shard_iterator::GetShardIteratorRequest},
    streams::shard_id,
};
use serde_json::{Value, json};
use time::OffsetDateTime;
use tokio::task::spawn_blocking;

use crate::streams::record::Record;
use crate::template::EventSourceMapping;
use crate::template::cloudformation::REGION;
use crate::template::filter::{self, Pattern};

/// The maximum number of records that one
/// [`GetRecords`](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_GetRecords.html)
/// returns.
pub(super) const MAX_READ_RECORDS: usize = 1000;

/// A part of a stream: all records of some of the items. The lanes of a mapping are delivered
/// independently.
#[derive(Clone, Copy)]
pub(super) struct Lane {
    pub(super) index: usize,
    pub(super) lanes: usize,
}

impl Lane {
    /// Returns whether the records of the item with this key are in the lane.
    fn has(self, keys: &dynoxide::Item) -> bool {
        if self.lanes == 1 {
            return true;
        }
        let mut hasher = DefaultHasher::new();
        for (name, value) in keys.iter().collect::<BTreeMap<_, _>>() {
            (name, format!("{value:?}")).hash(&mut hasher);
        }
        hasher.finish() % self.lanes as u64 == self.index as u64
    }
}

/// The stream of a table.
#[derive(Clone)]
pub(super) struct Source {
    database: Database,
    /// The ARN that functions see. It differs from the engine's ARN, of which the engine reads only
    /// the table name.
    arn: String,
    /// The id of the shard.
    pub(super) shard: String,
    /// The sequence number of the last record when this value was created; empty if there was none.
    pub(super) end: String,
    /// Whether there was a stream when this value was created.
    pub(super) exists: bool,
}

impl Source {
    /// Opens the stream of a mapping.
    pub(super) fn new(database: Database, mapping: &EventSourceMapping) -> Result<Self> {
        let (arn, shard) = (mapping.stream_arn.clone(), shard_id(&mapping.table));
        let mut source = Self { database, arn, shard, end: String::new(), exists: false };
        let end = source.end().with_context(|| format!("stream of table {}", mapping.table))?;
        source.exists = end.is_some();
        source.end = end.unwrap_or_default();
        Ok(source)
    }

    /// Returns the sequence number of the last record; empty if there is none. Returns `None` if
    /// there is no stream.
    fn end(&self) -> Result<Option<String>> {
        let request = serde_json::from_value(json!({"StreamArn": self.arn}))?;
        let description = match self.database.describe_stream(request) {
            Err(DynoxideError::ResourceNotFoundException(_)) => return Ok(None),
            description => description?.stream_description,
        };
        let shard = description.shards.into_iter().next().context("the stream has no shard")?;
        Ok(Some(shard.sequence_number_range.ending_sequence_number.unwrap_or_default()))
    }

    /// Returns the sequence number of the last record at this moment; empty if there is none.
    pub(super) async fn last(&self) -> Result<String> {
        let source = self.clone();
        Ok(spawn_blocking(move || source.end()).await??.unwrap_or_default())
    }

    /// Returns the sequence number of a later record than `position`, or `position` if there is
    /// none.
    pub(super) async fn advance(&self, position: &str) -> Result<String> {
        let (source, position) = (self.clone(), position.to_owned());
        let read = move || {
            let records = source.get_records(position.clone(), MAX_READ_RECORDS)?;
            Ok(records.into_iter().last().map_or(position, |record| record.dynamodb.sequence_number))
        };
        spawn_blocking(read).await?
    }

    /// Reads the next records after the sequence number `position`, as functions get them in JSON,
    /// whatever their filters are. Returns each with its sequence number.
    pub(super) async fn read_json(&self, position: &str) -> Result<Vec<(String, Value)>> {
        let (source, position) = (self.clone(), position.to_owned());
        let records = spawn_blocking(move || source.get_records(position, MAX_READ_RECORDS)).await??;
        let numbered = |record: get_records::Record| Ok((record.dynamodb.sequence_number.clone(), self.json(record)?));
        records.into_iter().map(numbered).collect()
    }

    /// Reads the next records after the sequence number `position`, or from the beginning if it is
    /// empty. Returns the sequence number of each record and, if it is in the lane and matches the
    /// filters, the record.
    pub(super) async fn read(
        &self,
        position: &str,
        limit: usize,
        lane: Lane,
        filters: &[Pattern],
    ) -> Result<Vec<(String, Option<Record>)>> {
        let (source, position) = (self.clone(), position.to_owned());
        // The engine processes one request at a time, so this call may block.
        let records = spawn_blocking(move || source.get_records(position, limit)).await??;
        records.into_iter().map(|record| self.record(record, lane, filters)).collect()
    }

    fn get_records(&self, position: String, limit: usize) -> Result<Vec<get_records::Record>> {
        let (kind, sequence_number) =
            if position.is_empty() { ("TRIM_HORIZON", None) } else { ("AFTER_SEQUENCE_NUMBER", Some(position)) };
        let request = GetShardIteratorRequest {
            stream_arn: self.arn.clone(),
            shard_id: self.shard.clone(),
            shard_iterator_type: kind.to_owned(),
            sequence_number,
        };
        let shard_iterator = match self.database.get_shard_iterator(request) {
            Err(DynoxideError::ResourceNotFoundException(_)) => return Ok(vec![]),
            iterator => iterator?.shard_iterator.unwrap_or_default(),
        };
        let request = get_records::GetRecordsRequest { shard_iterator, limit: Some(limit) };
        Ok(self.database.get_records(request)?.records)
    }

    /// Converts a record into the form that
    /// [Lambda](https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html) sends.
    fn json(&self, record: get_records::Record) -> Result<Value> {
        let mut json = serde_json::to_value(record)?;
        json["awsRegion"] = Value::from(REGION);
        json["eventSourceARN"] = Value::from(self.arn.as_str());
        Ok(json)
    }

    /// Returns the sequence number of a record and, if it is in the lane and matches the filters,
    /// the record.
    fn record(&self, record: get_records::Record, lane: Lane, filters: &[Pattern]) -> Result<(String, Option<Record>)> {
        let sequence_number = record.dynamodb.sequence_number.clone();
        if !lane.has(&record.dynamodb.keys) {
            return Ok((sequence_number, None));
        }
        #[allow(clippy::cast_possible_truncation)] // seconds since 1970
        let created = record.dynamodb.approximate_creation_date_time as i64;
        let json = self.json(record)?;
        if !filter::any_matches(filters, &json) {
            return Ok((sequence_number, None));
        }
        let created = OffsetDateTime::from_unix_timestamp(created)?;
        let record = Record { sequence_number: sequence_number.clone(), created, json: json.to_string() };
        Ok((sequence_number, Some(record)))
    }
}
