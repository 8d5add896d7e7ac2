//! The program of [`favorites::unclip_favorite`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    favorites::unclip_favorite::main().await
}
