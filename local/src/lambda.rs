//! AWS Lambda: builds the functions, runs them as processes, and serves the Runtime API and the Invoke API.

pub mod build;
pub mod children;
pub(crate) mod invoke;
pub mod process;
pub mod runtime;
