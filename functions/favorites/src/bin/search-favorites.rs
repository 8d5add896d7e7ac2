//! The program of [`favorites::search_favorites`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    favorites::search_favorites::main().await
}
