//! The jobs: the kinds of follow-up work.

use shared::Error;
use shared::changes::counts::{self, Uncounted};
use shared::changes::{Context, Unfinished, Work, run};
use shared::entities::Kind;
use shared::runtime::stream::{Failure, Record};
use tokio::time::Instant;

/// A kind of follow-up work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Job {
    Counts,
    Feeds,
    Notifications,
    Alerts,
    Push,
    Live,
    Directory,
    Hashtags,
    Rankings,
    Welcome,
}

impl Job {
    pub(crate) const ALL: [Self; 10] = [
        Self::Counts,
        Self::Feeds,
        Self::Notifications,
        Self::Alerts,
        Self::Push,
        Self::Live,
        Self::Directory,
        Self::Hashtags,
        Self::Rankings,
        Self::Welcome,
    ];

    /// Returns the environment variable with the URL of the queue. Without a sender, there is none
    /// for the welcome e-mail.
    pub(crate) fn variable(self) -> &'static str {
        match self {
            Self::Counts => "COUNTS_QUEUE_URL",
            Self::Feeds => "FEEDS_QUEUE_URL",
            Self::Notifications => "NOTIFICATIONS_QUEUE_URL",
            Self::Alerts => "ALERTS_QUEUE_URL",
            Self::Push => "PUSH_QUEUE_URL",
            Self::Live => "LIVE_QUEUE_URL",
            Self::Directory => "DIRECTORY_QUEUE_URL",
            Self::Hashtags => "HASHTAGS_QUEUE_URL",
            Self::Rankings => "RANKINGS_QUEUE_URL",
            Self::Welcome => "WELCOME_QUEUE_URL",
        }
    }

    /// Does the work that follows from records of the queue. Returns the records that failed.
    pub(crate) async fn process(self, context: &Context, records: &[Record], deadline: Instant) -> Vec<Failure> {
        let context = Context { max_pushed_at_once: u64::MAX, ..context.clone() };
        let later = || Error::internal("another function does this work");
        let unfinished = run(self.work(&context, records), deadline).await.into_iter();
        unfinished.map(|Unfinished { ids, error }| Failure { ids, error: error.unwrap_or_else(later) }).collect()
    }

    /// Returns the work that follows from records.
    pub(crate) fn work<'a>(self, context: &'a Context, records: &'a [Record]) -> Vec<Work<'a>> {
        match self {
            Self::Counts => counts::work(context, records, |record| uncounted(context, record)),
            Self::Feeds => feed::changes::work(context, records),
            Self::Notifications => notifications::changes::work(context, records),
            Self::Alerts => follows::changes::alerts::work(context, records),
            Self::Push => notifications::changes::push_work(records),
            Self::Live => live::changes::work(context, records),
            Self::Directory => users::changes::directory_work(context, records),
            Self::Hashtags => hashtags::changes::work(context, records),
            Self::Rankings => rankings::changes::work(context, records),
            Self::Welcome => {
                records.iter().filter(|record| users::changes::is_new_user(record)).map(Work::later).collect()
            }
        }
    }
}

/// Returns the uncounted reaction, comment or friendship of a record.
fn uncounted(context: &Context, record: &Record) -> Result<Uncounted, Error> {
    match Kind::of(&record.keys) {
        Some(Kind::Friendship) => follows::changes::uncounted(context, record),
        Some(Kind::Comment) => comments::changes::uncounted(context, record),
        _ => reactions::changes::uncounted(context, record),
    }
}
