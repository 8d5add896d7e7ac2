//! The program of [`catalogue::put_person`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    catalogue::put_person::main().await
}
