//! Reads the stream for one lane of a mapping: collects batches, delivers them, and keeps the
//! position.

use std::{mem, sync::Arc};

use tokio::{
    select,
    sync::{mpsc, oneshot, watch},
    time::sleep,
};

use crate::lambda::runtime::{Invoke, MAX_PAYLOAD_BYTES};
use crate::services::outbox::Outbox;
use crate::streams::checkpoints::Lanes;
use crate::streams::end_poller::ERROR_PAUSE;
use crate::streams::record::{EMPTY_EVENT_BYTES, Record};
use crate::streams::source::{Lane, MAX_READ_RECORDS, Source};
use crate::template::EventSourceMapping;

/// Reads the stream for one lane of a mapping.
pub(super) struct Poller {
    pub(super) function: String,
    pub(super) invoke: Arc<Invoke>,
    pub(super) mapping: Arc<EventSourceMapping>,
    pub(super) source: Source,
    /// Changes when the stream has grown.
    pub(super) end: watch::Receiver<String>,
    pub(super) outbox: Arc<Outbox>,
    pub(super) lane: Lane,
    /// The positions of all lanes of the mapping.
    pub(super) positions: Arc<Lanes>,
    /// Requests to answer with `seen` when the stream has no more records.
    pub(super) idle_requests: mpsc::UnboundedReceiver<oneshot::Sender<u64>>,
    /// The sequence number of the last record that was read.
    pub(super) position: String,
    /// The number of records that were read.
    pub(super) seen: u64,
}

/// A batch that is being collected.
struct Batch {
    records: Vec<Record>,
    bytes: usize,
    full: bool,
}

impl Batch {
    fn new() -> Self {
        Self { records: vec![], bytes: EMPTY_EVENT_BYTES, full: false }
    }
}

impl Poller {
    /// Reads the stream until the task is aborted.
    ///
    /// A batch [is delivered](https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html) when it
    /// is full, when another record would make the event too large, or when the stream has no more
    /// records.
    pub(super) async fn run(mut self) {
        let mut batch = Batch::new();
        let mut waiting = vec![];
        loop {
            while let Ok(request) = self.idle_requests.try_recv() {
                waiting.push(request);
            }
            let limit = MAX_READ_RECORDS.min(self.mapping.batch_size - batch.records.len());
            let read = match self.source.read(&self.position, limit, self.lane, &self.mapping.filters).await {
                Ok(read) => read,
                Err(error) => {
                    terminal::log(
                        &self.function,
                        &format!("cannot read the stream of {}: {error:#}", self.mapping.table),
                    );
                    sleep(ERROR_PAUSE).await;
                    continue;
                }
            };
            let (is_empty, is_end) = (read.is_empty(), read.len() < limit);
            self.take(&mut batch, read);
            if batch.records.is_empty() {
                if !is_empty {
                    self.positions.set(self.lane.index, &self.position);
                    continue;
                }
                for request in waiting.drain(..) {
                    let _ = request.send(self.seen);
                }
                select! {
                    Ok(()) = self.end.changed() => {}
                    Some(request) = self.idle_requests.recv() => waiting.push(request),
                }
                continue;
            }
            if batch.full || is_end {
                self.deliver(mem::replace(&mut batch, Batch::new()).records).await;
                // Records after the batch may have been skipped because they match no filter, or are
                // in another lane.
                self.positions.set(self.lane.index, &self.position);
            }
        }
    }

    /// Adds records to the batch until one does not fit.
    fn take(&mut self, batch: &mut Batch, read: Vec<(String, Option<Record>)>) {
        for (sequence_number, record) in read {
            if let Some(record) = record {
                let bytes = batch.bytes + record.size();
                if bytes > MAX_PAYLOAD_BYTES && !batch.records.is_empty() {
                    batch.full = true;
                    return;
                }
                batch.bytes = bytes;
                batch.records.push(record);
            }
            self.seen += 1;
            self.position = sequence_number;
        }
        batch.full = batch.records.len() == self.mapping.batch_size;
    }
}
