//! The functions without a route, and what is done with the functions of all kinds.

use std::future::Future;

use serde::de::DeserializeOwned;

use super::process::{Process, StartError};
use super::queue::Message;
use super::route::Route;
use super::stream::{Batch, Failure, Record};
use super::trigger::SignUp;
#[cfg(feature = "s3")]
use super::upload::Upload;
use crate::Error;

/// A function that handles one record, message, upload or sign-up after the other.
pub trait Handler: Sized {
    /// The name of the function, such as `send-welcome`.
    const NAME: &'static str;

    /// What it handles: a [`Record`](super::stream::Record), a [`Message`](super::queue::Message),
    /// an [`Upload`](super::upload::Upload) or a [`SignUp`](super::trigger::SignUp).
    type Event;

    /// Takes from the process what the function keeps for its events.
    fn start(process: &Process) -> Result<Self, StartError>;

    /// Handles an event.
    fn handle(&self, event: Self::Event) -> impl Future<Output = Result<(), Error>>;
}

/// A function that handles whole batches of records.
pub trait BatchHandler: Sized {
    /// The name of the function, such as `process-changes`.
    const NAME: &'static str;

    /// Takes from the process what the function keeps for its batches.
    fn start(process: &Process) -> Result<Self, StartError>;

    /// Handles a batch. Returns the records that failed.
    fn handle(&self, batch: Batch) -> impl Future<Output = Vec<Failure>>;
}

/// What is done with each function of a noun, by its kind. Each noun shows its functions to a
/// visitor.
pub trait Visitor {
    /// Visits a route.
    fn route<R: Route + 'static>(&mut self);
    /// Visits a function that handles records.
    fn records<H: Handler<Event = Record> + 'static>(&mut self);
    /// Visits a function that handles batches of records.
    fn batches<H: BatchHandler + 'static>(&mut self);
    /// Visits a function that handles messages.
    fn messages<M: DeserializeOwned + 'static, H: Handler<Event = Message<M>> + 'static>(&mut self);
    /// Visits a function that handles uploads.
    #[cfg(feature = "s3")]
    fn uploads<H: Handler<Event = Upload> + 'static>(&mut self);
    /// Visits a function that handles sign-ups.
    fn sign_ups<H: Handler<Event = SignUp> + 'static>(&mut self);
}
