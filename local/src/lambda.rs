//! AWS Lambda: builds the functions, runs them as processes, and serves the Runtime API, the Invoke API and asynchronous
//! invocations.

pub mod build;
pub mod children;
pub mod console;
pub mod event_queue;
pub(crate) mod failure;
pub(crate) mod functions;
pub(crate) mod invoke;
pub mod origin;
pub mod process;
pub mod runtime;
pub mod watch;
