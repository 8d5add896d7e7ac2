//! Publishes events about what happens in the stack: requests of the API, invocations of functions,
//! their requests to DynamoDB, and stream records. The page shows them.
//!
//! While nobody watches, no event is built, and the functions talk to DynamoDB directly.

mod writers;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::watch;

pub use self::writers::Writers;

/// The number of events that are kept for a watcher who reads slowly.
const MAX_WAITING_EVENTS: usize = 1024;

/// The maximum size of a text in an event of a request of the API.
const MAX_TEXT_BYTES: usize = 64 * 1024;

/// The events of the stack, and the number of their watchers.
pub struct Activity {
    events: broadcast::Sender<Arc<str>>,
    state: watch::Sender<State>,
    /// The requests that wrote items, by which stream records find their cause.
    pub writers: Writers,
}

/// The watchers and the sources of events that have to start with them.
#[derive(Default)]
struct State {
    watchers: usize,
    /// The number of sources, and of those that read at the moment.
    sources: usize,
    reading: usize,
    closed: bool,
}

impl Activity {
    /// Creates the activity of a stack whose tables have these key attributes.
    #[must_use]
    pub fn new(writers: Writers) -> Self {
        let events = broadcast::Sender::new(MAX_WAITING_EVENTS);
        Self { events, state: watch::Sender::default(), writers }
    }

    /// Returns whether there is a watcher.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.state.borrow().watchers > 0
    }

    /// Sends an event to all watchers. `event` is called only if there is one.
    pub fn publish(&self, event: impl FnOnce() -> Value) {
        if self.is_watched() {
            // It fails if the last watcher has left in the meantime.
            let _ = self.events.send(event().to_string().into());
        }
    }

    /// Starts to watch. Returns when all sources read, so that every later event comes.
    pub async fn watch(self: &Arc<Self>) -> Watcher {
        self.state.send_modify(|state| state.watchers += 1);
        let watcher = Watcher { events: self.events.subscribe(), activity: self.clone() };
        // The sender is in `self`, so this cannot fail.
        let _ = self.state.subscribe().wait_for(|state| state.closed || state.reading == state.sources).await;
        watcher
    }

    /// Ends the events of all watchers, now and later.
    pub fn close(&self) {
        self.state.send_modify(|state| state.closed = true);
    }

    /// Adds a source, which has to read while somebody watches.
    #[must_use]
    pub fn source(self: &Arc<Self>) -> ActivitySource {
        self.state.send_modify(|state| state.sources += 1);
        ActivitySource { activity: self.clone(), reads: false }
    }
}

/// A subscription to the events, which ends when it is dropped.
pub struct Watcher {
    events: broadcast::Receiver<Arc<str>>,
    activity: Arc<Activity>,
}

impl Watcher {
    /// Returns the next event in JSON, or `None` after the end of the stack. A watcher who reads
    /// too slowly gets the number of the events that it has missed, and then the later ones.
    pub async fn next(&mut self) -> Option<Arc<str>> {
        let mut state = self.activity.state.subscribe();
        tokio::select! {
            event = self.events.recv() => match event {
                Ok(event) => Some(event),
                Err(RecvError::Lagged(missed)) => Some(json!({"type": "lagged", "missed": missed}).to_string().into()),
                Err(RecvError::Closed) => None,
            },
            _ = state.wait_for(|state| state.closed) => None,
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.activity.state.send_modify(|state| state.watchers -= 1);
    }
}

/// A source of events that reads only while somebody watches, such as the reader of a stream.
pub struct ActivitySource {
    activity: Arc<Activity>,
    reads: bool,
}

impl ActivitySource {
    /// Waits until somebody watches. The source has to find its starting point then, and to call
    /// [`start`](Self::start).
    pub async fn watched(&self) {
        // The sender is in `self`, so this cannot fail.
        let _ = self.activity.state.subscribe().wait_for(|state| state.watchers > 0).await;
    }

    /// Declares that the source reads from now on.
    pub fn start(&mut self) {
        self.reads = true;
        self.activity.state.send_modify(|state| state.reading += 1);
    }

    /// Returns whether the source has to go on. Otherwise it has stopped: the next watcher waits
    /// for its next start.
    pub fn goes_on(&mut self) -> bool {
        self.activity.state.send_if_modified(|state| {
            let stops = self.reads && state.watchers == 0;
            if stops {
                state.reading -= 1;
                self.reads = false;
            }
            stops
        });
        self.reads
    }

    /// Returns the activity of the stack.
    #[must_use]
    pub fn activity(&self) -> &Activity {
        &self.activity
    }
}

/// Returns a time in milliseconds since 1970.
#[must_use]
pub fn epoch_ms(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Returns a duration in milliseconds with three decimals.
#[must_use]
pub fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

/// Returns the text of a body for an event, and whether something is missing in it: a body that is
/// not text is `null`, and a long one is cut.
#[must_use]
pub fn text_of(body: &[u8]) -> (Value, bool) {
    if body.is_empty() {
        return (Value::Null, false);
    }
    let Ok(text) = str::from_utf8(body) else {
        return (Value::Null, true);
    };
    let kept = text.floor_char_boundary(MAX_TEXT_BYTES);
    (Value::from(&text[..kept]), kept < text.len())
}

#[cfg(test)]
mod tests;
