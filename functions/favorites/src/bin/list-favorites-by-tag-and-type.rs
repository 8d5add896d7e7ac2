//! The program of [`favorites::list_favorites_by_tag_and_type`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    favorites::list_favorites_by_tag_and_type::main().await
}
