//! The program of [`reactions::remove_reaction`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    reactions::remove_reaction::main().await
}
