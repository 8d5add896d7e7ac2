//! Publishes the records of a stream while somebody watches the activity of the stack. The
//! functions get their records from pollers of their own, so this delays none of them.

use std::time::SystemTime;

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::activity::{ActivitySource, epoch_ms};
use crate::streams::end_poller::ERROR_PAUSE;
use crate::streams::source::Source;
use crate::template::{EventSourceMapping, filter};

/// The publisher of the records of one stream.
pub(super) struct RecordPublisher {
    pub(super) table: String,
    pub(super) source: Source,
    /// Changes when the stream has grown.
    pub(super) end: watch::Receiver<String>,
    /// The mappings of the stream, with the names of their functions.
    pub(super) mappings: Vec<(String, EventSourceMapping)>,
    pub(super) watched: ActivitySource,
}

impl RecordPublisher {
    /// Publishes the records until the task is aborted.
    pub(super) async fn run(mut self) {
        loop {
            self.watched.watched().await;
            let mut position = match self.source.last().await {
                Ok(position) => position,
                Err(error) => {
                    self.failed(&error).await;
                    continue;
                }
            };
            self.watched.start();
            while self.watched.goes_on() {
                match self.source.read_json(&position).await {
                    Ok(records) if records.is_empty() => {
                        let _ = self.end.changed().await;
                    }
                    Ok(records) => {
                        for (sequence_number, record) in records {
                            self.publish(&record);
                            position = sequence_number;
                        }
                    }
                    Err(error) => self.failed(&error).await,
                }
            }
        }
    }

    fn publish(&self, record: &Value) {
        let activity = self.watched.activity();
        activity.publish(|| {
            let functions = self.mappings.iter().filter(|(_, mapping)| filter::any_matches(&mapping.filters, record));
            let functions = functions.map(|(name, _)| name);
            let change = &record["dynamodb"];
            json!({
                "type": "record",
                "table": self.table,
                "sequenceNumber": change["SequenceNumber"],
                "eventName": record["eventName"],
                "keys": change["Keys"],
                "old": change["OldImage"],
                "new": change["NewImage"],
                "writtenBy": activity.writers.of_record(&self.table, record).map(|trace| trace.to_string()),
                "time": epoch_ms(SystemTime::now()),
                "functions": functions.collect::<Vec<_>>(),
            })
        });
    }

    async fn failed(&self, error: &anyhow::Error) {
        terminal::log("streams", &format!("cannot read the stream of {}: {error:#}", self.table));
        sleep(ERROR_PAUSE).await;
    }
}
