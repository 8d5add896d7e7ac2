//! The program of [`follows::decline_follow_request`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    follows::decline_follow_request::main().await
}
