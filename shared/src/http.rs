//! The way in and out of HTTP: requests, answers, pages of lists and preconditions.

pub mod answer;
pub mod document;
pub mod fixed_attributes;
pub mod page;
pub mod precondition;
pub mod request;
pub mod versioned;

/// The HTTP response of a function.
pub type Response = lambda_http::Response<lambda_http::Body>;
