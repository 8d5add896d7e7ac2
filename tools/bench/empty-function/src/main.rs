//! A function that does nothing, on the Lambda runtime that every function uses. It is the lower limit that `measure` compares
//! the functions with: the difference is the cost of the code of this project.

use std::convert::Infallible;

use lambda_http::{Body, Request, Response, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    lambda_http::run(service_fn(async |_: Request| Ok::<_, Infallible>(Response::new(Body::Empty)))).await
}
