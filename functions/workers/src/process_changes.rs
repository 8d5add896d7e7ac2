//! Stream of the table `quick-photos`: does what follows from a change of the table, in jobs that
//! do not wait for each other.
//!
//! - `counts.rs` adds up the reactions, comments and friendships of a batch that no count includes
//!   yet. One `TransactWriteItems` removes the marks of up to 99 of them and adds their number to
//!   the count of the photo or the user. If the photo or the user is gone, `TransactWriteItems`
//!   deletes them instead, and takes reactions out of their engagements.
//! - `feeds.rs` updates the home feeds in `<stage>.Feed`. For a photo that is ready now, it reads
//!   the author with a consistent `GetItem`, adds the photo to the author's newest ones with a
//!   `TransactWriteItems` that checks the photo, reads these with a `GetItem`, finds the followers
//!   with a consistent `Query`, and writes an entry for each of them with `BatchWriteItem` (fan-out
//!   on write). If there are too many followers, a `TransactWriteItems` gives each of them a pull
//!   instead (fan-out on read). A new follower gets the newest photos, or a pull, in the same way,
//!   and loses the pull after unfollowing.
//! - `notifications.rs` tells users in their inboxes, in `<stage>.Feed`, of new followers,
//!   requests, accepted requests, reactions, comments and mentions. For each notification, it reads
//!   the items and the notification with a consistent `BatchGetItem`, puts the notification with a
//!   conditional `PutItem`, and reads them again.
//! - `directory.rs` keeps the directory, in which people are searched, in `<stage>.Feed`. For a
//!   user who is new, renamed or deleted, or has ten times as many followers, it reads the user
//!   with a consistent `GetItem`, puts and deletes entries with `BatchWriteItem`, and reads the
//!   user again.
//! - New users go to the queue of send-welcome, which sends the welcome e-mail.
//!
//! `jobs.rs` runs the jobs of a batch at the same time. Each has two seconds for it. The records
//! that it fails on, or does not finish, go to the queue of the job by `SendMessageBatch`. This
//! function reads these queues too, with a minute for a message and ten attempts, and what fails
//! ten times is in the dead-letter queue of the job. So a job that fails or hangs delays no other,
//! and the stream goes on.

use shared::runtime::stream::{Batch, Failure};
use shared::{BatchHandler, Process, StartError};

use crate::process_changes::jobs::Jobs;
use crate::process_changes::work::Context;

mod counts;
mod directory;
mod feeds;
mod job;
mod jobs;
mod notifications;
mod queues;
#[cfg(test)]
mod tests;
mod work;

/// The maximum number of followers to whom a photo is pushed while the batches behind it wait: 40
/// requests of 25 entries.
const MAX_PUSHED_AT_ONCE: u64 = 1000;

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
