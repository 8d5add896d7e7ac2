//! bulk-load against the engine: what gets in, what is named as bad, and what a table that is busy does to it.
#![allow(clippy::unwrap_used)]

mod content;
mod engine;
mod requests;
