//! The code that the functions of Quick Photos share.
//!
//! The modules, of which only the last five know the entities. Their files do not import each other
//! in a circle:
//!
//! - [`values`]: the values that callers send, made by parsing.
//! - [`error`]: the domain errors, which are independent of HTTP.
//! - [`dynamodb`]: tables, their items and entities, and batches and transactions with their
//!   retries.
//! - [`document`]: schemaless items as plain JSON and as lossless DynamoDB JSON.
//! - [`search`]: the terms under which search finds a title, and the queries.
//! - [`http`]: requests, answers, pages, preconditions, caching, documents and upload forms.
//! - [`runtime`]: the start-up of a function, and the loops that serve requests, stream records,
//!   uploads and sign-ups.
//! - [`entities`]: one file per kind of item, with its key, its attributes and its limits.
//! - [`access`]: who sees what, and who may do what.
//! - [`show`]: photos, people and other entities as answers show them.
//! - [`changes`]: the units of follow-up work after a change, and the counts of uncounted items.
//! - [`erasure`]: the steps by which the items of a deleted user or photo are deleted.

pub mod access;
pub mod changes;
pub mod document;
pub mod dynamodb;
pub mod entities;
pub mod erasure;
pub mod error;
pub mod http;
pub mod runtime;
pub mod search;
pub mod show;
pub mod values;

pub use dynamodb::Table;
pub use error::Error;
pub use http::Response;
pub use http::problems::ErrorKind;
pub use lambda_http::Request;
#[cfg(feature = "s3")]
pub use runtime::bucket::Bucket;
pub use runtime::handler::Handler;
pub use runtime::process::{Process, StartError};
pub use runtime::route::{Route, Success};
pub use runtime::stream::BatchHandler;
