//! HTTP input and output: requests, answers, pages of lists, documents and preconditions.

pub mod answer;
pub mod document;
pub mod fixed_attributes;
pub mod idempotency;
pub mod page;
pub mod precondition;
pub mod request;
pub mod versioned;

/// The HTTP response of a function.
pub type Response = lambda_http::Response<lambda_http::Body>;
