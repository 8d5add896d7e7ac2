//! The program of [`follows::fetch_user_and_followers`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    follows::fetch_user_and_followers::main().await
}
