//! The program of [`favorites::get_favorite`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    favorites::get_favorite::main().await
}
