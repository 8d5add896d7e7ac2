//! The jobs of a process: lets each work on the batches of the stream, and on those of its queue.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::join_all;
use shared::changes::{Context, Unfinished, run};
use shared::runtime::stream::{Batch, Failure, Record};
use shared::{Error, Process, StartError};
use tokio::time::Instant;

use crate::process_changes::job::Job;
use crate::process_changes::queues::Queues;

/// The time that each job has for a batch of the stream. What it does not finish goes on from its
/// queue.
const STREAM_TIMEOUT: Duration = Duration::from_secs(2);
/// The time for which the records of a job that has used up [`STREAM_TIMEOUT`] go to its queue at
/// once. So a job that hangs delays the others by 2 s in each of these periods, and not with each
/// batch.
const HANG_PAUSE: Duration = Duration::from_mins(1);

/// The jobs of a process.
pub(crate) struct Jobs {
    queues: Queues,
    /// The time that each job has for a batch of the stream.
    timeout: Duration,
    /// The time up to which the records of each job go to its queue at once.
    paused: [Cell<Option<Instant>>; Job::ALL.len()],
}

impl Jobs {
    pub(crate) fn from_process(process: &Process) -> Result<Self, StartError> {
        Ok(Self::new(Queues::from_process(process)?, STREAM_TIMEOUT))
    }

    pub(crate) fn new(queues: Queues, timeout: Duration) -> Self {
        Self { queues, timeout, paused: Default::default() }
    }

    /// Does what follows from a batch. Returns the records that have to come again: those that no
    /// job and no queue has taken.
    pub(crate) async fn process(&self, context: &Context, batch: Batch) -> Vec<Failure> {
        let Batch { records, queue_arn, deadline } = batch;
        let Some(queue_arn) = queue_arn else {
            let jobs = Job::ALL.into_iter().filter(|job| self.queues.has(*job));
            let failures = join_all(jobs.map(|job| self.process_from_stream(context, job, &records))).await;
            return failures.into_iter().flatten().collect();
        };
        let Some(job) = self.queues.job_of(&queue_arn) else {
            let ids = records.into_iter().map(|record| record.id).collect();
            return vec![Failure { ids, error: Error::internal(format!("no job has the queue {queue_arn}")) }];
        };
        job.process(context, &records, deadline).await
    }

    /// Lets a job work on a batch of the stream, and hands over to its queue what it does not
    /// finish.
    async fn process_from_stream(&self, context: &Context, job: Job, records: &[Record]) -> Vec<Failure> {
        let work = job.work(context, records);
        let (begin, paused) = (Instant::now(), &self.paused[job as usize]);
        let deadline = if paused.get().is_some_and(|until| begin < until) { begin } else { begin + self.timeout };
        let unfinished = run(work, deadline).await;
        if deadline > begin && Instant::now() >= deadline {
            paused.set(Some(deadline + HANG_PAUSE));
        }
        let (mut left, mut causes) = (vec![], BTreeMap::new());
        for Unfinished { ids, error } in unfinished {
            if let Some(error) = error {
                *causes.entry(error.causes()).or_insert(0) += ids.len();
            }
            left.extend(records.iter().filter(|record| ids.contains(&record.id)));
        }
        for (cause, records) in causes {
            tracing::warn!(job = ?job, records, cause, "left to the queue");
        }
        self.queues.send(job, &left).await
    }
}
