//! The streams of the tables, handed to their functions as Lambda's
//! [event source mappings](https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html) do.
//!
//! Of each mapping, one batch is under way at a time, in the order of the stream: the next one only when all of a batch
//! is done or given up. Records that no filter matches are passed over before that, and are in no batch. What is as on
//! AWS, and what becomes of a batch that fails, stands at the pieces; what is not:
//!
//! - A mapping begins, whatever its `StartingPosition`, with what is written after the stack has filled the tables: the
//!   items of `--items` have stream records, and would be news to every function. With a data directory, it goes on
//!   where it was.
//! - A stream has one shard, and nothing falls off its end: on AWS, records are gone after a day, tried or not.
//! - Records come when they are written, not at a beat of four times a second.

mod batch;
mod checkpoints;
mod poller;
mod source;

use std::{path::Path, sync::Arc};

use axum::body::Bytes;
use dynoxide::Database;
use futures_util::future::join_all;
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinSet,
};

use self::{checkpoints::Checkpoints, poller::Poller, source::Source};
use crate::lambda::runtime::{Invocation, InvokeError, Runtime};
use crate::services::outbox::Outbox;
use crate::template::{Mapping, Template};

/// All mappings of a template.
pub struct Streams {
    pollers: JoinSet<()>,
    /// To each poller: tell when there is nothing left to do, by how many records you have seen.
    requests: Vec<mpsc::UnboundedSender<oneshot::Sender<u64>>>,
}

impl Streams {
    /// Starts reading. Where the tables are kept, the mappings' places are kept too.
    pub fn start(
        template: &Template,
        database: &Database,
        runtime: &Arc<Runtime>,
        outbox: &Arc<Outbox>,
        data_dir: Option<&Path>,
    ) -> Result<Self, String> {
        let checkpoints = Arc::new(Checkpoints::open(data_dir)?);
        let mut streams = Self { pollers: JoinSet::new(), requests: Vec::new() };
        for function in &template.functions {
            for mapping in &function.mappings {
                let (runtime, name) = (runtime.clone(), function.name.clone());
                let invoke = move |event| {
                    let (runtime, name) = (runtime.clone(), name.clone());
                    async move { runtime.invoke(&name, event).await }
                };
                streams.add(&function.name, mapping.clone(), database, outbox.clone(), checkpoints.clone(), invoke)?;
            }
        }
        Ok(streams)
    }

    /// Starts one mapping, whose function is called by `invoke`.
    fn add<I, F>(
        &mut self,
        function: &str,
        mapping: Mapping,
        database: &Database,
        outbox: Arc<Outbox>,
        checkpoints: Arc<Checkpoints>,
        invoke: I,
    ) -> Result<(), String>
    where
        I: Fn(Bytes) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Invocation, InvokeError>> + Send + 'static,
    {
        let source = Source::new(database.clone(), &mapping)?;
        let name = format!("{}/{function}", mapping.table);
        let position = checkpoints.get(&name).unwrap_or_else(|| {
            // Whoever is killed before the first batch is done has to find what was written meanwhile.
            checkpoints.set(&name, &source.end);
            source.end.clone()
        });
        let (send, requests) = mpsc::unbounded_channel();
        self.requests.push(send);
        let function = function.to_owned();
        let poller = Poller { name, function, mapping, source, outbox, checkpoints, requests, position, seen: 0 };
        self.pollers.spawn(poller.run(invoke));
        Ok(())
    }

    /// Returns when every mapping is through with all that was in its stream, and with what that brought about.
    pub async fn idle(&self) {
        let mut before = None;
        loop {
            let seen = join_all(self.requests.iter().map(|requests| async {
                let (tell, told) = oneshot::channel();
                let _ = requests.send(tell);
                told.await.unwrap_or_default()
            }))
            .await;
            // Nobody has seen anything between two moments at which each had nothing left: so nobody had in between.
            if before.as_ref() == Some(&seen) {
                return;
            }
            before = Some(seen);
        }
    }

    /// Stops reading. A batch that is under way comes again when the place is kept.
    pub async fn shutdown(mut self) {
        self.pollers.shutdown().await;
    }
}

#[cfg(test)]
mod tests;
