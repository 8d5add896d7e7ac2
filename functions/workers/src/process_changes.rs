//! Stream of the table `quick-photos`: does what follows from a change of the table, in jobs that
//! do not wait for each other.
//!
//! A job calls the `changes.rs` of the nouns, which have the requests:
//!
//! - The counts include the [comments](comments::changes), [reactions](reactions::changes) and
//!   [friendships](follows::changes) of a batch that no count includes yet.
//! - The [home feeds](feed::changes), the [inboxes](notifications::changes), the
//!   [directory](users::changes), the lists of [hashtags](hashtags::changes) and the [popular
//!   photos](rankings::changes) are updated in the table `<stage>.Feed`.
//! - The [followers](follows::changes::alerts) who have asked for it are told of new photos.
//! - New users go to the queue of send-welcome, which sends the welcome e-mail.
//!
//! `jobs.rs` runs the jobs of a batch at the same time. Each has two seconds for it. The records
//! that it fails on, or does not finish, go to the queue of the job by `SendMessageBatch`. This
//! function reads these queues too, with a minute for a message and ten attempts, and what fails
//! ten times is in the dead-letter queue of the job. So a job that fails or hangs delays no other,
//! and the stream goes on.

use shared::changes::Context;
use shared::runtime::stream::{Batch, Failure};
use shared::{BatchHandler, Process, StartError};

use crate::process_changes::jobs::Jobs;

mod job;
mod jobs;
mod queues;
#[cfg(test)]
mod tests;

/// The maximum number of followers to whom a photo is pushed while the batches behind it wait: 40
/// requests of 25 entries.
pub const MAX_PUSHED_AT_ONCE: u64 = 1000;

/// The function.
pub struct ProcessChanges {
    context: Context,
    jobs: Jobs,
}

impl BatchHandler for ProcessChanges {
    const NAME: &'static str = "process-changes";

    fn start(process: &Process) -> Result<Self, StartError> {
        let context = Context {
            table: process.table("TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            max_pushed: process.parsed("MAX_PUSHED_FOLLOWERS")?,
            max_pushed_at_once: MAX_PUSHED_AT_ONCE,
        };
        Ok(Self { context, jobs: Jobs::from_process(process)? })
    }

    async fn handle(&self, batch: Batch) -> Vec<Failure> {
        self.jobs.process(&self.context, batch).await
    }
}
