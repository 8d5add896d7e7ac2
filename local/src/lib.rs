//! The local stack: Quick Photos on one machine, without an AWS account.
//!
//! - [`stack`] starts everything in order, and stops it.
//! - [`gateway`] is the HTTP API: routes, tokens, events, answers.
//! - [`lambda`] builds the functions, runs them as processes, and invokes them.
//! - `streams` delivers the records of DynamoDB Streams to functions.
//! - [`services`] replaces DynamoDB, S3, the token issuer, Amazon SES, Amazon SQS, and what delivers
//!   push notifications.
//! - [`page`] serves the page, and what it shows of the tables and the access patterns.
//! - [`activity`] publishes events about requests, invocations and records for the page.
//!   [`recorder`] records the requests to DynamoDB, and [`trace`] has the ids that connect the
//!   events. [`items`] finds the items that a request names.
//! - [`template`] reads template.yaml, which names the tables, buckets, functions, routes and
//!   streams.
//! - [`costs`] reads what each access pattern may ask of DynamoDB, and what that costs.
//! - [`sample`] is the sample data that fills the tables.
//! - [`listener`] opens listeners.

pub mod activity;
pub mod costs;
mod data_dir;
mod dynamodb_proxy;
pub mod gateway;
mod host_header;
pub mod items;
pub mod lambda;
pub mod listener;
mod origins;
pub mod page;
pub mod recorder;
pub mod sample;
pub mod services;
pub mod stack;
mod streams;
pub mod template;
pub mod trace;
