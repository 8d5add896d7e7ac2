//! Polls a stream once for all of its readers, and tells them when it has new records.

use std::time::Duration;

use tokio::{sync::watch, time::sleep};

use crate::streams::source::Source;

/// The pause before a stream that has not grown is polled again. A poll takes about 20 µs.
const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// The pause after an error of the engine.
pub(super) const ERROR_PAUSE: Duration = Duration::from_secs(1);

/// The poller of one stream.
pub(super) struct EndPoller {
    pub(super) table: String,
    pub(super) source: Source,
    /// The sequence number of the last record that a poll has found.
    pub(super) end: watch::Sender<String>,
}

impl EndPoller {
    /// Polls the stream until the task is aborted.
    pub(super) async fn run(self) {
        loop {
            let end = self.end.borrow().clone();
            match self.source.advance(&end).await {
                Ok(next) if next == end => sleep(POLL_INTERVAL).await,
                Ok(next) => {
                    self.end.send_replace(next);
                }
                Err(error) => {
                    terminal::log("streams", &format!("cannot read the stream of {}: {error:#}", self.table));
                    sleep(ERROR_PAUSE).await;
                }
            }
        }
    }
}
