//! DynamoDB Streams: delivers the records of the tables' streams to functions, as the [event source
//! mappings](https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html) of Lambda do.
//!
//! Each mapping delivers one batch at a time, in the order of the stream. The next batch follows
//! when all records of the previous one are processed or given up. Records that match no filter are
//! skipped and are part of no batch. With a `ParallelizationFactor`, a mapping has that number of
//! lanes, each of which delivers a batch at a time. All records of an item are in one lane, so they
//! [stay in
//! order](https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html),
//! and no others do. There are four differences from AWS:
//!
//! - A mapping starts with the first record that is written after the stack has filled the tables,
//!   although its `StartingPosition` is `TRIM_HORIZON`. The items of `--items` have stream records
//!   too, and every function would get them as new. With a data directory, a mapping continues from
//!   its checkpoint.
//! - AWS does not document how the items are divided among the lanes. Here the hash of the key
//!   decides.
//! - A stream has one shard, and its records never expire. On AWS they expire after 24 hours,
//!   processed or not.
//! - The stack polls a stream 40 times a second for all of its mappings, AWS 4 times a second for
//!   each.

mod checkpoints;
mod delivery;
mod end_poller;
mod poller;
mod record;
mod record_publisher;
mod source;

use std::{collections::BTreeMap, path::Path, sync::Arc};

use anyhow::Result;
use dynoxide::Database;
use futures_util::future::join_all;
use tokio::{
    sync::{mpsc, oneshot, watch},
    task::JoinSet,
};

use self::{
    checkpoints::{Checkpoints, Lanes},
    end_poller::poll_end,
    poller::Poller,
    record_publisher::RecordPublisher,
    source::{Lane, Source},
};
use crate::activity::Activity;
use crate::lambda::runtime::Invoke;
use crate::services::outbox::Outbox;
use crate::template::{EventSourceMapping, Template};

/// The running event source mappings of a template.
#[derive(Default)]
pub(crate) struct Streams {
    pollers: JoinSet<()>,
    /// The sequence numbers of the last records of the streams, by table.
    ends: BTreeMap<String, watch::Receiver<String>>,
    /// Sends requests to the pollers. A poller answers one when its stream has no more records,
    /// with the number of records that it has read so far.
    idle_requests: Vec<mpsc::UnboundedSender<oneshot::Sender<u64>>>,
}

impl Streams {
    /// Starts all mappings. With a data directory, their checkpoints are kept there. The records
    /// are published in `activity`.
    pub(crate) fn start(
        template: &Template,
        database: &Database,
        invoke: &Arc<Invoke>,
        outbox: &Arc<Outbox>,
        activity: &Arc<Activity>,
        data_dir: Option<&Path>,
    ) -> Result<Self> {
        let checkpoints = Arc::new(Checkpoints::open(data_dir)?);
        let mut streams = Self::default();
        for function in &template.functions {
            for mapping in &function.mappings {
                streams.add(&function.name, mapping.clone(), database, outbox, checkpoints.clone(), invoke)?;
            }
        }
        streams.publish(template, database, activity)?;
        Ok(streams)
    }

    /// Publishes the records of all streams that functions read.
    fn publish(&mut self, template: &Template, database: &Database, activity: &Arc<Activity>) -> Result<()> {
        let mut by_table = BTreeMap::<_, Vec<_>>::new();
        for function in &template.functions {
            for mapping in &function.mappings {
                let of_table = by_table.entry(mapping.table.clone()).or_default();
                of_table.push((function.name.clone(), mapping.clone()));
            }
        }
        for (table, mappings) in by_table {
            let source = Source::new(database.clone(), &mappings[0].1)?;
            if !source.exists {
                let names: Vec<_> = mappings.iter().map(|(function, _)| function.as_str()).collect();
                let waiting = format!("{table} has no stream, so {} do not run until it has one", names.join(" and "));
                terminal::log("streams", &waiting);
            }
            let end = self.end(&table, &source);
            self.pollers.spawn(RecordPublisher { table, source, end, mappings, watched: activity.source() }.run());
        }
        Ok(())
    }

    /// Returns the sequence number of the last record of a stream, and starts to poll the stream
    /// unless it is polled already.
    fn end(&mut self, table: &str, source: &Source) -> watch::Receiver<String> {
        let start = || {
            let (end, receiver) = watch::channel(source.end.clone());
            self.pollers.spawn(poll_end(table.to_owned(), source.clone(), end));
            receiver
        };
        self.ends.entry(table.to_owned()).or_insert_with(start).clone()
    }

    /// Starts one mapping.
    fn add(
        &mut self,
        function: &str,
        mapping: EventSourceMapping,
        database: &Database,
        outbox: &Arc<Outbox>,
        checkpoints: Arc<Checkpoints>,
        invoke: &Arc<Invoke>,
    ) -> Result<()> {
        let source = Source::new(database.clone(), &mapping)?;
        let name = format!("{}/{function}", mapping.table);
        let position = checkpoints.get(&name).unwrap_or_else(|| {
            // Without a checkpoint, a stack that starts after this one was killed would skip the
            // first batch.
            checkpoints.set(&name, &source.end);
            source.end.clone()
        });
        let lanes = mapping.parallelization;
        let end = self.end(&mapping.table, &source);
        let mapping = Arc::new(mapping);
        let positions = Arc::new(Lanes::new(checkpoints, name, &position, lanes));
        for index in 0..lanes {
            let (send, idle_requests) = mpsc::unbounded_channel();
            self.idle_requests.push(send);
            let poller = Poller {
                function: function.to_owned(),
                invoke: invoke.clone(),
                mapping: mapping.clone(),
                source: source.clone(),
                end: end.clone(),
                outbox: outbox.clone(),
                lane: Lane { index, lanes },
                positions: positions.clone(),
                idle_requests,
                position: position.clone(),
                seen: 0,
            };
            self.pollers.spawn(poller.run());
        }
        Ok(())
    }

    /// Waits until every mapping has processed its stream, including the records that its functions
    /// caused.
    pub(crate) async fn idle(&self) {
        let mut before = None;
        loop {
            let seen = join_all(self.idle_requests.iter().map(|requests| async {
                let (answer, answered) = oneshot::channel();
                let _ = requests.send(answer);
                answered.await.unwrap_or_default()
            }))
            .await;
            // Each mapping was idle at two moments, and none has read a record in between, so all
            // were idle at once.
            if before.as_ref() == Some(&seen) {
                return;
            }
            before = Some(seen);
        }
    }

    /// Stops all mappings. With a data directory, the next stack delivers interrupted batches
    /// again.
    pub(crate) async fn shutdown(mut self) {
        self.pollers.shutdown().await;
    }
}

#[cfg(test)]
mod tests;
