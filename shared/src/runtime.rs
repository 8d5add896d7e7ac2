//! The start-up of a function: its clients, its HTTPS connector, its log, and the loops that serve requests and stream
//! records.

pub mod client;
mod deadline;
pub mod function;
pub mod https;
mod log;
pub mod stream;
