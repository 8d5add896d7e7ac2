//! Tools for a deployment of Quick Photos, on AWS or on one machine: the audit of the tables, the backfill of attributes, and
//! the client of the tools.

pub mod audit;
pub mod backfill;
pub mod client;
