//! The program of [`photos::fetch_user_and_photos`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    photos::fetch_user_and_photos::main().await
}
