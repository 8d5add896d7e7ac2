//! Tests of bulk-load against a DynamoDB engine: the items that it loads, the lines that it
//! rejects, and its retries.
#![allow(clippy::unwrap_used)]

mod content;
mod engine;
mod requests;
