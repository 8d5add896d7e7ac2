//! A function that does nothing, on the Lambda runtime that every function uses. It is the baseline
//! of `measure`: a function's difference to it is the cost of this project's own code.

use std::convert::Infallible;

use lambda_http::{Body, Request, Response, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    lambda_http::run(service_fn(async |_: Request| Ok::<_, Infallible>(Response::new(Body::Empty)))).await
}
