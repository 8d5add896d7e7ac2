//! Polls a stream once for all of its readers, and tells them when it has new records.

use std::time::Duration;

use tokio::{sync::watch, time::sleep};

use crate::streams::source::Source;

/// The pause before a stream that has not grown is polled again. A poll takes about 20 µs.
const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// The pause after an error of the engine.
pub(super) const ERROR_PAUSE: Duration = Duration::from_secs(1);

/// Polls the stream of a table until the task is aborted. `end` is the sequence number of the last record
/// that a poll has found.
pub(super) async fn poll_end(table: String, source: Source, end: watch::Sender<String>) {
    loop {
        let before = end.borrow().clone();
        match source.advance(&before).await {
            Ok(next) if next == before => sleep(POLL_INTERVAL).await,
            Ok(next) => {
                end.send_replace(next);
            }
            Err(error) => {
                terminal::log("streams", &format!("cannot read the stream of {table}: {error:#}"));
                sleep(ERROR_PAUSE).await;
            }
        }
    }
}
