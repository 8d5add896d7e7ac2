//! The program of [`follows::list_follow_requests`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    follows::list_follow_requests::main().await
}
