//! A table's stream in the engine. It has one shard.

use dynoxide::{
    Database, DynoxideError,
    actions::{get_records, get_shard_iterator::GetShardIteratorRequest},
};
use serde_json::{Value, json};
use time::OffsetDateTime;
use tokio::task::spawn_blocking;

use super::batch::Record;
use crate::template::Mapping;
use crate::template::cloudformation::REGION;
use crate::template::filter::Pattern;

/// The most that one
/// [`GetRecords`](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_GetRecords.html) returns.
pub(super) const MAX_GET_KEYS: usize = 1000;

/// A stream.
#[derive(Clone)]
pub(super) struct Source {
    database: Database,
    /// The ARN that functions see. The engine has another one, but looks only for the table's name in it.
    arn: String,
    /// The shard.
    pub(super) shard: String,
    /// The last record when this was made; empty if there was none.
    pub(super) end: String,
}

impl Source {
    /// The stream of a mapping's table.
    pub(super) fn new(database: Database, mapping: &Mapping) -> Result<Self, String> {
        let arn = mapping.stream_arn.clone();
        let description: Result<_, String> = (|| {
            let request = serde_json::from_value(json!({"StreamArn": arn})).map_err(|error| error.to_string())?;
            Ok(database.describe_stream(request).map_err(|error| error.to_string())?.stream_description)
        })();
        let description = description.map_err(|error| format!("stream of table {}: {error}", mapping.table))?;
        let shard = description.shards.into_iter().next();
        let shard = shard.ok_or_else(|| format!("stream of table {}: no shard", mapping.table))?;
        let end = shard.sequence_number_range.ending_sequence_number.unwrap_or_default();
        Ok(Self { database, arn, shard: shard.shard_id, end })
    }

    /// The next records after `position`; from the beginning if it is empty. Those that no filter matches have no
    /// content.
    pub(super) async fn read(
        &self,
        position: &str,
        limit: usize,
        filters: &[Pattern],
    ) -> Result<Vec<(String, Option<Record>)>, String> {
        let (source, position) = (self.clone(), position.to_owned());
        // The engine works one request at a time, and this one may have to wait.
        let records = spawn_blocking(move || source.get_records(position, limit)).await;
        let records = records.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        records.into_iter().map(|record| self.record(record, filters)).collect()
    }

    fn get_records(&self, position: String, limit: usize) -> Result<Vec<get_records::Record>, DynoxideError> {
        let (kind, sequence_number) =
            if position.is_empty() { ("TRIM_HORIZON", None) } else { ("AFTER_SEQUENCE_NUMBER", Some(position)) };
        let request = GetShardIteratorRequest {
            stream_arn: self.arn.clone(),
            shard_id: self.shard.clone(),
            shard_iterator_type: kind.to_owned(),
            sequence_number,
        };
        let shard_iterator = self.database.get_shard_iterator(request)?.shard_iterator.unwrap_or_default();
        let request = get_records::GetRecordsRequest { shard_iterator, limit: Some(limit) };
        Ok(self.database.get_records(request)?.records)
    }

    /// A record as [Lambda](https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html) passes it on.
    fn record(&self, record: get_records::Record, filters: &[Pattern]) -> Result<(String, Option<Record>), String> {
        let sequence_number = record.dynamodb.sequence_number.clone();
        #[allow(clippy::cast_possible_truncation)] // seconds since 1970
        let created = record.dynamodb.approximate_creation_date_time as i64;
        let mut json = serde_json::to_value(record).map_err(|error| error.to_string())?;
        json["awsRegion"] = Value::from(REGION);
        json["eventSourceARN"] = Value::from(self.arn.as_str());
        if !filters.is_empty() && !filters.iter().any(|filter| filter.matches(&json)) {
            return Ok((sequence_number, None));
        }
        let created = OffsetDateTime::from_unix_timestamp(created).map_err(|error| error.to_string())?;
        let record = Record { sequence_number: sequence_number.clone(), created, json: json.to_string() };
        Ok((sequence_number, Some(record)))
    }
}
