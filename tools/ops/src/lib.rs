//! Tools for a deployment of Quick Photos, on AWS or on one machine: the audit of the tables,
//! bulk-load, the client of the tools, what they say about errors, and the progress that they show.

pub mod audit;
pub mod bulk_load;
pub mod client;
pub mod explain;
pub mod progress_bar;
