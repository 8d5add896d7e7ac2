//! Stream records in the form that a function gets.

use axum::body::Bytes;
use time::OffsetDateTime;

/// The size of an event without records: `{"Records":[]}`.
pub(super) const EMPTY_EVENT_BYTES: usize = 14;

/// A record of a stream.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// Its position in the stream. All sequence numbers have the same length, so they are ordered
    /// as text.
    pub(super) sequence_number: String,
    /// The time of the write.
    pub(super) created: OffsetDateTime,
    /// The record as the function gets it, in JSON.
    pub(super) json: String,
}

impl Record {
    /// Returns the size of the record in an event, including the comma.
    pub(super) fn size(&self) -> usize {
        self.json.len() + 1
    }
}

/// Returns the event of these records: `{"Records": […]}`.
pub(super) fn event(records: &[Record]) -> Bytes {
    let records: Vec<_> = records.iter().map(|record| record.json.as_str()).collect();
    format!(r#"{{"Records":[{}]}}"#, records.join(",")).into()
}
