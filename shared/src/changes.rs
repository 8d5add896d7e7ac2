//! The follow-up work of a change: what the nouns do after a change of an item, in units that
//! process-changes runs until a deadline.
//!
//! A noun's `changes.rs` makes [`Work`] of the records that it is interested in. [`run`] does the
//! work, and returns the records that are unfinished.

use std::collections::BTreeSet;
use std::future::ready;

use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use tokio::time::{Instant, timeout_at};

use crate::entities::{Notice, notices};
use crate::runtime::stream::{Change, Record};
use crate::values::NotificationKind;
use crate::{Error, Table};

pub mod counts;

/// Returns what a record tells users at once: the notices of a new item, and that a comment was pinned.
/// What an edit adds is no news.
pub fn new_notices(record: &Record) -> Result<BTreeSet<Notice>, Error> {
    match record.change {
        Change::Insert => notices(&record.new_image),
        Change::Modify => {
            let old = notices(&record.old_image)?;
            let is_pin = |notice: &Notice| notice.topic.kind == NotificationKind::Pin;
            Ok(notices(&record.new_image)?.into_iter().filter(|new| is_pin(new) && !old.contains(new)).collect())
        }
        Change::Remove => Ok(BTreeSet::new()),
    }
}

/// The maximum number of units of work of a job that are done at the same time.
const MAX_CONCURRENT_WORK: usize = 32;

/// The tables and the limits of the follow-up work.
#[derive(Debug, Clone)]
pub struct Context {
    /// The table `quick-photos`.
    pub table: Table,
    /// The table `<stage>.Feed`.
    pub feed: Table,
    /// The maximum number of followers of an author with fan-out on write.
    pub max_pushed: u64,
    /// The maximum number of followers to whom a photo is pushed without [`Progress::Later`].
    pub max_pushed_at_once: u64,
}

/// A unit of work, which is repeated as a whole.
pub struct Work<'a> {
    /// The [ids](Record::id) of the records.
    ids: Vec<String>,
    future: LocalBoxFuture<'a, Result<Progress, Error>>,
}

/// The end of a unit of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The work is complete.
    Done,
    /// The work takes too long for the stream.
    Later,
}

impl<'a> Work<'a> {
    /// Returns the work of a future, for the records with these ids.
    pub fn new(ids: Vec<String>, future: impl Future<Output = Result<(), Error>> + 'a) -> Self {
        Self::in_steps(ids, async { future.await.map(|()| Progress::Done) })
    }

    /// Returns work that may have to go on from the queue.
    pub fn in_steps(ids: Vec<String>, future: impl Future<Output = Result<Progress, Error>> + 'a) -> Self {
        Self { ids, future: future.boxed_local() }
    }

    /// Returns work that has failed before it began.
    #[must_use]
    pub fn failed(ids: Vec<String>, error: Error) -> Self {
        Self::new(ids, ready(Err(error)))
    }

    /// Returns work that only the function of the queue can do.
    #[must_use]
    pub fn later(record: &Record) -> Self {
        Self::in_steps(vec![record.id.clone()], ready(Ok(Progress::Later)))
    }
}

/// Records that [`run`] has not finished.
#[derive(Debug)]
pub struct Unfinished {
    /// The [ids](Record::id) of the records.
    pub ids: Vec<String>,
    /// The error, or `None` if the work takes too long for the stream.
    pub error: Option<Error>,
}

/// Does work until the deadline. Returns what is unfinished.
pub async fn run(work: Vec<Work<'_>>, deadline: Instant) -> Vec<Unfinished> {
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
