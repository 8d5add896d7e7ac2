//! Tools for a deployment of Quick Photos, on AWS or on one machine: the audit of the tables, the
//! backfill of attributes, the client of the tools, and the progress that they show.

pub mod audit;
pub mod backfill;
pub mod client;
pub mod progress_bar;
