//! The start-up of a function: its clients, its HTTPS connector, its log, and the loops that serve requests, stream
//! records and sign-ups.

pub mod client;
mod deadline;
pub mod function;
pub mod https;
mod log;
pub mod stream;
pub mod trigger;
