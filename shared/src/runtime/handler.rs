//! A function without a route.

use std::future::Future;

use super::process::{Process, StartError};
use crate::Error;

/// A function that handles one record, message, upload, sign-up, connection or scheduled event after the other.
pub trait Handler: Sized {
    /// The name of the function, such as `send-welcome`.
    const NAME: &'static str;

    /// The event: a [`Record`](super::stream::Record), a [`Message`](super::queue::Message),
    /// an [`Upload`](super::upload::Upload), a [`SignUp`](super::trigger::SignUp), a
    /// [`Connection`](super::connection::Connection) or a [`Scheduled`](super::schedule::Scheduled).
    type Event;

    /// Takes from the process what the function keeps for its events.
    fn start(process: &Process) -> Result<Self, StartError>;

    /// Handles an event.
    fn handle(&self, event: Self::Event) -> impl Future<Output = Result<(), Error>>;
}
