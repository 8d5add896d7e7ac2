//! The program of [`reactions::fetch_photo_and_reactions`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    reactions::fetch_photo_and_reactions::main().await
}
