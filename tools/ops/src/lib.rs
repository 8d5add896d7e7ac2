//! Command-line tools for a deployment of Quick Photos, on AWS or on one machine: the audit of the tables and the bulk load.

pub mod audit;
pub mod client;
