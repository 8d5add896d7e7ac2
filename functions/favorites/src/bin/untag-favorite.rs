//! The program of [`favorites::untag_favorite`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    favorites::untag_favorite::main().await
}
