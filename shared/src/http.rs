//! HTTP input and output: requests, answers, pages of lists, documents and preconditions.

pub mod answer;
pub mod document;
pub mod page;
pub mod precondition;
pub mod request;

/// The HTTP response of a function.
pub type Response = lambda_http::Response<lambda_http::Body>;
