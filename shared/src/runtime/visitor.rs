//! A visitor of the functions of all kinds.

use serde::de::DeserializeOwned;

use super::connection::Connection;
use super::handler::Handler;
use super::queue::Message;
use super::route::Route;
use super::schedule::Scheduled;
use super::stream::{BatchHandler, Record};
use super::trigger::SignUp;
#[cfg(feature = "s3")]
use super::upload::Upload;

/// A visitor of functions, with a method for each kind. Each noun shows its functions to it. A visitor passes
/// over a kind whose method it does not have.
pub trait Visitor {
    /// Visits a route.
    fn route<R: Route + 'static>(&mut self);
    /// Visits a function that handles records.
    fn records<H: Handler<Event = Record> + 'static>(&mut self) {}
    /// Visits a function that handles batches of records.
    fn batches<H: BatchHandler + 'static>(&mut self) {}
    /// Visits a function that handles messages.
    fn messages<M: DeserializeOwned + 'static, H: Handler<Event = Message<M>> + 'static>(&mut self) {}
    /// Visits a function that handles uploads.
    #[cfg(feature = "s3")]
    fn uploads<H: Handler<Event = Upload> + 'static>(&mut self) {}
    /// Visits a function that handles sign-ups.
    fn sign_ups<H: Handler<Event = SignUp> + 'static>(&mut self) {}
    /// Visits a function that handles connections.
    fn connections<H: Handler<Event = Connection> + 'static>(&mut self) {}
    /// Visits a function that handles scheduled events.
    fn schedules<H: Handler<Event = Scheduled> + 'static>(&mut self) {}
}
