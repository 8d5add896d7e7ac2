//! Units of work, and doing them until a deadline.

use std::future::ready;

use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use shared::runtime::stream::Record;
use shared::{Error, Table};
use tokio::time::{Instant, timeout_at};

/// The maximum number of units of work of a job that are done at the same time.
const MAX_CONCURRENT_WORK: usize = 32;

/// The tables and the limits of the jobs.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    /// The table `quick-photos`.
    pub(crate) table: Table,
    /// The table `<stage>.Feed`.
    pub(crate) feed: Table,
    /// The maximum number of followers of an author with fan-out on write.
    pub(crate) max_pushed: u64,
    /// The maximum number of followers to whom a photo is pushed without [`Progress::Later`].
    pub(crate) max_pushed_at_once: u64,
}

/// A unit of work, which is done again as a whole.
pub(crate) struct Work<'a> {
    /// The [ids](Record::id) of the records.
    ids: Vec<String>,
    future: LocalBoxFuture<'a, Result<Progress, Error>>,
}

/// The end of a unit of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    Done,
    /// The work takes too long for the stream.
    Later,
}

impl<'a> Work<'a> {
    pub(crate) fn new(ids: Vec<String>, future: impl Future<Output = Result<(), Error>> + 'a) -> Self {
        Self::in_steps(ids, async { future.await.map(|()| Progress::Done) })
    }

    /// Returns work that may have to go on from the queue.
    pub(crate) fn in_steps(ids: Vec<String>, future: impl Future<Output = Result<Progress, Error>> + 'a) -> Self {
        Self { ids, future: future.boxed_local() }
    }

    /// Returns work that has failed before it began.
    pub(crate) fn failed(ids: Vec<String>, error: Error) -> Self {
        Self::new(ids, ready(Err(error)))
    }

    /// Returns work that only the function of the queue can do.
    pub(crate) fn later(record: &Record) -> Self {
        Self::in_steps(vec![record.id.clone()], ready(Ok(Progress::Later)))
    }
}

/// Records that a job has not finished, and the error, unless they take too long for the stream.
pub(crate) struct Unfinished {
    pub(crate) ids: Vec<String>,
    pub(crate) error: Option<Error>,
}

/// Does work until the deadline. Returns what is unfinished.
pub(crate) async fn run(work: Vec<Work<'_>>, deadline: Instant) -> Vec<Unfinished> {
    let all = stream::iter(work).map(|Work { ids, future }| async move {
        // `timeout_at` polls the future once even if the deadline has passed.
        let outcome = if Instant::now() < deadline { timeout_at(deadline, future).await.ok() } else { None };
        match outcome {
            Some(Ok(Progress::Done)) => None,
            Some(Ok(Progress::Later)) => Some(Unfinished { ids, error: None }),
            Some(Err(error)) => Some(Unfinished { ids, error: Some(error) }),
            None => Some(Unfinished { ids, error: Some(Error::Busy("no time was left for the work".into())) }),
        }
    });
    all.buffer_unordered(MAX_CONCURRENT_WORK).filter_map(ready).collect().await
}
