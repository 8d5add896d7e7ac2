//! Tools for a deployment of Quick Photos, on AWS or on one machine: the audit of the tables, and the client of the
//! tools.

pub mod audit;
pub mod client;
