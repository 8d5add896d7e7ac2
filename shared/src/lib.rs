//! The code that the functions of Quick Photos share.
//!
//! The modules form layers. Each depends only on those above it in this list:
//!
//! - [`values`]: the values that callers send, made by parsing.
//! - [`error`]: the domain errors, which are independent of HTTP.
//! - [`dynamodb`]: the table, its items, and batches and transactions with their retries.
//! - [`document`]: schemaless items as plain JSON and as lossless DynamoDB JSON.
//! - [`search`]: the terms under which search finds a title, and the queries.
//! - [`model`]: the keys and entities of each table.
//! - [`pictures`]: the pictures of photos as clients see them: upload forms and URLs.
//! - [`http`]: requests, answers, pages, documents, preconditions and caching.
//! - `objects`: the bucket of the photos for functions that read and write its objects, with the feature `s3`.
//! - [`runtime`]: the start-up of a function, and the loops that serve requests, stream records, uploads and sign-ups.

pub mod document;
pub mod dynamodb;
pub mod error;
pub mod http;
pub mod model;
#[cfg(feature = "s3")]
pub mod objects;
pub mod pictures;
pub mod runtime;
pub mod search;
pub mod values;

pub use dynamodb::Table;
pub use error::Error;
pub use http::Response;
pub use lambda_http::Request;
#[cfg(feature = "s3")]
pub use objects::Bucket;
pub use runtime::function::{run, run_with_preconditions};
