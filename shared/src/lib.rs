//! The code that the functions of Quick Photos share.
//!
//! The modules, of which the first know no entity, and the last start a function. Their files do not
//! import each other in a circle:
//!
//! - [`values`]: the values that callers send, made by parsing.
//! - [`error`]: the domain errors, which are independent of HTTP.
//! - [`dynamodb`]: tables, their items and entities, and batches and transactions with their
//!   retries.
//! - [`document`]: schemaless items as plain JSON and as lossless DynamoDB JSON.
//! - [`search`]: the terms under which search finds a title, and the queries.
//! - [`photos`]: the keys and entities of the table `quick-photos`.
//! - [`favorites`]: the keys and entities of the table `<stage>.Favorite`, and the requests about
//!   tags.
//! - [`feed`]: the keys and entities of the table `<stage>.Feed`.
//! - [`pictures`]: the objects in the bucket of the photos, upload forms, and signed URLs.
//! - [`http`]: requests, answers, pages, preconditions and caching.
//! - [`catalogue`]: the keys and documents of the tables `<stage>.Music` and `<stage>.People`.
//! - [`runtime`]: the start-up of a function, and the loops that serve requests, stream records,
//!   uploads and sign-ups.

pub mod catalogue;
pub mod document;
pub mod dynamodb;
pub mod error;
pub mod favorites;
pub mod feed;
pub mod http;
pub mod photos;
pub mod pictures;
pub mod runtime;
pub mod search;
pub mod values;

pub use dynamodb::Table;
pub use error::{Error, ErrorKind};
pub use http::Response;
pub use lambda_http::Request;
#[cfg(feature = "s3")]
pub use pictures::store::Bucket;
pub use runtime::handler::{BatchHandler, Handler};
pub use runtime::process::{Process, StartError};
pub use runtime::route::{Route, Success};
