//! Start-up of a function: its clients, its HTTPS connector, its log, and the loop that serves events.

pub mod client;
pub mod function;
pub mod https;
mod log;
pub mod stream;
