//! The program of [`reactions::add_reaction`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    reactions::add_reaction::main().await
}
