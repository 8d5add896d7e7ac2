//! The event source mappings of template.yaml, in virtual time.
//!
//! A stream has several shards, one for each partition of its table. Each mapping reads each shard
//! [4 times a second](https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html) and divides the
//! records of a shard among its [concurrent
//! batches](https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html)
//! by their keys. A batch is delivered with Lambda's retries and splitting, by the local stack's
//! own code. AWS does not document how keys are divided; here a hash decides, for the shards too.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Result;
use axum::body::Bytes;
use dynoxide::Database;
use local::lambda::runtime::MAX_PAYLOAD_BYTES;
use local::services::outbox::Outbox;
use local::streams::delivery::Delivery;
use local::streams::record::Record;
use local::streams::source::Source;
use local::template::{EventSourceMapping, Template};
use tokio::sync::Notify;
use tokio::task::spawn_local;
use tokio::time::sleep;

use crate::lambda::Functions;

/// The running mappings.
pub(crate) struct Streams(Vec<Rc<Reader>>);

/// A mapping, with the records that it has not delivered yet.
struct Reader {
    function: String,
    mapping: EventSourceMapping,
    source: Source,
    position: RefCell<String>,
    lanes: Vec<Lane>,
    /// The number of records that were read and are not processed.
    left: Cell<usize>,
}

/// The records of one batch after the other.
#[derive(Default)]
struct Lane {
    /// The records that are in the shard and that the mapping has not read.
    unread: RefCell<VecDeque<Record>>,
    read: RefCell<VecDeque<Record>>,
    has_read: Notify,
}

impl Streams {
    /// Starts all mappings on the current task set. The streams have this number of shards each,
    /// and each shard is read once in a `poll_interval`.
    pub(crate) fn start(
        template: &Template,
        database: &Database,
        functions: &Rc<Functions>,
        shards: usize,
        poll_interval: Duration,
    ) -> Result<Self> {
        let mut readers = vec![];
        for function in &template.functions {
            for mapping in &function.mappings {
                let source = Source::new(database.clone(), mapping)?;
                let reader = Rc::new(Reader {
                    function: function.name.clone(),
                    mapping: mapping.clone(),
                    position: RefCell::new(source.end.clone()),
                    source,
                    lanes: (0..shards * mapping.parallelization).map(|_| Lane::default()).collect(),
                    left: Cell::new(0),
                });
                let pause = poll_interval / u32::try_from(shards)?;
                for shard in 0..shards {
                    spawn_local(Rc::clone(&reader).poll(shard, poll_interval, pause * u32::try_from(shard)?));
                }
                for lane in 0..reader.lanes.len() {
                    spawn_local(Rc::clone(&reader).deliver(lane, Rc::clone(functions)));
                }
                readers.push(reader);
            }
        }
        Ok(Self(readers))
    }

    /// Returns whether all records are processed.
    pub(crate) fn is_idle(&self) -> Result<bool> {
        for reader in &self.0 {
            reader.read()?;
        }
        Ok(self.0.iter().all(|reader| reader.left.get() == 0))
    }
}

impl Reader {
    /// Reads the new records of the engine, which has all shards in one.
    fn read(&self) -> Result<()> {
        loop {
            let position = self.position.borrow().clone();
            let (last, records) = self.source.read_all(&position, self.lanes.len(), &self.mapping.filters)?;
            if last == position {
                return Ok(());
            }
            self.position.replace(last);
            for (lane, record) in records {
                self.left.set(self.left.get() + 1);
                self.lanes[lane].unread.borrow_mut().push_back(record);
            }
        }
    }

    /// Reads a shard again and again, the first time after `pause`.
    async fn poll(self: Rc<Self>, shard: usize, interval: Duration, pause: Duration) {
        sleep(pause).await;
        loop {
            self.read().expect("the engine has the stream");
            let lanes = shard * self.mapping.parallelization..(shard + 1) * self.mapping.parallelization;
            for lane in &self.lanes[lanes] {
                lane.read.borrow_mut().append(&mut lane.unread.borrow_mut());
                lane.has_read.notify_one();
            }
            sleep(interval).await;
        }
    }

    /// Delivers the records of a lane, one batch after the other.
    async fn deliver(self: Rc<Self>, lane: usize, functions: Rc<Functions>) {
        let outbox = Outbox::default();
        let delivery = Delivery {
            mapping: &self.mapping,
            function: &self.function,
            shard: &format!("shard-{}", lane / self.mapping.parallelization),
            outbox: &outbox,
        };
        let invoke = |batch: Bytes| {
            let (functions, name) = (&functions, &self.function);
            async move { functions.invoke(name, &batch).await }
        };
        let lane = &self.lanes[lane];
        loop {
            let is_empty = lane.read.borrow().is_empty();
            if is_empty {
                lane.has_read.notified().await;
                continue;
            }
            let batch = lane.batch(self.mapping.batch_size);
            let records = batch.len();
            delivery.deliver(batch, invoke, |_| {}).await;
            self.left.set(self.left.get() - records);
        }
    }
}

impl Lane {
    /// Takes the next batch, which has at least one record.
    fn batch(&self, max_records: usize) -> Vec<Record> {
        let mut read = self.read.borrow_mut();
        let mut bytes = 0;
        let fits = |record: &&Record| {
            bytes += record.size();
            bytes <= MAX_PAYLOAD_BYTES
        };
        let records = read.iter().take(max_records).take_while(fits).count().max(1);
        read.drain(..records).collect()
    }
}
