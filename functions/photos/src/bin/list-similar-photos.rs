//! The program of [`photos::list_similar_photos`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    photos::list_similar_photos::main().await
}
