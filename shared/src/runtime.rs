//! The start-up of a function: its clients, its HTTPS connector, its log, and the loops that serve
//! requests, stream records, messages, uploads, sign-ups, connections
//! and schedules.

#[cfg(feature = "s3")]
pub mod bucket;
pub mod client;
pub mod connection;
mod deadline;
mod end;
pub mod handler;
pub mod https;
mod log;
pub mod process;
pub mod queue;
pub mod route;
pub mod schedule;
pub mod stream;
pub mod trigger;
#[cfg(feature = "s3")]
pub mod upload;
mod usage;
pub mod visitor;
