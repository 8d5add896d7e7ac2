//! AWS Lambda: builds the functions, runs them as processes behind the Runtime API, and answers the Invoke API.

pub mod build;
pub mod children;
pub(crate) mod invoke;
pub mod process;
pub mod runtime;
