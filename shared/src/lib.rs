//! The code that the functions of Quick Photos share.
//!
//! Modules depend on each other in this order, each only on those above it:
//!
//! - [`values`]: the values that callers send. Each is made by parsing, so an invalid one cannot exist.
//! - [`error`]: the domain errors. They know no HTTP.
//! - [`dynamodb`]: the table, its items, batches and transactions, with their retries.
//! - [`document`]: schemaless items as JSON and as DynamoDB JSON, without loss.
//! - [`search`]: the terms under which search finds a title, and the queries.
//! - [`model`]: the keys and entities of each table.
//! - [`http`]: requests, answers, pages and preconditions.
//! - [`runtime`]: start-up of a function, its HTTPS connector, and the stream loop.

pub mod document;
pub mod dynamodb;
pub mod error;
pub mod http;
pub mod model;
pub mod runtime;
pub mod search;
pub mod values;

pub use dynamodb::Table;
pub use error::Error;
pub use http::Response;
pub use lambda_http::Request;
pub use runtime::function::run;
