//! The program of [`follows::find_and_enrich_following`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    follows::find_and_enrich_following::main().await
}
