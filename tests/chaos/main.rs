//! Chaos tests: many clients write at random while functions are killed. Afterwards no acknowledged
//! write is lost, the inboxes have the events of what is there, and the audit finds nothing.
//!
//! `CHAOS_SEED` repeats the random choices of a run. The order of concurrent requests still differs
//! from run to run.

#![allow(clippy::unwrap_used)]

mod favorites;
mod harness;
mod photos;
