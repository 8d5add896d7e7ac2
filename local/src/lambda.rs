//! AWS Lambda: builds the functions, runs them as processes, and serves the Runtime API, the Invoke
//! API, asynchronous invocations, and the messages of queues.

pub mod build;
pub mod children;
pub mod console;
mod error;
pub mod event_queue;
pub(crate) mod functions;
pub(crate) mod invocation_record;
pub(crate) mod invoke;
pub mod message_queues;
pub mod origin;
pub mod process;
pub mod runtime;
pub(crate) mod schedules;
pub mod variables;
pub mod watch;
