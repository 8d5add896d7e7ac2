//! HTTP input and output: requests, answers, pages of lists and their cursors, preconditions and
//! caching.

pub mod answer;
pub mod caching;
pub mod cursor;
#[cfg(feature = "schema")]
pub mod describe;
pub mod document;
pub mod escape;
pub mod extract;
pub mod fields;
pub mod form;
pub mod gzip;
pub mod idempotency;
pub mod page;
pub mod precondition;
pub mod problems;
pub mod put;
pub mod request;
pub mod versioned;
pub mod visitor;

use std::marker::PhantomData;

/// The HTTP response of any function.
pub type HttpResponse = lambda_http::Response<lambda_http::Body>;

/// The HTTP response of a function whose body is a `T` as JSON, or empty if `T` is `()`.
///
/// The type is in the signature of each handler, and the OpenAPI document takes the schema of the
/// body from it.
#[derive(Debug)]
pub struct Response<T> {
    response: HttpResponse,
    body: PhantomData<fn() -> T>,
}

impl<T> Response<T> {
    fn new(response: HttpResponse) -> Self {
        Self { response, body: PhantomData }
    }

    fn headers_mut(&mut self) -> &mut lambda_http::http::HeaderMap {
        self.response.headers_mut()
    }
}

impl<T> From<Response<T>> for HttpResponse {
    fn from(response: Response<T>) -> Self {
        response.response
    }
}
