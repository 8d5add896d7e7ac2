//! The program of [`favorites::list_tags_of_favorite`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    favorites::list_tags_of_favorite::main().await
}
