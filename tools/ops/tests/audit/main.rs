//! The audit of a table in the real engine: what it finds, what it mends, and what it leaves alone.

#![allow(clippy::unwrap_used)]

mod bed;
mod command;
mod favorites;
mod favorites_meanwhile;
mod findings;
mod meanwhile;
