//! Reads the stream of one mapping: gathers batches, has them delivered, and keeps the place.

use std::{mem, sync::Arc, time::Duration};

use axum::body::Bytes;
use tokio::{
    select,
    sync::{mpsc, oneshot},
    time::{Instant, sleep},
};

use super::{
    batch::{self, Delivery, Record},
    checkpoints::Checkpoints,
    source::{MAX_GET_KEYS, Source},
};
use crate::lambda::runtime::{Invocation, InvokeError, MAX_PAYLOAD};
use crate::net;
use crate::services::outbox::Outbox;
use crate::template::Mapping;

/// How long to wait before the next look at a stream that has nothing new. A look takes about 20 µs.
const POLL: Duration = Duration::from_millis(25);

/// How long to wait after the engine has failed.
const TROUBLE: Duration = Duration::from_secs(1);

pub(super) struct Poller {
    /// The mapping's name among the checkpoints.
    pub(super) name: String,
    pub(super) function: String,
    pub(super) mapping: Mapping,
    pub(super) source: Source,
    pub(super) outbox: Arc<Outbox>,
    pub(super) checkpoints: Arc<Checkpoints>,
    /// Who wants to know when there is nothing left to do.
    pub(super) requests: mpsc::UnboundedReceiver<oneshot::Sender<u64>>,
    /// The last record that was read.
    pub(super) position: String,
    /// How many records were read.
    pub(super) seen: u64,
}

/// A batch that is being gathered.
struct Batch {
    records: Vec<Record>,
    bytes: usize,
    /// When it has waited long enough, from its first record on.
    due: Option<Instant>,
    full: bool,
}

impl Batch {
    fn new() -> Self {
        Self { records: vec![], bytes: batch::ENVELOPE, due: None, full: false }
    }
}

impl Poller {
    /// Goes on until it is aborted.
    ///
    /// A batch [goes out](https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html) when it is full, when another
    /// record would make the event too large, or when its window closes; without a window, when the stream has no more.
    pub(super) async fn run<I, F>(mut self, invoke: I)
    where
        I: Fn(Bytes) -> F,
        F: Future<Output = Result<Invocation, InvokeError>>,
    {
        let mut batch = Batch::new();
        let mut asked = vec![];
        loop {
            while let Ok(request) = self.requests.try_recv() {
                asked.push(request);
            }
            let limit = MAX_GET_KEYS.min(self.mapping.batch_size - batch.records.len());
            let read = match self.source.read(&self.position, limit, &self.mapping.filters).await {
                Ok(read) => read,
                Err(error) => {
                    net::log(&self.function, &format!("cannot read the stream of {}: {error}", self.mapping.table));
                    sleep(TROUBLE).await;
                    continue;
                }
            };
            let (nothing, is_end) = (read.is_empty(), read.len() < limit);
            self.take(&mut batch, read);
            if batch.records.is_empty() {
                if !nothing {
                    self.checkpoints.set(&self.name, &self.position);
                    continue;
                }
                for request in asked.drain(..) {
                    let _ = request.send(self.seen);
                }
                select! {
                    () = sleep(POLL) => {}
                    Some(request) = self.requests.recv() => asked.push(request),
                }
                continue;
            }
            let left = batch.due.map_or(Duration::ZERO, |due| due.saturating_duration_since(Instant::now()));
            if batch.full || (is_end && left.is_zero()) {
                self.deliver(mem::replace(&mut batch, Batch::new()).records, &invoke).await;
            } else if is_end {
                sleep(left.min(POLL)).await;
            }
        }
    }

    /// Puts what was read into the batch, up to the record that has no room any more.
    fn take(&mut self, batch: &mut Batch, read: Vec<(String, Option<Record>)>) {
        for (sequence_number, record) in read {
            if let Some(record) = record {
                let bytes = batch.bytes + batch::size(&record);
                if bytes > MAX_PAYLOAD && !batch.records.is_empty() {
                    batch.full = true;
                    return;
                }
                batch.bytes = bytes;
                batch.due.get_or_insert_with(|| Instant::now() + self.mapping.window);
                batch.records.push(record);
            }
            self.seen += 1;
            self.position = sequence_number;
        }
        batch.full = batch.records.len() == self.mapping.batch_size;
    }

    async fn deliver<I, F>(&self, records: Vec<Record>, invoke: &I)
    where
        I: Fn(Bytes) -> F,
        F: Future<Output = Result<Invocation, InvokeError>>,
    {
        let delivery = Delivery {
            mapping: &self.mapping,
            function: &self.function,
            shard: &self.source.shard,
            outbox: &self.outbox,
        };
        let settled = |record: &Record| self.checkpoints.set(&self.name, &record.sequence_number);
        delivery.deliver(records, invoke, settled).await;
        // Perhaps past records that no filter matches.
        self.checkpoints.set(&self.name, &self.position);
    }
}
