//! The program of [`favorites::get_tag`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    favorites::get_tag::main().await
}
